"""The standings: what is counted, how entrants are ranked, and how the tables are printed."""

import csv
import io
from fractions import Fraction
from random import Random

import orjson
import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from tests.standings.simulate import add, record, tournament
from tourney.config import Anchor, Entrant, Tournament
from tourney.contracts.match import Fault, GameSetup
from tourney.standings import counts as deal_batches
from tourney.standings.counts import OutcomeCounts
from tourney.standings.crosstable import HeadToHead, cross_table
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import TIEBREAKS, ranking, seat_points
from tourney.standings.runoff import runoff_tiebreaks
from tourney.standings.tables import cross_text, seats_text, standings_text

POINTS = TIEBREAKS["points"]


def ranked(records, by=POINTS, own=(), names=None, games=("g",), weights=(), anchor=None, seats=2):
    """Returns the ranking of records, and their counts."""
    records = list(records)
    names = names or sorted({name for each in records for name in each.seats})
    setups = tuple([GameSetup(game, seats, {}) for game in games])
    entrants = tuple([Entrant(name, "random", {}) for name in names])
    whole = Tournament(
        name="t", seed=1, entrants=entrants, setups=setups, match_s=120, folder=".", weights=weights, anchor=anchor
    )
    counts = OutcomeCounts(names, setups)
    for each in records:
        add(counts, each)
    return ranking(whole, counts, by, own), counts


def rows(records, *by, **keys):
    found, _ = ranked(records, by or POINTS, **keys)
    return {row.bot: row for row in found.rows}


def order(records, *by, **keys):
    return [(row.rank, row.bot) for row in ranked(records, by or POINTS, **keys)[0].rows]


FAULT = Fault(0, "error", 3, None, "")
MATCHES = [
    record(0, "ab", (1, 2), scores=(7, 3)),
    record(1, "ba", (1, 2), scores=(5, 1)),
    record(2, "ac", (1, 1), scores=(4, 4)),
    record(3, "ca", (2, 1), scores=(-6, 2), faults=[FAULT]),
]


def test_a_row_has_the_results_of_an_entrant():
    found = rows(MATCHES)
    a = found["a"]
    assert (a.rank, a.points_percent, a.won, a.drawn, a.lost) == (1, 62.5, 2, 1, 1)
    assert (a.matches, a.mean_place, a.mean_score, a.faults) == (4, 1.25, 3.5, 0)
    assert (found["c"].points_percent, found["c"].mean_score, found["c"].faults) == (25, -1, 1)
    assert a.rating_low < a.rating < a.rating_high
    assert found["b"].above_next > 0.5
    assert found["c"].above_next is None


def test_equal_entrants_share_a_rank_in_the_order_of_the_file_and_those_that_have_not_played_come_last():
    draw = [record(0, "ab", (1, 1)), record(1, "ba", (1, 1))]
    found, _ = ranked(draw, names=["x", "b", "a", "w"])
    assert [(row.rank, row.bot) for row in found.rows] == [(1, "b"), (1, "a"), (3, "x"), (3, "w")]
    idle = found.rows[2]
    assert {
        getattr(idle, name) for name in ("rating", "rating_low", "points_percent", "won", "mean_place", "mean_score")
    } == {None}
    assert (idle.matches, idle.faults) == (0, 0)
    assert standings_text(found, [], "table").splitlines()[4].split() == ["3", "x", "0", "0"]


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
    printed = standings_text(found, [], "table").splitlines()
    assert printed[0].split()[:3] == ["#", "bot", "reached"]
    assert printed[6] == "b won the cup. Ranked by round reached; ties by points % of the last meeting,"
    none = Tiebreak("round_score", "rounds", "score", {"a": None, "b": Fraction(-3), "c": None})
    assert order(MATCHES, none, "points") == [(1, "b"), (2, "a"), (3, "c")]


TWO_GAMES = [
    *[record(i, "ab", (1, 2), scores=(1, 0)) for i in range(30)],
    record(100, "ab", (2, 1), game="h", scores=(0, 100)),
]


@pytest.mark.parametrize(("weights", "percent"), [((), 50), ((1.0, 1.0), 50), ((1.0, 3.0), 25), ((0.5, 0.125), 80)])
def test_each_game_weighs_the_same_unless_its_weight_says_otherwise(weights, percent):
    found = rows(TWO_GAMES, games=("g", "h"), weights=weights)
    assert (found["a"].points_percent, found["b"].points_percent) == (percent, 100 - percent)
    assert (found["a"].mean_score, found["a"].won, found["a"].lost) == (None, 30, 1)


def test_other_seats_or_options_make_another_game_but_a_smaller_table_does_not():
    setups = (GameSetup("g", 4, {}), GameSetup("g", 2, {}), GameSetup("g", 4, {"x": 1}))
    counts = OutcomeCounts("abcd", setups)
    for seats, options, times in (("abcd", {}, 1), ("ab", {}, 2), ("abcd", {"x": 1}, 3), ("abc", {"x": 1}, 5)):
        for i in range(times):
            each = record(i, seats, range(1, len(seats) + 1))
            add(counts, replace(each, options=options))
    assert [sum(sum(part.values()) for part in parts) for parts in counts.batches()] == [1, 2, 8]
    assert [(row.game, row.seats) for row in seat_points(counts) if row.seat == 0] == [
        ("g, 4 seats", 4),
        ("g, 2 seats", 2),
        ("g, 4 seats, x 1", 3),
        ("g, 4 seats, x 1", 4),
    ]


def test_the_anchor_has_its_given_rating_and_is_named_below_the_table():
    free, held = [ranked(MATCHES, anchor=anchor)[0] for anchor in (None, Anchor("b", 800))]
    rating = {row.bot: row.rating for row in held.rows}
    assert rating["b"] == 800
    moved = {row.bot: row.rating - rating[row.bot] for row in free.rows}
    assert max(moved.values()) - min(moved.values()) < 0.001
    assert "Ratings: mean 1500; " in standings_text(free, [], "table")
    assert "Ratings: b = 800; " in standings_text(held, [], "table")


@pytest.mark.parametrize("limit", [40, 1000])
def test_the_order_of_the_records_does_not_change_a_digit_of_anything(limit, monkeypatch):
    monkeypatch.setattr(deal_batches, "MAX_BATCHES", limit)
    strengths = {"a": 0.9, "b": 0.4, "c": 0.0, "d": -0.3, "e": -1.0}
    played = list(tournament(strengths, 4, 60, seed=4, repeated=0.5))
    played += [record(1000 + i, "ab", (1, 1 + i % 2), game="h", scores=(i, -i)) for i in range(40)]
    shuffled = list(played)
    Random(1).shuffle(shuffled)
    printed = []
    for records in (played, shuffled, played[::-1]):
        found, counts = ranked(records, games=("g", "h"), weights=(2.0, 1.0), seats=4)
        printed.append(
            [standings_text(found, seat_points(counts), form) for form in ("table", "markdown", "csv", "json")]
        )
    assert printed[0] == printed[1] == printed[2]


def test_the_four_formats_agree_and_data_have_every_key_for_every_format():
    found, counts = ranked(MATCHES)
    seats = seat_points(counts)
    table, marked, text, data = [standings_text(found, seats, form) for form in ("table", "markdown", "csv", "json")]
    listed = orjson.loads(data)
    assert listed == list(to_builtins(found.rows))
    assert list(listed[0]) == [
        "rank", "bot", "reached", "last_meeting_percent", "round_score", "buchholz", "runoff_order",
        "runoff_percent", "stopped", "rating", "rating_low", "rating_high", "above_next", "points_percent",
        "points_low", "points_high", "won", "drawn", "lost", "mean_place", "mean_score", "matches", "faults",
    ]  # fmt: skip
    cells = list(csv.reader(io.StringIO(text)))
    assert cells[0] == list(listed[0])
    assert cells[1:] == [["" if value is None else str(value) for value in row.values()] for row in listed]
    for i, row in enumerate(listed):
        shown = table.splitlines()[2 + i].split()
        assert shown == marked.splitlines()[2 + i].replace("|", " ").split()
        half = (row["rating_high"] - row["rating_low"]) / 2
        result = f"{row['won']}-{row['drawn']}-{row['lost']}"
        assert shown[:6] == [
            str(row["rank"]), row["bot"], f"{row['rating']:.0f}", f"{half:.0f}", f"{row['points_percent']:.1f}", result,
        ]  # fmt: skip
        assert shown[6:9] == [f"{row['mean_score']:.1f}", str(row["matches"]), str(row["faults"])]
    assert "Ranked by points %; ties by share of matches won." in table
    assert "Ranked by points %; ties by share of matches won." in marked
    assert table.splitlines()[-1].startswith("Seats of g, points %: 62.5 +-")


def test_a_table_that_is_still_too_wide_leaves_out_what_it_is_not_ranked_by():
    names = [f"bot-number-{letter}" for letter in "abcdefghij"]
    score = Tiebreak("round_score", "rounds", "sum of the round scores", dict.fromkeys(names, Fraction(7, 2)))
    played = list(tournament(dict.fromkeys(names, 0.0), 2, 225, seed=1))
    counts = ranked(played)[1]
    order, percent = runoff_tiebreaks(counts, [Fraction(1)])
    wide = Tiebreak("wide", "a wide heading", "something", dict.fromkeys(names, Fraction(1)))
    found, _ = ranked(played, (order,), (score, order, percent))
    lines = standings_text(found, [], "table").splitlines()
    assert lines[0].replace("pts %", "pts%").split() == [
        "#", "bot", "rounds", "run-off", "rating", "+-", "pts%", "played", "faults", ">next",
    ]  # fmt: skip
    assert "Ranked by instant run-off, in which 1 went out first." in lines
    found, _ = ranked(played, (order,), (wide, order, percent))
    lines = standings_text(found, [], "table").splitlines()
    assert "a wide heading" not in lines[0]
    assert max(map(len, lines)) <= 80
    found, _ = ranked(played, (wide,), (wide, order, percent))
    assert "a wide heading" in standings_text(found, [], "table").splitlines()[0]


def test_cross_tables_and_points_of_seats_come_in_four_formats():
    _, counts = ranked(MATCHES)
    pairs = cross_table(counts, [Fraction(1)])
    assert orjson.loads(cross_text("abc", pairs, "json"))["a"] == {
        "b": {"percent": 50, "matches": 2, "low": 0, "high": 100},
        "c": {"percent": 75, "matches": 2, "low": 0, "high": 100},
    }
    assert cross_text("abc", pairs, "csv").splitlines() == [
        "bot,other,percent,matches,low,high", "a,b,50.0,2,0.0,100.0", "a,c,75.0,2,0.0,100.0", "b,a,50.0,2,0.0,100.0",
        "c,a,25.0,2,0.0,100.0",
    ]  # fmt: skip
    assert cross_text("abc", pairs, "table").splitlines()[2].split() == ["1", "a", "-", "50.0", "75.0"]
    assert cross_text("abc", pairs, "markdown").splitlines()[2].replace("|", " ").split() == [
        "1", "a", "-", "50.0", "75.0",
    ]  # fmt: skip
    seats = seat_points(counts)
    (first, second) = orjson.loads(seats_text(seats, "json"))
    assert (first["game"], first["seat"], first["points_percent"], first["matches"]) == ("g", 0, 62.5, 4)
    assert second["points_percent"] == 37.5
    head, *lines = seats_text(seats, "csv").splitlines()
    assert head == seats_text([], "csv") == "game,seats,seat,points_percent,low,high,matches"
    assert len(lines) == 2
    assert seats_text(seats, "table").splitlines()[2].split()[:4] == ["g", "2", "0", "62.5"]


def beaten(winner: str, loser: str, wins: int, matches: int = 20):
    """Returns matches of two bots, each on a deal of its own."""
    first = 100 * (ord(winner) * 128 + ord(loser))
    return [record(first + i, winner + loser, (1, 2) if i < wins else (2, 1)) for i in range(matches)]


def test_the_cross_table_marks_the_scores_that_are_surely_off_even():
    """Of 20 deals, 16 are enough, 15 are not; drawn matches are exactly even."""
    even = [record(i, "ad", (1, 1)) for i in range(20)]
    _, counts = ranked([*beaten("a", "b", 16), *beaten("a", "c", 15), *beaten("b", "c", 20), *even])
    pairs = cross_table(counts, [Fraction(1)])
    lines = cross_text("abcd", pairs, "table").splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ["1", "a", "-", "*80.0", "75.0", "50.0"],
        ["2", "b", "*20.0", "-", "*100.0"],
        ["3", "c", "25.0", "*0.0", "-"],
        ["4", "d", "50.0", "-"],
    ]
    assert lines[6:] == [
        "",
        "How often the bot of a row came before that of a column, in percent.",
        "* the 95 % interval lies off an even score",
    ]
    assert cross_text("abcd", pairs, "markdown").endswith("\n\n\\* the 95 % interval lies off an even score")
    data = orjson.loads(cross_text("abcd", pairs, "json"))
    assert data["a"]["d"] == {"percent": 50, "matches": 20, "low": 50, "high": 50}
    assert 50 < data["a"]["b"]["low"] < 80 < data["a"]["b"]["high"] < 100
    assert data["a"]["c"]["low"] < 50 < data["a"]["c"]["high"]
    for one, row in data.items():
        for other, score in row.items():
            back = data[other][one]
            assert (score["percent"] + back["percent"], score["matches"]) == (100, back["matches"])
            assert score["low"] + back["high"] == pytest.approx(100, abs=1e-9)
    single = cross_table(ranked([record(0, "ab", (1, 2))] * 9)[1], [Fraction(1)])
    assert [line.split() for line in cross_text("ab", single, "table").splitlines()[2:4]] == [
        ["1", "a", "-", "100.0"],
        ["2", "b", "0.0", "-"],
    ]


@pytest.mark.parametrize("bots", [10, 30])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_cross_table_has_numbered_columns_in_blocks_that_fit_the_screen(bots, width):
    """Every score stands once, in the row of the one and under the number of the other."""
    names = [f"bot-number-{i}" for i in range(bots)]
    pairs = {
        (one, other): HeadToHead(round(100 * (i + 1) / (i + j + 2), 4), 20, None, None)
        for i, one in enumerate(names) for j, other in enumerate(names) if i != j
    }  # fmt: skip
    text = cross_text(names, pairs, "table", width)
    assert max(map(len, text.split("\n"))) <= width
    *blocks, legend = text.split("\n\n")
    assert " ".join(legend.split()) == "How often the bot of a row came before that of a column, in percent."
    found = {}
    for block in blocks:
        head, _, *lines = block.split("\n")
        number, bot, *columns = head.split()
        assert (number, bot) == ("#", "bot")
        for line in lines:
            row, name, *cells = line.split()
            assert name.split("…")[0] == names[int(row) - 1][: len(name.split("…")[0])]
            found |= {(int(row), int(column)): cell for column, cell in zip(columns, cells, strict=True)}
    numbers = range(1, bots + 1)
    assert sorted(found) == [(i, j) for i in numbers for j in numbers]
    for (i, j), cell in found.items():
        score = 100.0 * i / (i + j)
        assert cell == "-" if i == j else abs(float(cell) - score) <= (0.5 if "." not in cell else 0.051)
    assert ("." in found[1, 3]) == (bots * 6 + 16 <= width)  # one digit after the point, if all fits beside each other


@pytest.mark.parametrize("width", [40, 80, pytest.param(100, marks=pytest.mark.slow)])
def test_the_standings_take_the_width_there_is(width):
    """The widest has every column; the narrower drop some, and never what is ranked by."""
    names = [f"bot-number-{letter}" for letter in "abcdefghij"]
    played = list(tournament(dict.fromkeys(names, 0.0), 4, 300, seed=1))
    found, counts = ranked(played, ("rating", "points"), seats=4)
    seats = seat_points(counts)
    lines = standings_text(found, seats, "table", width).split("\n")
    assert max(map(len, lines)) <= width
    every = standings_text(found, seats, "table", 200).split("\n")[0].split()
    shown = lines[0].split()
    assert [name for name in every if name in shown] == shown
    assert {"#", "bot", "rating"} <= set(shown)
    assert (shown == every) == (width >= 100)
    assert standings_text(found, seats, "table", 80) == standings_text(found, seats, "table")


def test_a_cycle_beyond_the_error_bars_has_a_line_below_the_standings():
    def line(*played):
        found, _ = ranked([each for matches in played for each in matches])
        shown = [" ".join(standings_text(found, [], form).split()) for form in ("table", "markdown")]
        ends = [text.partition("above the next. ")[2] for text in shown]
        assert ends[0] == ends[1]
        return ends[0]

    three = beaten("a", "b", 18), beaten("b", "c", 17), beaten("c", "a", 16)
    assert line(*three) == "Cycles beyond the error bars: a beats b, b beats c, c beats a."
    assert line(*three[:2], beaten("c", "a", 12)) == ""
    assert line(*three[:2], beaten("a", "c", 16)) == ""
    more = [*three, beaten("a", "d", 19), beaten("d", "b", 18), beaten("b", "e", 19), beaten("d", "c", 15)]
    assert line(*more) == (
        "Cycles beyond the error bars: a beats b, b beats c, c beats a (and 1 more in cycles with them)."
    )
    apart = [beaten("x", "y", 18), beaten("y", "z", 17), beaten("z", "x", 16)]
    assert line(*three, *apart).count(" beats ") == 6


def test_each_table_size_has_a_sentence_of_its_own_for_its_seats():
    played = [
        record(0, "abc", (1, 2, 3)),
        record(1, "abc", (1, 2, 3)),
        record(2, "ab", (1, 2)),
        record(3, "ab", (2, 1)),
    ]
    found, counts = ranked(played, seats=3)
    pairs, trios = standings_text(found, seat_points(counts), "table").splitlines()[-2:]
    assert pairs.startswith("Seats of g with 2 seats, points %: 50.0 +-")
    assert trios == "Seats of g with 3 seats, points %: 100.0 +-0.0, 50.0 +-0.0, 0.0 +-0.0."
