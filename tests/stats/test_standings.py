"""Points, standings and the cross-table."""

import random
from math import isclose, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.match import Fault, Record
from tourney.stats.points import points
from tourney.stats.standings import CrossTable, Standings


def record(seats, places, faults=()):
    return Record("m", "g", {}, 0, "0", tuple(seats), "", (0,) * len(seats), tuple(places), tuple(faults), "")


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((1, 2, 3), (1, 0.5, 0)),
        ((1, 1, 3), (0.75, 0.75, 0)),
        ((1, 2, 2), (1, 0.25, 0.25)),
        ((1, 1, 1), (0.5, 0.5, 0.5)),
        ((3, 1, 2, 4, 5), (0.5, 1, 0.75, 0.25, 0)),
    ],
)
def test_points_are_evenly_spaced_and_equal_places_share(places, expected):
    assert points(places) == expected


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10))
def test_a_match_always_gives_away_the_same_points(scores):
    places = tuple([1 + sum(other > score for other in scores) for score in scores])
    assert isclose(sum(points(places)), len(scores) / 2)


MATCHES = [
    record(("a", "b"), (1, 2)),
    record(("b", "a"), (1, 2)),
    record(("a", "c"), (1, 1)),
    record(("c", "a"), (2, 1), [Fault(0, "error", 3, None, "")]),
]


def test_standings_count_what_happened():
    standings = Standings(["a", "b", "c"])
    for each in MATCHES:
        standings.add(each)
    rows = {row.bot: row for row in standings.rows()}
    assert (rows["a"].points, rows["a"].wins, rows["a"].draws, rows["a"].losses) == (62.5, 2, 1, 1)
    assert (rows["a"].matches, rows["a"].place, rows["a"].faults) == (4, 1.25, 0)
    assert (rows["c"].points, rows["c"].draws, rows["c"].faults) == (25, 1, 1)
    assert [row.bot for row in standings.rows()] == ["a", "b", "c"]
    assert [row.rank for row in standings.rows()] == [1, 2, 3]


def test_equal_entrants_share_the_rank_and_stand_in_the_order_of_the_file():
    standings = Standings(["x", "b", "a"])
    standings.add(record(("a", "b"), (1, 1)))
    assert [(row.rank, row.bot) for row in standings.rows()] == [(1, "b"), (1, "a"), (3, "x")]
    assert isnan(standings.rows()[2].points)


def test_the_order_and_the_batches_of_the_records_do_not_matter():
    shuffled = MATCHES * 20
    random.Random(1).shuffle(shuffled)
    whole, first, second = [Standings(["a", "b", "c"]) for _ in range(3)]
    for each in MATCHES * 20:
        whole.add(each)
    for i, each in enumerate(shuffled):
        (first if i % 3 else second).add(each)
    first.merge(second)
    assert first.rows() == whole.rows()


def test_the_cross_table_tells_who_came_before_whom():
    cross = CrossTable()
    for each in MATCHES:
        cross.add(each)
    assert cross.percent("a", "b") == 50
    assert cross.percent("a", "c") == 75
    assert cross.percent("c", "a") == 25
    assert isnan(cross.percent("b", "c"))
