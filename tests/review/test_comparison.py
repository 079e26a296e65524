"""Two bots compared on the same deals: the formulas, the gate's figures, rows that add up, from Python."""

from math import ceil, log10, sqrt

import numpy as np
import pytest
from scipy import stats

import tourney
from tests.conftest import ROOT
from tourney.journal.run import RunFolder
from tourney.review.comparison import compare_run
from tourney.standings.duel import Duel, false_discovery_rates

NOISY = {"name": "noisy", "use": f"{ROOT}/tests/standings/coverage_bots.py:Mixture", "options": {"share": 0.9}}
VOLEUR = {"name": "voleur", "seats": 3, "weight": 3}
SHORT = {"name": "vole", "options": {"target": 6}}


@pytest.mark.parametrize("met", [True, False])
def test_a_lead_is_that_of_the_paired_t_test(met):
    ones, others = np.array([1, 0.5, 0.75, 1, 0, 0.5] * 3), np.array([0, 0.5, 0.5, 0.25, 0.5, 0.75] * 3)
    found, leads = Duel.of(zip(ones, others, strict=True), met=met), ones - others
    lead = leads.mean()
    error = sqrt(((leads - lead) ** 2).sum() / 17 / 18)
    assert found.p_value == pytest.approx(stats.ttest_rel(ones, others).pvalue, abs=1e-6)
    widths = (stats.t.ppf(0.975, 17) + stats.norm.ppf(0.8)) * error / lead
    assert found.more_deals == ceil(18 * (widths**2 - 1))
    score = 0.5 if met else (ones.sum() + others.sum() + 2) / 40
    odds = 400 * log10(score / (1 - score))  # of two that meet each other, one is its whole lead above an even score
    for elo, end in zip(found.interval(), lead + stats.t.ppf(0.975, 17) * error * np.array([0, -1, 1]), strict=True):
        high, low = [1 / (1 + 10 ** (-(odds + off) / 400)) for off in ((elo, -elo) if met else (elo / 2, -elo / 2))]
        assert high - low == pytest.approx(end, abs=1e-5)
    assert Duel.of([(1.0, 0.0)] * 30).more_deals == 0


@pytest.mark.parametrize("lead", [0.0, 0.4, 1.0])
def test_deals_that_all_agree_are_no_surer_than_a_quarter_of_half_a_deal_each_way(lead):
    found, error = Duel.of([(lead, 0.0)] * 10, met=True), sqrt(((1 - lead) ** 2 + (1 + lead) ** 2) / 8 / 9 / 10)
    assert (found.error, found.cautious_error) == (pytest.approx(error), pytest.approx(2 * error))
    assert Duel.of([(0.5, 0.5)] * 10, same_bot=True).error == 0


@pytest.mark.parametrize("p_values", [[0.03, 0.001, 0.04, 0.9, 0.04], [0.02, 0.01], [1.0, 0.0, 1.0], []])
def test_rows_are_adjusted_as_benjamini_and_hochberg_do(p_values):
    expected = stats.false_discovery_control(p_values, method="bh") if p_values else []
    assert false_discovery_rates(p_values) == pytest.approx(list(expected))


@pytest.mark.parametrize("field", [(), ("random", "first")])
def test_the_figures_are_those_of_a_gate_on_the_same_deals_and_its_run_says_the_same(field, tmp_path):
    keys = {"games": [SHORT, VOLEUR], "field": field, "seed": 5}
    gate = tourney.gate(NOISY, against="steady", max_deals=12, elo0=-2, elo1=2, out=tmp_path / "gate", **keys)
    found = tourney.compare(NOISY, "steady", deals=12, **keys)
    assert (gate.deals, gate.matches) == (found.deals, found.matches) == (12, 12 * (4 + 6 if field else 4))
    assert tourney.load(gate.run.path).compare("noisy", "steady").to_dict() == found.to_dict()
    for name, estimate in zip(("vole", "voleur"), gate.details["games"], strict=True):
        rows = [row for row in found.rows if row.game == name]
        assert estimate["elo"] == pytest.approx(rows[0].elo, abs=0.06)
        if (seats := [row.lead_percent for row in rows if row.seat is not None]) or field:
            assert sum(seats) / rows[0].seats == pytest.approx(rows[0].lead_percent, abs=0.01)
        if not field:
            parts = [row.deals * row.lead_percent for row in rows if row.phase is not None]
            assert sum(parts) / 12 == pytest.approx(rows[0].lead_percent, abs=0.01)


def test_a_phase_is_that_of_the_first_decision_at_which_the_two_matches_differ(tmp_path):
    found = tourney.compare(NOISY, "steady", games=[VOLEUR], deals=20, out=tmp_path / "run", workers=1)
    run, phases = tourney.load(tmp_path / "run"), []
    for deal in range(20):
        one, other = [list(run.replay(f"voleur-{deal:05d}-{side}").decisions()) for side in (0, 1)]
        parts = [a.view.phase for a, b in zip(one, other, strict=False) if a.choice != b.choice]
        phases.append(parts[0] if parts else "same")
    assert {row.phase: row.deals for row in found.rows if row.phase} == {name: phases.count(name) for name in phases}


def test_bots_of_a_tournament_are_compared_among_the_others_where_there_are_others(finished, write, played):
    for pair in compare_run(RunFolder(finished), "random", "steady").worst(99):
        one, other = [match.record for match in map(tourney.load(finished).replay, (pair.match, pair.other_match))]
        assert (one.seed, one.seats[pair.seat], other.seats[pair.seat]) == (other.seed, "random", "steady")
        assert one.seats[1 - pair.seat] == other.seats[1 - pair.seat] == "first"
        assert pair.margin == one.scores[pair.seat] - other.scores[pair.seat]
    two = tourney.load(played(write("two", bots='["random", "steady"]'), "two"))
    score = two.standings().of("random").points_percent
    assert two.compare("random", "steady").rows[0].lead_percent == pytest.approx(2 * score - 100)
    with pytest.raises(tourney.RunError, match="never had the same seat"):
        two.compare("random", "random")


@pytest.mark.parametrize("out", [True, False])
def test_a_comparison_is_stopped_after_a_batch_of_deals(out, tmp_path):
    seen: list[int] = []
    keys = {"games": [SHORT], "out": tmp_path / "run"} if out else {"games": [SHORT]}

    def stop(so_far: tourney.Comparison) -> bool:
        seen.append(so_far.deals)
        return so_far.deals == 20

    found = tourney.compare("random", "first", deals=30, stop=stop, **keys)
    assert (found.stopped, found.deals, seen) == (True, 20, [10, 20])
    fixed = tourney.compare("random", "first", games=[SHORT], deals=20)
    assert [row.lead_percent for row in found.rows] == [row.lead_percent for row in fixed.rows]
    # the interval holds however often it is looked at
    assert (found.elo, found.low < fixed.low < fixed.high < found.high, found.p > fixed.p) == (fixed.elo, True, True)
    assert " (95 % at all times: " in str(found)
    more = {"resume": True, "stop": lambda _: False} if out else {"workers": 2}
    whole = tourney.compare("random", "first", deals=30, **keys, **more)
    fixed = tourney.compare("random", "first", games=[SHORT], deals=30)
    assert (whole.deals, whole.elo, whole.worst()) == (30, fixed.elo, fixed.worst())
    assert (whole.low < fixed.low, fixed.high < whole.high) == (out, out)
    with pytest.raises(tourney.ConfigError, match="require out"):
        tourney.compare("random", "first", games=["vole"], resume=True)
