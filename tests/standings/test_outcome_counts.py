import tracemalloc

import pytest

from tourney.contracts.match import Block, GameSetup
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

SETUP = GameSetup("g", 2, {})
SEATINGS = (("a", "b"), ("b", "a"))
ENDINGS = [MatchResult((3, 1), (1, 2), ()), MatchResult((1, 1), (1, 1), ())]


def add(counts: OutcomeCounts, first: int, blocks: int) -> None:
    for number in range(first, first + blocks):
        counts.add(Block(number, SETUP, number, SEATINGS), ENDINGS)


@pytest.mark.slow
def test_memory_grows_with_different_outcomes_and_not_with_matches():
    counts = OutcomeCounts("ab", [SETUP])
    tracemalloc.start()
    try:
        add(counts, 0, 40_000)
        before = tracemalloc.get_traced_memory()[0]
        add(counts, 40_000, 40_000)
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
    add(one, 0, 3000)
    for number in reversed(range(3000)):
        add(other, number, 1)
    assert one.batches() == other.batches()
