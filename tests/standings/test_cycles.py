"""Cycles: bots that beat each other in turn, each beyond the error bar."""

import sys
from collections.abc import Mapping
from itertools import pairwise

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.standings.crosstable import HeadToHead, cycles, is_off_even

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


def test_a_score_is_off_even_where_its_interval_does_not_hold_fifty_percent():
    assert is_off_even(score(70, 19.9))
    assert is_off_even(score(30, 19.9))
    assert not is_off_even(score(70, 20))
    assert not is_off_even(score(70, None))
    assert not is_off_even(score(50, 0))
    assert is_off_even(score(70, 0))


def test_three_that_beat_each_other_round_about_are_a_cycle_only_beyond_the_error_bars():
    assert found("abc", table("ab", "bc", "ca")) == [("abc", "abc")]
    assert found("cba", table("ab", "bc", "ca")) == [("cba", "cab")]
    assert found("abc", table("ab", "bc", "ac")) == []
    for half in (20, None):
        assert found("abc", table("ab", "bc", "ca", half=half)) == []
        assert found("abc", table("ab", "bc") | table("ca", half=half)) == []
    assert found("abc", {}) == []


def test_a_longer_cycle_is_found_and_of_several_through_each_other_the_shortest():
    assert found("abcde", table("ab", "bc", "cd", "de", "ea")) == [("abcde", "abcde")]
    assert found("abcde", table("ab", "bc", "cd", "de", "ea", "ca")) == [("abcde", "abc")]
    assert found("abcde", table("ab", "bc", "cd", "de", "ea", "ec")) == [("abcde", "cde")]


def test_cycles_apart_from_each_other_come_in_the_order_of_the_bots():
    pairs = table("fg", "gh", "hf", "ab", "bc", "ca", "ad", "dg")
    assert found("abcdefgh", pairs) == [("abc", "abc"), ("fgh", "fgh")]
    assert found("hgfedcba", pairs) == [("hgf", "hfg"), ("cba", "cab")]


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
        within = graph.subgraph(cycle.bots)
        assert len(cycle.shortest) == min(len(each) for each in networkx.simple_cycles(within))


@pytest.mark.slow
def test_a_long_chain_of_wins_is_followed_without_recursion():
    order = [f"bot-{i}" for i in range(sys.getrecursionlimit() + 100)]
    pairs = {}
    for one, other in pairwise([*order, order[0]]):
        pairs[one, other], pairs[other, one] = score(70, 10), score(30, 10)
    (cycle,) = cycles(order, pairs)
    assert cycle.bots == cycle.shortest == tuple(order)
