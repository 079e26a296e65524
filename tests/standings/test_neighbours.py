"""Neighbours are decided with the given probability, however often one looks."""

from math import inf, sqrt
from random import Random

import pytest

from tourney.schedule.ladder import MIN_DEALS, Neighbours, neighbours
from tourney.standings.intervals import standard_errors
from tourney.standings.ratings import EloEstimate, Evidence


def test_the_bounds_widen_with_the_probability_and_are_endless_for_few_deals():
    assert [standard_errors(deals, freedom, 0.01) for deals, freedom in ((1, 0), (2, 1), (12, 11))] == [inf] * 3
    for deals in (20, 50, 200, 10_000):
        found = [standard_errors(deals, min(deals, 128) - 1, risk) for risk in (0.2, 0.1, 0.01, 0.001)]
        assert found == sorted(found)
        assert found[2] > 2.9  # 2.58 standard errors are 99 % for who looks once
    assert standard_errors(10_000, 127, 0.01) == pytest.approx(4.04, abs=0.01)


@pytest.mark.slow
def test_the_mean_is_outside_at_any_time_with_at_most_the_given_probability():
    """500 series of 1000 deals each, looked at after every one; a 90 % interval of Student's would miss most means."""
    rng, ever, student = Random(1), 0, 0
    for _ in range(500):
        total = squares = 0.0
        outside = naive = False
        for deals in range(1, 1001):
            score = rng.choice((-1.0, 0.0, 0.0, 1.0))
            total, squares = total + score, squares + score * score
            if deals < MIN_DEALS:
                continue
            error = sqrt((squares - total * total / deals) / (deals - 1) / deals)
            outside |= abs(total / deals) > standard_errors(deals, deals - 1, 0.1) * error
            naive |= abs(total / deals) > 1.66 * error
        ever, student = ever + outside, student + naive
    assert ever <= 50
    assert student > 200


def pair(difference: float, error: float, deals: int = 100, known: float | None = None) -> Neighbours:
    return Neighbours(0, 1, difference, difference if known is None else known, error, deals, deals - 1)


def test_a_pair_is_sure_or_equal_or_undecided():
    width = standard_errors(100, 99, 0.01)
    assert pair(1.01 * width, 1).verdict(0.99, 10) == "sure"
    assert pair(0.99 * width, 1).verdict(0.99, 10) == "equal"
    assert pair(0.99 * width, 1).verdict(0.99, 5) is None
    assert pair(1.01 * width, 1).verdict(0.999, 5) is None
    assert pair(0, 0).verdict(0.9999, 0) == "equal"
    assert pair(0, inf).verdict(0.5, 1000) is None
    assert pair(500, 1, deals=MIN_DEALS - 1).verdict(0.9, 10) is None
    assert pair(500, 1, deals=MIN_DEALS).verdict(0.9, 10) == "sure"
    # hardly a match was lost: the ratings differ by more than what is known
    assert pair(400, 50, known=150).verdict(0.99, 1000) == "equal"
    assert pair(400, 50, known=150).verdict(0.99, 500) is None


def test_the_certainty_of_an_order_is_that_by_which_it_is_decided():
    for sure in (0.9, 0.99, 0.999):
        width = standard_errors(100, 99, round(1 - sure, 6))
        assert pair(1000, 1, known=width).certainty() == pytest.approx(sure, abs=1e-5)
    assert pair(2.0, 1).certainty() < 0.6  # a single look would be 97.6 % sure
    early = pair(500, 1, deals=MIN_DEALS - 1)
    assert [each.certainty() for each in (pair(0, 0), pair(1, 0), early)] == [0.5, 1.0, 0.5]


class Shifted:
    """Ratings of five bots, in which another mathematics library has changed the last digits."""

    bots = (0, 1, 2, 3, 4)

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def _near(self, value: float) -> float:
        return value * (1 + 1e-13 * self._rng.uniform(-1, 1))

    def of(self, bot: int) -> EloEstimate:
        return EloEstimate(self._near((1500.0, 1510.0, 1510.0, 1490.0, 1510.0)[bot]), 0, 0)

    def evidence(self, bot: int, other: int) -> Evidence:
        return Evidence(self._near(10.0), self._near(10 / 3), 99)


def test_no_mathematics_library_changes_a_decision():
    found = [neighbours(Shifted(seed), dict.fromkeys(range(5), 100)) for seed in range(50)]
    assert all(each == found[0] for each in found)
    assert [each.upper for each in found[0]] + [found[0][-1].lower] == [1, 2, 4, 0, 3]
