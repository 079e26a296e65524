"""How the commits of a track end, in words, and whether that is weaker."""

import pytest

from tourney.review.track import CommitRow, Ending, ending_lines
from tourney.schedule.track import Change


def step(before, low, high, verdict=None):
    return Change(before, "last", 50, (low + high) / 2, low, high, verdict, False)


GAP = CommitRow("abcdef123", "", "", "gap", "cannot be built", "")


@pytest.mark.parametrize(
    ("ending", "weaker", "says"),
    [
        (Ending(None, None), (False, False), "with the bot that it began with."),
        (
            Ending(step("a", -31, -1, "down"), step("a", -31, -1, "down")),
            (True, True),
            "weaker than it began: -16 Elo (-31 to -1).",
        ),
        (
            Ending(step("a", -8, -1, "equal"), step("a", -8, -1, "equal")),
            (False, False),
            "as strong as it began: -4 Elo",
        ),
        (
            Ending(step("a", 2, 40, "up"), step("b", -32, -8, "down")),
            (True, False),
            "stronger than it began: +21 Elo (+2 to +40). It ends weaker than b: -20 Elo (-32 to -8).",
        ),
        (
            Ending(step("a", -30, 40), step("b", -31, 0), step("a", -40, -10), GAP),
            (False, False),
            "neither surely weaker nor stronger than it began: +5 Elo (-30 to +40). In a duel, last against a: -25 Elo "
            "(-40 to -10) on 50 deals. The newest commit, abcdef1, did not play: cannot be built.",
        ),
        (
            Ending(None, step("b", -32, -8, "down")),
            (True, False),
            "with the bot that it began with. It ends weaker than b: -20 Elo (-32 to -8).",
        ),
    ],
)
def test_a_range_ends_weaker_than_the_first_surely_or_than_the_best_by_more_than_is_allowed(ending, weaker, says):
    assert (ending.is_weaker(0), ending.is_weaker(8)) == weaker
    assert " ".join(ending_lines(ending)).startswith(f"The range ends {says}")
