"""The tables of the standings in every format: what they show, what they leave out, and the lines below them."""

from fractions import Fraction

import orjson
import pytest

from tests.standings.simulate import record, tournament
from tests.standings.test_ranking import ranked
from tourney.config import Anchor
from tourney.contracts.match import Fault
from tourney.standings import tables
from tourney.standings.crosstable import HeadToHead
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import seat_points
from tourney.standings.results import RoundEntrant, RoundReport
from tourney.standings.runoff import runoff_tiebreaks


def test_columns_are_dropped_only_where_it_is_needed_and_the_least_important_first():
    columns = [
        tables.Column("#", ["1", "2"]),
        tables.Column("bot", ["a-rather-long-name-of-a-bot", "short"], is_text=True),
        tables.Column("least", ["1", "2"], expendable=3),
        tables.Column("points", ["1", "2"]),
        tables.Column("little", ["1", "2"], expendable=1),
    ]
    whole = tables.total_width(columns)
    assert whole == 1 + 27 + 5 + 6 + 6 + 4 * 2
    for width, expected in ((whole, columns), (whole - 1, [*columns[:2], *columns[3:]])):
        assert tables.fitted(columns, width) == expected
    assert tables.fitted(columns, whole - 8) == tables.fitted(columns, 1) == [*columns[:2], columns[3]]


def test_words_are_aligned_to_the_left_numbers_to_the_right_and_nothing_is_taken_for_markup():
    columns = [tables.Column("bot", ["seer", "x\n"], is_text=True), tables.Column("pts %", ["7", "100"])]
    assert tables.aligned(columns) == "bot   pts %\n----  -----\nseer      7\nx\\n     100"
    assert "<td>x\\n </td>" in tables.html_text(columns)
    assert tables.table(["a", "b"], [["*x_y_ <z", "1"]], "markdown", [0]).splitlines()[2] == r"| \*x_y\_ \<z | 1 |"
    assert tables.table(["a"], [], "table", []) == "a\n-"


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
        shown += [tables.standings_text(found, seats, form), tables.cross_text(order, found.pairs, form)]
        shown += [tables.seats_text(seats, form), tables.rounds_text(ROUNDS, form)]
    shown += [tables.standings_text(found, seats, "table", width) for width in (60, 200)]
    shown += [tables.cross_text(order, found.pairs, "table", width) for width in (20, 30, 38)]  # just wide enough
    rounded = {"ab": 0.4, "ba": 99.6, "ac": 0, "ca": 100}
    close = {tuple(pair): HeadToHead(score, 9, None, None) for pair, score in rounded.items()}
    shown.append(tables.cross_text("abc", close, "table", 20))
    many = [f"bot-number-{i}" for i in range(1, 13)]
    scores = {(a, b): round(100 * i / (i + j), 4) for i, a in enumerate(many, 1) for j, b in enumerate(many, 1)}
    pairs = {pair: HeadToHead(score, 20, None, None) for pair, score in scores.items() if len(set(pair)) == 2}
    shown += [tables.cross_text(many, pairs, "table", width) for width in (40, 88, 89)]
    for each, its in ((found, counts), cyclic(), ranked([record(0, "ab", (1, 2))])):
        heads = [tables.standings_text(each, [], "table", width).split("\n")[0] for width in range(24, 96, 6)]
        shown += [tables.standings_text(each, seat_points(its), "table"), "\n".join(heads)]
    data = [tables.standings_text(found, seats, "json"), tables.cross_text(order, found.pairs, "json")]
    data += [tables.seats_text(seats, "json"), tables.rounds_text(ROUNDS, "json")]
    shown += [orjson.dumps(orjson.loads(text)).decode() for text in data]
    golden("tables.txt", "\n\n".join(shown))
