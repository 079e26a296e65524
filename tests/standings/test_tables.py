"""The tables of the standings in every format, cycles of bots that beat each other, and instant run-off."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from random import Random

import networkx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.standings.simulate import add, counted, record, tournament
from tests.standings.test_ranking import ranked
from tourney.base import sheet
from tourney.config.tournament import Anchor
from tourney.contracts.game import places_by
from tourney.contracts.match import Fault, GameSetup
from tourney.standings import tables
from tourney.standings.counts import OutcomeCounts
from tourney.standings.crosstable import HeadToHead, cycles
from tourney.standings.points import Tiebreak, points
from tourney.standings.ranking import seat_points
from tourney.standings.results import RoundEntrant, RoundReport
from tourney.standings.runoff import runoff, runoff_tiebreaks


def test_columns_are_dropped_only_where_it_is_needed_and_the_least_important_first():
    columns = [
        sheet.Column("#", ["1", "2"]),
        sheet.Column("bot", ["a-rather-long-name-of-a-bot", "short"], is_text=True),
        sheet.Column("least", ["1", "2"], expendable=3),
        sheet.Column("points", ["1", "2"]),
        sheet.Column("little", ["1", "2"], expendable=1),
    ]
    whole = sheet.total_width(columns)
    assert whole == 1 + 27 + 5 + 6 + 6 + 4 * 2
    for width, expected in ((whole, columns), (whole - 1, [*columns[:2], *columns[3:]])):
        assert sheet.fitted(columns, width) == expected
    assert sheet.fitted(columns, whole - 8) == [*columns[:2], columns[3]]
    assert [column.heading for column in sheet.fitted(columns, 1)] == ["#", "bot", "points"]
    assert sheet.fitted(columns, 1)[1].cells == ["a-rather-lo…", "short"]


def test_words_are_aligned_to_the_left_numbers_to_the_right_and_nothing_is_taken_for_markup():
    columns = [sheet.Column("bot", ["seer", "x\n"], is_text=True), sheet.Column("pts %", ["7", "100"])]
    assert sheet.columns_text(columns, "table", None) == "bot   pts %\n----  -----\nseer      7\nx\\n     100"
    assert "<td>x\\n </td>" in sheet.Sheet((), (), columns).html()
    assert (
        sheet.columns_text(sheet.columns_of(["a", "b"], [["*x_y_ <z", "1"]], [0]), "markdown", None).splitlines()[2]
        == r"| \*x_y\_ \<z | 1 |"
    )
    assert sheet.columns_text(sheet.columns_of(["a"], [], []), "table", None) == "a\n-"


CELLS = {
    "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "@x": "'@x", "-": "'-", "+1-2": "'+1-2", "-3.5x": "'-3.5x",
    "-3.5": "-3.5", "+5e-3": "+5e-3", -3.5: "-3.5", "\t=1": r"\t=1", "\r-1": r"\r-1", "a=b": "a=b", True: "true",
}  # fmt: skip
"""What CSV holds of cells."""


def test_no_cell_of_csv_is_a_formula_and_numbers_stay_numbers():
    lines = "".join(sheet.csv_parts(["=key", ""], [(cell, "") for cell in CELLS])).splitlines()
    assert [line.removesuffix(",") for line in lines] == ["'=key", *CELLS.values()]


def test_long_names_are_cut_in_the_middle_before_the_rating_goes():
    long = {name: f"a-long-name-of-a-bot-that-somebody-chose-{name}" for name in "ab"}
    found, _ = ranked([record(i, tuple(map(long.get, "ab")), (1, 2)) for i in range(9)])
    for width in range(40, 120):
        head, _, *lines = tables.standings_sheet(found).text("table", width).split("\n\n")[1].split("\n")
        assert max(map(len, lines)) <= width
        assert "rating" in head
        assert [line.split()[2].rpartition("-")[2] for line in lines] == ["a", "b"]


def test_criteria_of_a_format_stand_in_csv_and_json_under_names_of_their_own():
    values = {"a": Fraction(5, 2), "b": Fraction(1)}
    own = [Tiebreak(key, "", "", values) for key in ("king", "won", "crowns_percent")]
    labelled = Tiebreak("state", "state", "", dict.fromkeys(values), {"a": "rules", "b": ""})
    found, _ = ranked([record(0, "ab", (1, 2))], (own[0], "points"), (*own, labelled))
    table = tables.standings_sheet(found)
    added = list(table.dicts()[0].items())[-4:]
    assert added == [("king", 2.5), ("format_won", 2.5), ("crowns_percent", 250), ("state", "rules")]
    assert table.text("csv").splitlines()[2].endswith(",1.0,1.0,100.0,")
    assert "king" not in table.text("table")


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, ""), (0.0005, "<0.1"), (0.001, "0.1"), (0.5, "50.0"), (0.999, "99.9"), (0.9991, ">99.9"), (1, ">99.9")],
)
def test_what_is_nearly_sure_is_not_called_certain(share, text):
    assert tables.chance_text(share) == text


def rich():
    """A ranking with whatever a ranking can have, and its counts."""
    played = list(tournament({"a": 0.9, "b_c": 0.5, "d": 0.2, "e|f": -1.6}, 3, 150, seed=4, repeated=0.5))
    faults = [Fault(0, "error", 3, None, ""), Fault(1, "out", None, None, "")]
    played += [record(i, ("a", "d"), (1, 1 + i % 2), game="h", scores=(i, -i), faults=faults) for i in range(9)]
    played += [record(100 + i, pair, (1, 2), game="h") for i in range(19) for pair in (("d", "b_c"), ("b_c", "a"))]
    played += [record(200 + i, ("a", "d"), (1, 2), game="h") for i in range(29)]
    played += [record(300, ("a", "d", "b_c"), (1, 2, 2), game="h")]
    names = ["d", "e|f", "idle", "a", "b_c"]
    _, counts = ranked(played, names=names, games=("g", "h"))
    own = runoff_tiebreaks(counts, [Fraction(2), Fraction(1)])
    values = {"a": Fraction(5, 2), "b_c": Fraction(2), "d": Fraction(7, 3), "e|f": None, "idle": Fraction(0)}
    own = (Tiebreak("round_score", "rounds", "sum of rounds", values, None, "A note."), *own)
    return ranked(played, (own[0], "rating", "won"), own, names, ("g", "h"), (2.0, 1.0), Anchor("d", 1200.0), 3)


def beaten(winner: str, loser: str, wins: int, matches: int = 20):
    """Returns matches of two bots, each on a deal of its own."""
    first = 100 * (ord(winner) * 128 + ord(loser))
    return [record(first + i, winner + loser, (1, 2) if i < wins else (2, 1)) for i in range(matches)]


def cyclic():
    """The ranking of a cup in whose matches bots beat each other in a cycle, and its counts."""
    wins = ("ab", 18), ("bc", 17), ("ca", 16), ("ad", 19), ("db", 18), ("be", 19), ("dc", 15)
    reached = {"a": "winner", "b": "final", "c": "final", "d": "round 1", "e": "round 1"}
    values = dict(zip("abcde", map(Fraction, "32211"), strict=True))
    cup = Tiebreak("reached", "reached", "round reached", values, reached)
    return ranked([each for pair, times in wins for each in beaten(*pair, times)], (cup, "points"), (cup,))


UP, DOWN = RoundEntrant("a", 1.0, 1, 0, 75.0, 1.0, advanced=True), RoundEntrant("b", 1.5, 1, 2, 25.0, 0.0)
OUT = RoundEntrant("b", 1.5, round_score=0.0)
ROUNDS = [
    RoundReport(1, "round 1", True, ((UP, DOWN),), (RoundEntrant("c", score_before=0.25, round_score=1.0),)),
    RoundReport(2, "final", False, ((RoundEntrant("a"), RoundEntrant("c", 0.5, 0, 1)),), (), (OUT,)),
]


def test_tables_show_what_they_showed_in_every_format(golden):
    found, counts = rich()
    order, seats = [row.bot for row in found.rows], seat_points(counts)
    shown = [f"put out: {counts.out}"]
    for form in ("table", "markdown", "csv"):
        shown += [tables.standings_sheet(found, seats).text(form), tables.cross_sheet(order, found.pairs).text(form)]
        shown += [tables.seats_sheet(seats).text(form), tables.rounds_sheet(ROUNDS).text(form)]
    shown += [tables.standings_sheet(found, seats).text("table", width) for width in (60, 200)]
    shown += [tables.cross_sheet(order, found.pairs).text("table", width) for width in (20, 30, 38)]  # just wide enough
    rounded = {"ab": 0.4, "ba": 99.6, "ac": 0, "ca": 100}
    close = {tuple(pair): HeadToHead(score, 9, None, None) for pair, score in rounded.items()}
    shown.append(tables.cross_sheet("abc", close).text("table", 20))
    many = [f"bot-number-{i}" for i in range(1, 13)]
    scores = {(a, b): round(100 * i / (i + j), 4) for i, a in enumerate(many, 1) for j, b in enumerate(many, 1)}
    pairs = {pair: HeadToHead(score, 20, None, None) for pair, score in scores.items() if len(set(pair)) == 2}
    shown += [tables.cross_sheet(many, pairs).text("table", width) for width in (40, 88, 89)]
    for each, its in ((found, counts), cyclic(), ranked([record(0, "ab", (1, 2))])):
        heads = [tables.standings_sheet(each, []).text("table", width).split("\n")[0] for width in range(24, 96, 6)]
        shown += [tables.standings_sheet(each, seat_points(its)).text("table"), "\n".join(heads)]
    data = [tables.standings_sheet(found, seats).text("json"), tables.cross_sheet(order, found.pairs).text("json")]
    data += [tables.seats_sheet(seats).text("json"), tables.rounds_sheet(ROUNDS).text("json")]
    shown += [orjson.dumps(orjson.loads(text)).decode() for text in data]
    golden("tables.txt", "\n\n".join(shown))


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


def entries(records, *weights):
    """Returns the order of going out and the last share of the points of each entrant."""
    counts = counted(records)
    return runoff(counts, [Fraction(weight) for weight in weights or [1] * len(counts.setups)])


def wins(first: int, winner: str, loser: str, times: int):
    return [record(first + i, winner + loser, (1, 2)) for i in range(times)]


def test_an_entrant_that_has_not_played_has_no_order():
    counts = OutcomeCounts(["x", "a", "b"], [GameSetup("g", 2, {})])
    assert runoff(counts, [Fraction(1)]) == {}
    add(counts, record(0, "ba", (1, 2)))
    assert {name: order for name, (order, _) in runoff(counts, [Fraction(1)]).items()} == {"a": 1, "b": 2}


def test_each_game_counts_by_its_weight_where_the_entrant_has_met_others():
    played = [
        *wins(0, "a", "b", 3),
        *wins(10, "b", "a", 1),
        *[record(20 + i, "ba", (1, 2), game="h") for i in range(10)],
        *[record(40 + i, "ac", (1, 2), game="h") for i in range(10)],
    ]
    assert entries(played, 1, 1)["c"] == (1, 0)
    # of a and b, each is the mean of 3/4 and 0, or of 1/4 and 1
    assert entries(played, 1, 1)["a"] == (2, Fraction(3, 8))
    assert entries(played, 3, 1)["a"] == (3, Fraction(9, 16))
    assert entries(played, 3, 1)["b"] == (2, Fraction(7, 16))


def by_definition(records):
    """The order of going out and the last shares, by counting all matches of one game anew each time."""
    left = {name for each in records for name in each.seats}
    shares: dict[str, Fraction] = {}
    found, order = {}, 0
    while left:
        order += 1
        own: dict[str, list[Fraction]] = {}
        for each in records:
            seated = [(name, place) for name, place in zip(each.seats, each.places, strict=True) if name in left]
            if len({name for name, _ in seated}) < 2:
                continue
            gained = points(places_by([-place for _, place in seated]))
            for (name, _), won in zip(seated, gained, strict=True):
                own.setdefault(name, []).append(Fraction(won).limit_denominator(12))
        shares |= {name: sum(won, Fraction()) / len(won) for name, won in own.items()}
        lowest = min(shares[name] for name in left)
        out = [name for name in left if shares[name] == lowest]
        found |= {name: (order, shares[name]) for name in out}
        left -= set(out)
    return found


@given(st.integers(3, 9), st.integers(2, 4), st.integers(1, 40), st.integers(0, 2**32))
def test_what_is_counted_by_subtraction_is_what_is_counted_anew(entrants, seats, matches, luck):
    """At tables of 2, 3 and 5 seats, of which an entrant may have several."""
    rng = Random(luck)
    names = "abcdefghi"[:entrants]
    sizes = [size for size in (2, 3, 5) if size <= min(seats + 1, entrants)]
    played = []
    for i in range(matches):
        first, *others = rng.sample(names, rng.choice(sizes))
        seated = [first, *others[:-1], others[-1] if len(others) == 1 else rng.choice([first, *others])]
        played.append(record(i, seated, places_by([rng.randrange(4) for _ in seated])))
    assert entries(played) == by_definition(played)
