"""The sequential test gives no more wrong verdicts on simulated deals than its risks allow."""

from math import inf, isfinite, log, sqrt

import pytest

from tests.standings.gating import DEALS, WINDOWS, can_be, disasters, simulate, tilted
from tourney.standings.duel import Duel, elo_of_score, expected_score
from tourney.standings.gate import Settings

RUNS = 120
"""How many gates are simulated in each case."""
TRIED = [name for name in DEALS if name not in ("voleur, 4 seats", "leon, 4 seats")]
"""Every game once, and what no game has."""
FEW_DEALS = ("vole, 2 seats", "cold-blooded, 6 seats", "equal but for rare disasters")
TEST = Settings(-25, 0, 0.05, 0.05)


def at_most(risk: float, runs: int) -> float:
    """Returns the most wrong verdicts, with three standard errors, of a test that keeps its risk."""
    return runs * risk + 3 * sqrt(runs * risk * (1 - risk))


def duel_of(*scores: float, same_bot: bool = False) -> Duel:
    return Duel.of([(score, 1 - score) for score in scores], same_bot, met=True)


def llr(duel: Duel, score0: float, score1: float) -> float:
    return Settings(elo_of_score(score0), elo_of_score(score1), 0.05, 0.05).llr(duel)


def interval(duel: Duel) -> tuple[float, float]:
    found = duel.estimate
    return expected_score(found.low), expected_score(found.high)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "name"),
    [*[(WINDOWS[0], name) for name in TRIED], *[(test, name) for test in WINDOWS[1:] for name in FEW_DEALS]],
    ids=str,
)
def test_wrong_verdicts_are_no_more_frequent_than_the_risks(test, name):
    for elo, wrong, risk in ((test.elo0, "passed", test.alpha), (test.elo1, "failed", test.beta)):
        if can_be(DEALS[name], elo):
            ends = simulate(test, tilted(DEALS[name], elo), RUNS)
            assert getattr(ends, wrong) <= at_most(risk, RUNS)
            assert ends.passed + ends.failed == RUNS


@pytest.mark.slow
@pytest.mark.parametrize(("test", "deals"), [pytest.param(*case, id=name) for name, *case in disasters(TRIED)])
def test_a_bot_that_loses_some_deals_wholly_passes_no_more_often_than_the_risk(test, deals):
    assert simulate(test, deals, RUNS).passed <= at_most(test.alpha, RUNS)


def test_a_few_gates_end_as_they_should():
    test, deals = Settings(-100, 0, 0.05, 0.05), DEALS["vole, 2 seats"]
    passed = {elo: simulate(test, tilted(deals, elo), 100).passed for elo in (-200, -100, 0, 100)}
    assert passed[-200] <= 1
    assert passed[-100] <= at_most(0.05, 100)
    assert passed[0] >= 100 - at_most(0.05, 100)
    assert passed[100] >= 99


def test_with_wins_and_losses_alone_the_ratio_is_that_of_the_binomial_distribution():
    """There is one distribution of two scores with a given mean; half a win and half a loss are added."""
    expected = 7.5 * log(0.4 / 0.3) + 4.5 * log(0.6 / 0.7)
    assert llr(duel_of(*[1.0] * 7, *[0.0] * 4), 0.3, 0.4) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("wins", "draws", "losses"), [(3, 10, 5), (0, 40, 0), (1, 0, 0), (0, 3, 200), (1, 500, 0)])
def test_with_three_scores_no_distribution_of_either_mean_is_likelier(wins, draws, losses):
    """Compared with the best of all distributions (p, 1 - p - q, q) with the mean, on a fine grid."""

    def greatest(mean):
        found = -inf
        for i in range(1, 40000):
            won = i / 40000
            drawn = 2 * (mean - won)
            lost = 1 - won - drawn
            if drawn > 0 and lost > 0:
                found = max(found, (wins + 0.5) * log(won) + draws * log(drawn) + (losses + 0.5) * log(lost))
        return found

    duel = duel_of(*[1.0] * wins, *[0.5] * draws, *[0.0] * losses)
    assert llr(duel, 0.46, 0.5) == pytest.approx(greatest(0.5) - greatest(0.46), abs=1e-2)


@pytest.mark.parametrize("scores", [[0.0] * 300, [1.0] * 300, [0.47] * 300, [0.0, 1.0], [0.999] * 5000, [1 / 3] * 3])
def test_one_sided_units_have_a_finite_ratio(scores):
    duel = duel_of(*scores)
    assert isfinite(llr(duel, 0.05, 0.95))
    assert (llr(duel, 0.464, 0.5) > 0) == (duel.score > 0.482)


def test_equal_units_decide_only_when_a_rare_disaster_would_have_shown():
    duel = Duel(met=True)
    while TEST.llr(duel) < TEST.high:
        duel.add(0.5, 0.5)
    rate = (0.5 - expected_score(TEST.elo0)) / 0.5  # of deals lost wholly, which is 25 Elo
    assert (1 - rate) ** duel.deals < TEST.alpha
    assert duel.deals < 80


def test_the_interval_of_a_mean_is_students_and_nothing_is_decided_before_the_first_unit():
    assert (llr(Duel(), 0.4, 0.5), Duel().score) == (0, 0.5)
    assert duel_of(0.25).estimate.low is Duel().estimate.high is None
    low, high = interval(duel_of(*[0.25, 0.5, 0.5, 0.75] * 4))
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * 2.13145 * sqrt(0.5 / 15 / 16))


def test_only_the_interval_of_the_same_bot_has_no_width_where_all_units_were_alike():
    same = duel_of(0.5, 0.5, same_bot=True)
    assert (same.lead, same.error, same.estimate.is_exact) == (0, 0, True)
    same.add(1.0, 0.0)
    assert same.estimate == duel_of(0.5, 0.5, 1.0).estimate
    low, high = interval(duel_of(*[0.5] * 10))
    assert (low, high) == pytest.approx((0.5 - 0.0596, 0.5 + 0.0596), abs=1e-3)  # a quarter of a deal each way
    low, high = interval(duel_of(*[0.0] * 10))
    assert low < 0.01
    assert 0.05 < high < 0.1


def test_strengths_and_expected_scores_are_inverse_to_each_other():
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of_score(expected_score(-137)) == pytest.approx(-137)
