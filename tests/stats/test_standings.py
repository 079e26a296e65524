"""Points, who leads, and the cross-table."""

import random
from fractions import Fraction
from math import isclose, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stats.simulate import counted, record
from tourney.match import Fault
from tourney.stats.cross import cross_table
from tourney.stats.points import points
from tourney.stats.standings import Standings


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
    record(0, "ab", (1, 2)),
    record(1, "ba", (1, 2)),
    record(2, "ac", (1, 1)),
    record(3, "ca", (2, 1), faults=[Fault(0, "error", 3, None, "")]),
]


def test_whoever_leads_stands_first_and_whoever_has_not_played_last():
    standings = Standings(["x", "c", "b", "a"])
    standings.add(MATCHES[:1])
    standings.add(MATCHES[1:])
    rows = standings.rows()
    assert [(row.bot, row.points, row.matches, row.faults) for row in rows[:3]] == [
        ("a", 62.5, 4, 0),
        ("b", 50, 2, 0),
        ("c", 25, 2, 1),
    ]
    assert (rows[3].bot, isnan(rows[3].points), rows[3].matches) == ("x", True, 0)
    assert standings.faults == 1


def test_the_order_and_the_batches_of_the_records_do_not_matter():
    shuffled = MATCHES * 20
    random.Random(1).shuffle(shuffled)
    whole, first, second = [Standings(["a", "b", "c"]) for _ in range(3)]
    whole.add(MATCHES * 20)
    for i, each in enumerate(shuffled):
        (first if i % 3 else second).add([each])
    first.merge(second)
    assert first.rows() == whole.rows()


def cross(records, *weights):
    found = cross_table(counted(records), list(map(Fraction, weights or [1])))
    return {"".join(pair): (its.percent, its.matches) for pair, its in found.items()}


def test_the_cross_table_tells_who_came_before_whom_in_how_many_matches():
    found = cross(MATCHES)
    assert found == {"ab": (50, 2), "ba": (50, 2), "ac": (75, 2), "ca": (25, 2)}
    assert cross([record(0, "abc", (1, 1, 3))]) == {
        "ab": (50, 1),
        "ba": (50, 1),
        "ac": (100, 1),
        "ca": (0, 1),
        "bc": (100, 1),
        "cb": (0, 1),
    }


def test_in_the_cross_table_games_weigh_what_the_file_says_and_only_where_two_met():
    played = [record(i, "ab", (1, 2)) for i in range(30)] + [record(50, "ab", (2, 1), game="h")]
    played.append(record(51, "bc", (1, 2), game="h"))
    assert cross(played, 1, 1) == {"ab": (50, 31), "ba": (50, 31), "bc": (100, 1), "cb": (0, 1)}
    assert cross(played, 3, 1)["ab"] == (75, 31)
