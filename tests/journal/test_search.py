"""The matches of a run by their numbers: how one ended for a bot, and by how much."""

import pytest

from tourney.contracts.match import Fault
from tourney.journal.search import FoundMatch, outcome, sort_value
from tourney.standings.results import MatchResult


@pytest.mark.parametrize(("seats", "scores", "places", "bot", "ended", "margin", "faults"), [
    ("abc", (5, 5, 1), (1, 1, 3), None, None, 0, 1), ("abc", (9, 4, 3), (1, 2, 3), "a", "won", 5, 1),
    ("abc", (9, 4, 3), (1, 2, 3), "c", "lost", 6, 0), ("abc", (5, 5, 1), (1, 1, 3), "b", "drawn", 0, 0),
    ("aba", (2, 8, 9), (3, 2, 1), "a", "won", 1, 1), ("aba", (2, 8, 9), (3, 2, 1), "b", "lost", 1, 0),
    ("ab", (7, 3), (2, 1), None, None, -4, 1),  # the better score was put behind by a fault
])  # fmt: skip
def test_how_a_match_ended_for_a_bot_and_by_how_much(seats, scores, places, bot, ended, margin, faults):
    made = Fault(0, "error", 1, None, ""), Fault(1, "out", None, None, "")
    match = FoundMatch("m", None, tuple(seats), MatchResult(scores, places, made), 7)
    assert bot is None or outcome(seats, places, bot) == ended
    assert [sort_value(key, bot)(match) for key in ("margin", "faults", "length")] == [margin, faults, 7]
