"""Cycles: bots that beat each other in turn, each beyond the error bar."""

from collections.abc import Mapping
from itertools import pairwise

import networkx
from hypothesis import given
from hypothesis import strategies as st

from tourney.standings.crosstable import HeadToHead, cycles

NAMES = "abcdefgh"


def score(percent: float, half: float | None) -> HeadToHead:
    """A score with its interval; without a width, the interval is unknown."""
    ends = (None, None) if half is None else (percent - half, percent + half)
    return HeadToHead(percent=percent, low=ends[0], high=ends[1], matches=10)


def table(*wins: str, half: float | None = 10) -> dict[tuple[str, str], HeadToHead]:
    """The cross-table in which the first of each two letters scores 70 % against the second."""
    found = {}
    for one, other in wins:
        found[one, other], found[other, one] = score(70, half), score(30, half)
    return found


def found(order: str, pairs: Mapping[tuple[str, str], HeadToHead]) -> list[tuple[str, str]]:
    return [("".join(cycle.bots), "".join(cycle.shortest)) for cycle in cycles(order, pairs)]


def test_three_that_beat_each_other_round_about_are_a_cycle_only_beyond_the_error_bars():
    assert found("abc", table("ab", "bc", "ca")) == [("abc", "abc")]
    assert found("cba", table("ab", "bc", "ca")) == [("cba", "cab")]
    assert found("abc", table("ab", "bc", "ac")) == []
    for half in (20, None):
        assert found("abc", table("ab", "bc", "ca", half=half)) == []
        assert found("abc", table("ab", "bc") | table("ca", half=half)) == []
    assert found("abc", {}) == []


@given(
    st.lists(st.sampled_from([one + other for one in NAMES for other in NAMES if one < other]), unique=True), st.data()
)
def test_cycles_are_the_strongly_connected_components_and_a_shortest_is_as_short_as_there_is(pairs, data):
    wins = [pair if data.draw(st.booleans()) else pair[::-1] for pair in pairs]
    graph = networkx.DiGraph(list(map(tuple, wins)))
    graph.add_nodes_from(NAMES)
    expected = {frozenset(bots) for bots in networkx.strongly_connected_components(graph) if len(bots) > 1}
    listed = cycles(NAMES, table(*wins))
    assert {frozenset(cycle.bots) for cycle in listed} == expected
    for cycle in listed:
        assert all(graph.has_edge(*pair) for pair in pairwise([*cycle.shortest, cycle.shortest[0]]))
        assert len(cycle.shortest) == min(len(each) for each in networkx.simple_cycles(graph.subgraph(cycle.bots)))
