"""The sequential test gives no more wrong verdicts on simulated deals than its risks allow."""

from math import log, sqrt

import pytest

from tests.stats.gating import DEALS, WINDOWS, can_be, simulate
from tourney.stats.sprt import Hypotheses, ScoreSample, elo_of_score, expected_score

RUNS = 1000
TEST = Hypotheses(-25, 0, 0.05, 0.05)


def at_most(risk: float, runs: int) -> float:
    """Returns the most wrong verdicts, with three standard errors, of a test that keeps its risk."""
    return runs * risk + 3 * sqrt(runs * risk * (1 - risk))


def sample_of(*scores: float) -> ScoreSample:
    sample = ScoreSample()
    for score in scores:
        sample.add(score)
    return sample


@pytest.mark.slow
@pytest.mark.parametrize("name", DEALS)
@pytest.mark.parametrize("test", WINDOWS, ids=str)
def test_wrong_verdicts_are_no_more_frequent_than_the_risks(test, name):
    if can_be(DEALS[name], test.elo0):
        ends = simulate(test, DEALS[name], test.elo0, RUNS)
        assert ends.passed <= at_most(test.alpha, RUNS)
        assert ends.passed + ends.failed == RUNS
    if can_be(DEALS[name], test.elo1):
        ends = simulate(test, DEALS[name], test.elo1, RUNS)
        assert ends.failed <= at_most(test.beta, RUNS)
        assert ends.passed + ends.failed == RUNS


def test_a_few_gates_end_as_they_should():
    test = Hypotheses(-100, 0, 0.05, 0.05)
    deals = DEALS["vole, 2 seats"]
    assert simulate(test, deals, -100, 100).passed <= at_most(0.05, 100)
    assert simulate(test, deals, 0, 100).failed <= at_most(0.05, 100)
    assert simulate(test, deals, -200, 100).failed >= 99
    assert simulate(test, deals, 100, 100).passed >= 99


def test_strengths_outside_the_window_take_fewer_deals_than_those_in_the_middle():
    deals = DEALS["voleur, 3 seats"]
    middle = simulate(Hypotheses(-60, 0, 0.05, 0.05), deals, -30, 50).deals
    assert simulate(Hypotheses(-60, 0, 0.05, 0.05), deals, -150, 50).deals < middle
    assert simulate(Hypotheses(-60, 0, 0.05, 0.05), deals, 60, 50).deals < middle


def test_the_ratio_is_that_of_the_squares_about_the_two_means():
    """For many units it is n/2 log of the mean squares about either mean (LLR_alt of fishtest's LLRcalc)."""
    scores = [0.0, 0.5, 0.5, 1.0, 0.5, 0.25] * 2000
    about = [sum([(score - mean) ** 2 for score in scores]) / len(scores) for mean in (0.45, 0.5)]
    assert sample_of(*scores).llr(0.45, 0.5) == pytest.approx(len(scores) / 2 * log(about[0] / about[1]), rel=2e-3)


def test_the_order_of_the_units_does_not_matter():
    scores = [0.0, 1.0, 0.5, 0.25, 0.75, 0.5]
    assert sample_of(*scores).llr(0.4, 0.5) == pytest.approx(sample_of(*reversed(scores)).llr(0.4, 0.5))


def test_reversed_scores_reverse_the_ratio():
    scores = [0.0, 1.0, 0.5, 0.25, 0.5]
    turned = [1 - score for score in scores]
    assert sample_of(*scores).llr(0.4, 0.5) == pytest.approx(-sample_of(*turned).llr(0.5, 0.6))


def test_equal_units_decide_only_when_a_rare_disaster_would_have_shown():
    sample = ScoreSample()
    while sample.llr(expected_score(TEST.elo0), expected_score(TEST.elo1)) < TEST.high:
        sample.add(0.5)
    rate = (0.5 - expected_score(TEST.elo0)) / 0.5  # of deals lost wholly, which is 25 Elo
    assert (1 - rate) ** sample.count < TEST.alpha
    assert sample.count < 80


def test_nothing_is_decided_before_the_first_unit():
    assert ScoreSample().llr(0.4, 0.5) == 0
    assert ScoreSample().interval() == (0, 1)


def test_the_bounds_are_walds():
    test = Hypotheses(0, 10, 0.05, 0.1)
    assert (test.low, test.high) == (log(0.1 / 0.95), log(0.9 / 0.05))


def test_strengths_and_expected_scores_are_inverse_to_each_other():
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of_score(expected_score(-137)) == pytest.approx(-137)
