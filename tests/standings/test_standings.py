"""Points of matches, shares of points, and the cross-table."""

from fractions import Fraction

import pytest

from tests.standings.simulate import add, counted, record
from tourney.contracts.match import Fault, GameSetup
from tourney.standings.counts import OutcomeCounts
from tourney.standings.crosstable import cross_table
from tourney.standings.points import points


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


MATCHES = [
    record(0, "ab", (1, 2)),
    record(1, "ba", (1, 2)),
    record(2, "ac", (1, 1)),
    record(3, "ca", (2, 1), faults=[Fault(0, "error", 3, None, "")]),
]


def test_shares_of_points_are_known_during_a_run_for_entrants_that_have_played():
    counts = OutcomeCounts(["x", "c", "b", "a"], [GameSetup("g", 2, {})])
    assert counts.shares() == {}
    for match in MATCHES:
        add(counts, match)
    assert counts.shares() == {"c": 0.25, "b": 0.5, "a": 0.625}
    add(counts, record(4, "cbx", (1, 1, 3)))
    assert counts.shares() == {"x": 0, "c": pytest.approx(1.25 / 3), "b": pytest.approx(1.75 / 3), "a": 0.625}


def cross(records, *weights):
    found = cross_table(counted(records), list(map(Fraction, weights or [1])))
    return {"".join(pair): (its.percent, its.matches) for pair, its in found.items()}


def test_the_cross_table_says_how_often_each_came_before_each_other_and_in_how_many_matches():
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


def test_the_cross_table_weighs_games_by_the_file_and_counts_only_those_in_which_two_met():
    played = [record(i, "ab", (1, 2)) for i in range(30)] + [record(50, "ab", (2, 1), game="h")]
    played.append(record(51, "bc", (1, 2), game="h"))
    assert cross(played, 1, 1) == {"ab": (50, 31), "ba": (50, 31), "bc": (100, 1), "cb": (0, 1)}
    assert cross(played, 3, 1)["ab"] == (75, 31)
