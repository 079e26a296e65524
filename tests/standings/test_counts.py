"""What is counted of matches: points, shares of points, and outcomes in batches of deals."""

import tracemalloc

import pytest

from tests.standings.simulate import add, record
from tourney.contracts.match import Block, GameSetup
from tourney.standings.counts import MAX_BATCHES, DealBatches, OutcomeCounts
from tourney.standings.results import MatchResult


def test_shares_of_points_are_known_during_a_run_for_entrants_that_have_played():
    counts = OutcomeCounts(["x", "c", "b", "a"], [GameSetup("g", 2, {})])
    assert counts.shares() == {}
    for number, (seats, places) in enumerate((("ab", (1, 2)), ("ba", (1, 2)), ("ac", (1, 1)), ("ca", (2, 1)))):
        add(counts, record(number, seats, places))
    assert counts.shares() == {"c": 0.25, "b": 0.5, "a": 0.625}
    add(counts, record(4, "cbx", (1, 1, 3)))
    assert counts.shares() == {"x": 0, "c": pytest.approx(1.25 / 3), "b": pytest.approx(1.75 / 3), "a": 0.625}


SETUP = GameSetup("g", 2, {})
SEATINGS = (("a", "b"), ("b", "a"))
ENDINGS = [MatchResult((3, 1), (1, 2), ()), MatchResult((1, 1), (1, 1), ())]


def add_blocks(counts: OutcomeCounts, first: int, blocks: int) -> None:
    for number in range(first, first + blocks):
        counts.add(Block(number, SETUP, number, SEATINGS), ENDINGS)


@pytest.mark.slow
def test_memory_grows_with_different_outcomes_and_not_with_matches():
    counts = OutcomeCounts("ab", [SETUP])
    tracemalloc.start()
    try:
        add_blocks(counts, 0, 40_000)
        before = tracemalloc.get_traced_memory()[0]
        add_blocks(counts, 40_000, 40_000)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 160_000, "bytes; a number for each match would be 640,000"
    (batches,) = counts.batches()
    assert len(batches) > 500
    assert sum([sum(batch.values()) for batch in batches]) == 160_000
    assert counts.scores == [{"a": 80_000 * 4, "b": 80_000 * 2}]


def test_folding_deals_into_batches_loses_no_match():
    one, other = OutcomeCounts("ab", [SETUP]), OutcomeCounts("ab", [SETUP])
    add_blocks(one, 0, 3000)
    for counts in (one, other):
        counts.add(Block(3000, SETUP, 3000, SEATINGS), ENDINGS[:1])  # of which only the first match was played
    for number in reversed(range(3000)):
        add_blocks(other, number, 1)
    assert one.batches() == other.batches()
    assert sum([sum(batch.values()) for batch in one.batches()[0]]) == 6001


@pytest.mark.parametrize("step", [1, 4096])
def test_blocks_stay_whole_and_batches_stay_few_however_many_blocks_there_are(step):
    found = DealBatches(set, set.update)
    for block in range(0, 3 * MAX_BATCHES * step, step):
        for match in range(2):
            found.of(block).add((block, match))
    assert MAX_BATCHES / 4 < len(found) <= MAX_BATCHES
    assert sum(map(len, found)) == 6 * MAX_BATCHES
    assert all([{(block, 1 - match) for block, match in batch} == batch for batch in found])
