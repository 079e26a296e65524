"""What simulated results say of ladders, tracks and intervals, on few runs of each."""

from statistics import fmean

import pytest

from tests.strength import deals, duels, gates, intervals, pairs, sweeps, track
from tourney.contracts.match import GameSetup


@pytest.mark.parametrize(
    "cell", [("ladder", 8, "equal", 2), ("swiss", 16, "equal", 2), ("swiss", 8, "spread", 4), ("league", 8, "close", 2)]
)
def test_intervals_hold_where_results_decide_who_meets_whom(cell):
    held = [shrunk for _, shrunk in intervals.runs(*cell, 10)]
    assert fmean([each.ratings for each in held]) > 0.92
    assert fmean([each.first for each in held]) > 0.8
    assert fmean([each.places for each in held]) > 0.9
    assert fmean([each.length for each in held]) < fmean([each.by_pairs for each in held])


@pytest.mark.parametrize("form", ["round-robin", "swiss", "league"])
def test_a_helper_is_named_and_bots_that_help_nobody_are_not(form):
    assert sum([each.others > 0 for each in pairs.runs(form, 6, 3, "spread", 12, 0, 10)]) <= 1
    assert sum([each.helper for each in pairs.runs(form, 6, 3, "equal", 30, 200, 5)]) >= 3


@pytest.mark.slow
def test_a_ladder_finds_the_best_of_a_sweep_and_its_final_says_what_that_is_worth():
    found = [sweeps.ladder(6, seed, alike=True, sure=0.8, max_matches=5000) for seed in range(10)]
    assert min(sum([each.right for each in found]), [each.holds for each in found].count(True)) >= 8


@pytest.mark.parametrize("name", ["vole, 2 seats", "leon, 4 seats"])
def test_the_interval_of_a_duel_holds_and_finds_a_difference(name):
    assert min([duels.held(name, 0, deals, 400).holds for deals in (4, 8, 50)]) > 0.91
    assert duels.held(name, 50, 50, 200).found > 0.25


def test_a_track_finds_where_strengths_jump():
    assert track.jumps(track.played([0.0] * 6 + [150.0] * 3, 1, 1000).steps()) == {"bot-6": "up"}


def test_a_track_that_grows_takes_no_verdict_back_and_calls_no_equal_commits():
    verdicts, back = track.taken_back([0.0] * 5 + [-80.0] * 5, 1, 400)
    assert (verdicts > 5, back) == (True, 0)
    *_, equal = track.looks([0.0] * 12, [*range(12)], 1, 200)
    assert track.calls(equal) == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_track_is_not_wrong_about_a_last_commit_that_goes_back(seed):
    last = track.revert(seed, 400, commits=8)
    assert not track.is_wrong(last)
    assert last.said is not None or abs(last.truth) < 200


@pytest.mark.slow
def test_the_strength_after_a_gate_leans_to_neither_side_and_its_interval_holds():
    for elo in (-25.0, 0.0):
        plain, adjusted = gates.estimates("nearly always equal", elo, 80)
        assert abs(adjusted.bias) < abs(plain.bias)
        assert adjusted.error < plain.error
        assert adjusted.holds > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "count"), [(2, 40), (4, 100)])
def test_four_of_five_runs_find_the_difference_that_their_deals_are_said_to_tell(seats, count):
    assert 0.72 < deals.found(GameSetup("other", seats, None), count, 300) < 0.88
