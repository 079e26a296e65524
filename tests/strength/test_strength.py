"""A cell of the table of strength is played as it says, and the yardsticks still play."""

import subprocess
import sys
from statistics import fmean

import pytest

from tests.conftest import ROOT
from tests.strength import THEN, intervals, track
from tests.strength.cells import CELLS, Duel, PlayedDeal, played, summary

HAS_HISTORY = (
    subprocess.run(["git", "cat-file", "-e", THEN], cwd=ROOT, check=False, capture_output=True).returncode == 0
)


@pytest.mark.parametrize("cell", CELLS)
def test_a_bot_against_itself_wins_half_of_the_points_of_every_deal(cell):
    deals = played(Duel(cell, bot="steady", against="steady"))
    assert [next(deals).points for _ in range(3)] == pytest.approx([0.5] * 3)


@pytest.mark.skipif(not HAS_HISTORY, reason="the yardsticks can only be had from a git repository with its history")
@pytest.mark.parametrize("game", ["vole", "voleur", "leon", "bang", "cold-blooded"])
def test_the_yardsticks_still_play(game):
    assert min(next(played(Duel(game, "seer-then", "playouts = 2"))).decisions) > 0


def test_seats_and_deals_are_fair_to_a_bot_that_is_worse():
    deals = played(Duel("vole", bot="random", against="steady"))
    found = [next(deals) for _ in range(20)]
    assert sum([deal.points for deal in found]) < 5
    assert all([one > 0 for deal in found for one in deal.decisions])


def test_tuning_deals_are_other_deals():
    def first(tuning: bool) -> list[tuple[int, int]]:
        deals = played(Duel("voleur", bot="random", against="steady", tuning=tuning))
        return [next(deals).decisions for _ in range(5)]

    assert first(True) == first(True) != first(False)


def test_the_summary_has_the_interval_over_deals():
    deals = [PlayedDeal(share, (10, 10), (0.02, 0.01)) for share in (0.5, 1.0, 0.5, 0.0) * 25]
    text = summary(deals)
    # Student's t with 99 degrees of freedom: 1.984 * sqrt(12.5 / 99) / 10 = 7.05
    assert text == "50.0 +- 7.1 (200 matches; 2.00 and 1.00 ms a decision)"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [(["--bot", "steady", "--matches", "4"], 0, "(4 matches;"), (["--options", "playout = 5"], 2, '"playouts"')],
    ids=["played", "wrong option"],
)
def test_the_program_plays_or_says_in_a_line_why_not(arguments, code, says):
    command = [sys.executable, "-m", "tests.strength", "--cell", "voleur", "--against", "random"]
    done = subprocess.run([*command, *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == code
    assert says in (done.stdout + done.stderr).splitlines()[-1]


@pytest.mark.parametrize(
    "cell", [("ladder", 8, "equal", 2), ("swiss", 16, "equal", 2), ("swiss", 8, "spread", 4), ("league", 8, "close", 2)]
)
def test_intervals_hold_where_results_decide_who_meets_whom(cell):
    held = [shrunk for _, shrunk in intervals.runs(*cell, 10)]
    assert fmean([each.ratings for each in held]) > 0.92
    assert fmean([each.first for each in held]) > 0.8


def test_a_track_finds_where_strengths_jump():
    assert track.jumps(track.played([0.0] * 6 + [150.0] * 3, 1, 1000)) == {"bot-6": "up"}
