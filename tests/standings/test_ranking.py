"""The standings: what is counted, how entrants are ranked, and how the tables are printed."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from msgspec.structs import replace

from tests.standings.simulate import add, record, tournament
from tourney.config import Entrant, Tournament
from tourney.contracts.match import Fault, GameSetup
from tourney.standings.counts import OutcomeCounts
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import TIEBREAKS, ranking, seat_points
from tourney.standings.tables import standings_sheet

POINTS = TIEBREAKS["points"]


def ranked(records, by=POINTS, own=(), names=None, games=("g",), weights=(), anchor=None, seats=2, last=(), **keys):
    """Returns the ranking of records, and their counts."""
    records = list(records)
    names = names or sorted({name for each in records for name in each.seats})
    setups = tuple([GameSetup(game, seats, {}) for game in games])
    entrants = tuple([Entrant(name, "random", {}) for name in names])
    whole = Tournament(
        name="t", seed=1, entrants=entrants, setups=setups, match_s=120, folder=".", weights=weights, anchor=anchor
    )
    counts = OutcomeCounts(names, setups, keys.pop("most", 1024))
    for each in records:
        add(counts, each)
    return ranking(whole, counts, by, own, last=last, **keys), counts


def order(records, *by, **keys):
    return [(row.rank, row.bot) for row in ranked(records, by or POINTS, **keys)[0].rows]


def test_some_rank_below_all_others_whatever_the_criterion():
    records = [record(0, "ab", (1, 2)), record(1, "bc", (1, 2)), record(2, "ac", (1, 2))]
    for by in TIEBREAKS.values():
        found, _ = ranked(records, by, last={"a", "c"})
        assert [(row.rank, row.bot) for row in found.rows] == [(1, "b"), (2, "a"), (3, "c")]
        assert "Disqualified, and ranked below all others: a, c." in standings_sheet(found, []).text("table")


FAULT = Fault(0, "error", 3, None, "")
MATCHES = [
    record(0, "ab", (1, 2), scores=(7, 3)),
    record(1, "ba", (1, 2), scores=(5, 1)),
    record(2, "ac", (1, 1), scores=(4, 4)),
    record(3, "ca", (2, 1), scores=(-6, 2), faults=[FAULT]),
]


def test_equal_entrants_share_a_rank_in_the_order_of_the_file_and_those_that_have_not_played_come_last():
    found, _ = ranked([record(0, "ab", (1, 1)), record(1, "ba", (1, 1))], names=["x", "b", "a", "w"])
    assert [(row.rank, row.bot) for row in found.rows] == [(1, "b"), (1, "a"), (3, "x"), (3, "w")]
    idle = found.rows[2]
    assert {
        getattr(idle, name) for name in ("rating", "rating_low", "points_percent", "won", "mean_place", "mean_score")
    } == {None}
    assert (idle.matches, idle.faults) == (0, 0)
    assert standings_sheet(found, []).text("table").splitlines()[6].split() == ["3", "x", "0", "0"]


TIED = [
    *[record(i, "ab", (1, 1), scores=(5, 1)) for i in range(2)],
    record(2, "bc", (1, 2), scores=(9, 0)),
    record(3, "bc", (2, 1), scores=(0, 1)),
    record(4, "ca", (1, 1), scores=(1, 8)),
    record(5, "ac", (1, 1), scores=(8, 1)),
]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("points", [(1, "b"), (1, "c"), (3, "a")]),  # all have half the points; b and c have won one match of four
        ("won", [(1, "b"), (1, "c"), (3, "a")]),
        ("rating", [(1, "a"), (1, "b"), (1, "c")]),
        ("score", [(1, "a"), (2, "b"), (3, "c")]),
        ("place", [(1, "a"), (2, "b"), (2, "c")]),
    ],
)
def test_each_criterion_ranks_with_its_tie_break(by, expected):
    assert order(TIED, *TIEBREAKS[by]) == expected


def test_the_criteria_of_a_format_come_first_and_an_unknown_value_ranks_below_any_number():
    cup = Tiebreak(
        "reached",
        "reached",
        "round reached",
        {"a": Fraction(0), "b": Fraction(2), "c": Fraction(0)},
        {"a": "round 1", "b": "winner", "c": "round 1"},
    )
    last = Tiebreak(
        "last_meeting_percent", "", "points % of the last meeting", {"a": Fraction(1, 3), "b": None, "c": Fraction(-1)}
    )
    found, _ = ranked(MATCHES, (cup, last, "points"), (cup, last))
    assert [(row.rank, row.bot, row.reached, row.last_meeting_percent) for row in found.rows] == [
        (1, "b", "winner", None),
        (2, "a", "round 1", 33.3333),
        (3, "c", "round 1", -100),
    ]
    _, _, *printed = standings_sheet(found, []).text("table").splitlines()  # below the line on the first
    assert printed[0].split()[:4] == ["#", "place", "bot", "reached"]
    assert printed[6] == "b won the cup. Ranked by round reached; ties broken by points % of the last"
    none = Tiebreak("round_score", "rounds", "score", {"a": None, "b": Fraction(-3), "c": None})
    assert order(MATCHES, none, "points") == [(1, "b"), (2, "a"), (3, "c")]


def test_other_seats_or_options_make_another_game_but_a_smaller_table_does_not():
    setups = (GameSetup("g", 4, {}), GameSetup("g", 2, {}), GameSetup("g", 4, {"x": 1}))
    counts = OutcomeCounts("abcd", setups)
    for seats, options, times in (("abcd", {}, 1), ("ab", {}, 2), ("abcd", {"x": 1}, 3), ("abc", {"x": 1}, 5)):
        for i in range(times):
            each = record(i, seats, range(1, len(seats) + 1))
            add(counts, replace(each, options=options))
    assert [sum(sum(part.values()) for part in parts) for parts in counts.batches()] == [1, 2, 8]
    two = OutcomeCounts("ab", (GameSetup("g", 2, {}), GameSetup("g", 2, {"x": 1})))
    add(two, replace(record(0, "ab", (1, 2)), options={"x": 1}))
    assert [sum(map(len, parts)) for parts in two.batches()] == [0, 1]
    assert {row.game for row in seat_points(two)} == {"g, 2 seats, x 1"}
    assert [(row.game, row.seats) for row in seat_points(counts) if row.seat == 0] == [
        ("g, 4 seats", 4),
        ("g, 2 seats", 2),
        ("g, 4 seats, x 1", 3),
        ("g, 4 seats, x 1", 4),
    ]


@pytest.mark.parametrize(("limit", "shrinks"), [(40, False), (1000, False), (1000, True)])
def test_the_order_of_the_records_does_not_change_a_digit_of_anything(limit, shrinks):
    played = list(tournament({"a": 0.9, "b": 0.4, "c": 0.0, "d": -0.3, "e": -1.0}, 4, 60, seed=4, repeated=0.5))
    played += [record(1000 + i, "ab", (1, 1 + i % 2), game="h", scores=(i, -i)) for i in range(40)]
    shuffled = list(played)
    Random(1).shuffle(shuffled)
    printed = []
    for records in (played, shuffled, played[::-1]):
        found, counts = ranked(records, games=("g", "h"), weights=(2.0, 1.0), seats=4, shrinks=shrinks, most=limit)
        assert [sum(map(Counter.total, parts)) for parts in counts.batches()] == [240, 40]
        assert len(counts.batches()[0]) in ([100] if limit == 1000 else range(20, 41))
        printed.append(
            [standings_sheet(found, seat_points(counts)).text(form) for form in ("table", "markdown", "csv", "json")]
        )
    assert printed[0] == printed[1] == printed[2]


def test_entrants_that_never_met_are_said_to_be_in_parts():
    apart = [record(deal, seats, (1, 2)) for deal in range(2) for seats in ("ac", "bd")]
    found, joined = ranked(apart)[0], ranked([*apart, record(2, "cb", (1, 2))])[0]
    assert found.parts == (("a", "c"), ("b", "d"))
    assert joined.parts == (("a", "b", "c", "d"),)
    assert ["a, c; b, d" in standings_sheet(its, []).text("table") for its in (found, joined)] == [True, False]
