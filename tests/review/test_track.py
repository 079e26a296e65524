"""How the commits of a track end, in words, and whether that is weaker."""

import pytest

from tourney.review.track import Ending, ending_lines
from tourney.schedule.track import Change


def step(before, low, high, verdict=None):
    return Change(before, "last", 50, (low + high) / 2, low, high, verdict, False)


@pytest.mark.parametrize(
    ("first", "best", "weaker", "says"),
    [
        (None, None, (False, False), "with the bot that it began with."),
        (step("a", -31, -1, "down"), step("a", -31, -1), (True, True), "weaker than it began: -16 Elo (-31 to -1)."),
        (step("a", -8, 0, "equal"), step("a", -8, 0), (False, False), "as strong as it began: -4 Elo (-8 to +0)."),
        (
            step("a", 2, 40, "up"),
            step("b", -32, -8),
            (True, False),
            "stronger than it began: +21 Elo (+2 to +40). It ends weaker than b: -20 Elo (-32 to -8).",
        ),
        (
            step("a", -30, 40),
            step("b", -31, 0),
            (False, False),
            "neither surely weaker nor stronger than it began: +5 Elo (-30 to +40).",
        ),
    ],
)
def test_a_range_ends_weaker_than_the_first_surely_or_than_the_best_by_more_than_is_allowed(first, best, weaker, says):
    ending = Ending(first, best)
    assert (ending.is_weaker(0), ending.is_weaker(8)) == weaker
    assert " ".join(ending_lines(ending)) == f"The range ends {says}"
