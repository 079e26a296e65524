"""The bracket of a knockout of pairs is drawn, from the first round to the winner."""

from random import Random

import pytest

from tests.schedule.drawn import play_round, tournament
from tourney.bracket_text import bracket_text
from tourney.schedule.base import Schedule, schedule
from tourney.text_tables import rounds_text


def knockout(entrants: int, seats: int = 2, rounds: int = 99) -> Schedule:
    """A knockout of which some rounds were played."""
    plan = schedule(tournament(entrants, [seats], deals=3, form="knockout"))
    for number, blocks in enumerate(plan.rounds()):
        if number == rounds:
            break
        play_round(plan, list(blocks), Random(2))
    return plan


def test_a_bracket_shows_who_met_with_which_points_and_who_advanced():
    assert bracket_text(knockout(5).round_reports(), 80).split("\n") == [
        "round 1         round 2         final           winner",
        "                bot-0  66.7 ─┬─ bot-0  58.3 ─┬─ bot-0",
        "bot-3  66.7 ─┬─ bot-3  33.3 ─┘               │",
        "bot-4  33.3 ─┘                               │",
        "                bot-1  41.7 ─┬─ bot-2  41.7 ─┘",
        "                bot-2  58.3 ─┘",
        "",
        "The numbers are points %. Whoever has advanced stands to the right.",
    ]


def test_of_a_round_that_is_not_over_it_shows_who_meets():
    assert bracket_text(knockout(5, rounds=1).round_reports(), 80).split("\n")[:-2] == [
        "round 1         round 2",
        "                bot-0       ─┬─ ?",
        "bot-3  66.7 ─┬─ bot-3       ─┘",
        "bot-4  33.3 ─┘",
        "                bot-1       ─┬─ ?",
        "                bot-2       ─┘",
    ]


@pytest.mark.parametrize("entrants", [2, 3, 6, 8, 13, 16, 32])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_bracket_has_a_line_for_each_entrant_and_is_no_wider_than_the_screen(entrants, width):
    reports = knockout(entrants).round_reports()
    drawn = bracket_text(reports, width)
    if drawn is None:
        assert width < 15 * len(reports) + 6  # names of six characters, points of three
        drawn = rounds_text(reports, "table", width)
    else:
        assert len(drawn.split("\n\n")[0].split("\n")) == 1 + entrants
    assert max(map(len, drawn.split("\n"))) <= width


def test_larger_tables_and_formats_that_put_nobody_out_have_a_table():
    assert bracket_text(knockout(9, seats=3).round_reports(), 200) is None
    plan = schedule(tournament(4, [2], form="swiss", rounds=2))
    for blocks in plan.rounds():
        play_round(plan, list(blocks), Random(2))
    assert bracket_text(plan.round_reports(), 200) is None
    assert bracket_text([], 80) is None
    lines = rounds_text(plan.round_reports(), "table", 80).split("\n")
    assert [i for i, line in enumerate(lines) if not line.strip()] == [6]  # between the two rounds
