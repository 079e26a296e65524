"""The tables of the standings in every format: what they show, what they leave out, and the lines below them."""

import csv
import io
from fractions import Fraction

import orjson
import pytest
from msgspec import to_builtins

from tests.standings.simulate import record, tournament
from tests.standings.test_ranking import MATCHES, ranked
from tourney.config import Anchor
from tourney.standings.crosstable import HeadToHead, cross_table
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import seat_points
from tourney.standings.results import RoundEntrant, RoundReport
from tourney.standings.runoff import runoff_tiebreaks
from tourney.standings.tables import (
    Column,
    aligned,
    chance_text,
    cross_text,
    fitted,
    half_width,
    html_text,
    rounds_text,
    seats_text,
    standings_text,
    table,
    total_width,
)

FORMS = ("table", "markdown", "csv", "json")


def split(text: str) -> list[list[str]]:
    """The cells of the lines of a table or of Markdown, below the heading."""
    return [line.replace("|", " ").split() for line in text.splitlines()[2:]]


def test_columns_are_dropped_only_where_it_is_needed_and_the_least_important_first():
    columns = [
        Column("#", ["1", "2"]),
        Column("bot", ["a-rather-long-name-of-a-bot", "short"], is_text=True),
        Column("least", ["1", "2"], expendable=3),
        Column("points", ["1", "2"]),
        Column("little", ["1", "2"], expendable=1),
    ]
    whole = total_width(columns)
    assert whole == 1 + 27 + 5 + 6 + 6 + 4 * 2
    for width, expected in ((whole, columns), (whole - 1, [*columns[:2], *columns[3:]])):
        assert fitted(columns, width) == expected
    assert fitted(columns, whole - 8) == fitted(columns, 1) == [*columns[:2], columns[3]]


def test_words_are_aligned_to_the_left_numbers_to_the_right_and_nothing_is_taken_for_markup():
    columns = [Column("bot", ["seer", "x\n"], is_text=True), Column("pts %", ["7", "100"])]
    assert aligned(columns) == "bot   pts %\n----  -----\nseer      7\nx\\n     100"
    assert "<td>x\\n </td>" in html_text(columns)
    assert table(["a", "b"], [["*x_y_ <z", "1"]], "markdown", [0]).splitlines()[2] == r"| \*x_y\_ \<z | 1 |"
    assert table(["a"], [], "table", []) == "a\n-"


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, ""), (0.0005, "<0.1"), (0.001, "0.1"), (0.5, "50.0"), (0.999, "99.9"), (0.9991, ">99.9"), (1, ">99.9")],
)
def test_what_is_nearly_sure_is_not_called_certain(share, text):
    assert chance_text(share) == text


def test_half_an_interval_is_shown_if_it_is_known():
    assert half_width(10.0, 15.5, 2) == "2.75"
    assert {half_width(low, high, 1) for low, high in ((None, 1.0), (1.0, None), (float("-inf"), 1.0))} == {""}


def test_the_four_formats_agree_and_data_have_every_key_for_every_format():
    found, counts = ranked(MATCHES)
    shown, marked, text, data = [standings_text(found, seat_points(counts), form) for form in FORMS]
    listed = orjson.loads(data)
    assert listed == list(to_builtins(found.rows))
    keys, *cells = csv.reader(io.StringIO(text))
    assert keys == list(listed[0])
    assert {"reached", "buchholz", "runoff_order", "stopped", "points_low", "mean_place"} < set(keys)
    assert cells == [["" if value is None else str(value) for value in row.values()] for row in listed]
    for line, same, row in zip(split(shown), split(marked), listed, strict=False):
        half = (row["rating_high"] - row["rating_low"]) / 2
        result = f"{row['won']}-{row['drawn']}-{row['lost']}"
        numbers = [f"{row['rating']:.0f}", f"{half:.0f}", f"{row['points_percent']:.1f}", result]
        expected = [str(row["rank"]), row["bot"], *numbers, f"{row['mean_score']:.1f}"]
        assert line == same
        assert line[:9] == [*expected, str(row["matches"]), str(row["faults"])]
    assert "Ranked by points %; ties by share of matches won." in shown
    assert shown.splitlines()[-1].startswith("Seats of g, points %: 62.5 +-")


def test_the_anchor_has_its_given_rating_and_is_named_below_the_table():
    free, held = [ranked(MATCHES, anchor=anchor)[0] for anchor in (None, Anchor("b", 800))]
    assert {row.bot: row.rating for row in held.rows}["b"] == 800
    assert "Ratings: mean 1500; " in standings_text(free, [], "table")
    assert "Ratings: b = 800; " in standings_text(held, [], "table")
    for matches, unknown in ((MATCHES, False), (MATCHES[:1], True)):
        assert ("single deal" in standings_text(ranked(matches)[0], [], "table")) == unknown


def test_the_standings_take_the_width_there_is_and_never_drop_what_is_ranked_by():
    names = [f"bot-number-{letter}" for letter in "abcdefghij"]
    played = list(tournament(dict.fromkeys(names, 0.0), 2, 60, seed=1))
    score = Tiebreak("round_score", "rounds", "sum of the round scores", dict.fromkeys(names, Fraction(7, 2)))
    order, percent = runoff_tiebreaks(ranked(played)[1], [Fraction(1)])
    wide = Tiebreak("wide", "a wide heading", "something", dict.fromkeys(names, Fraction(1)))

    def head(by, own, width=80):
        lines = standings_text(ranked(played, by, own)[0], [], "table", width).splitlines()
        assert max(map(len, lines)) <= max(width, 50)
        return lines[0].replace("pts %", "pts%").replace("a wide heading", "wide").split()

    every = ["#", "bot", "rounds", "run-off", "rating", "+-", "pts%", "w-d-l", "score", "played", "faults", ">next"]
    assert head((order,), (score, order, percent), 200) == every
    assert head((order,), (score, order, percent)) == [each for each in every if each not in ("w-d-l", "score")]
    assert head((order,), (score, order, percent), 30) == ["#", "bot", "run-off"]
    assert "wide" not in head((order,), (wide, order, percent))
    assert "wide" in head((wide,), (wide, order, percent))
    for by in ("rating", "points"):
        assert head((by,), (), 30)[2:] == [{"rating": "rating", "points": "pts%"}[by]]


def test_cross_tables_and_points_of_seats_come_in_four_formats():
    _, counts = ranked(MATCHES)
    pairs = cross_table(counts, [Fraction(1)])
    shown, marked, text, data = [cross_text("abc", pairs, form) for form in FORMS]
    assert orjson.loads(data)["a"] == {
        "b": {"percent": 50, "matches": 2, "low": 0, "high": 100},
        "c": {"percent": 75, "matches": 2, "low": 0, "high": 100},
    }
    assert text.splitlines()[:2] == ["bot,other,percent,matches,low,high", "a,b,50.0,2,0.0,100.0"]
    assert len(text.splitlines()) == 5
    assert split(shown)[0] == split(marked)[0] == ["1", "a", "-", "50.0", "75.0"]
    shown, marked, text, data = [seats_text(seat_points(counts), form) for form in FORMS]
    first, second = orjson.loads(data)
    assert (first["game"], first["seat"], first["points_percent"], first["matches"]) == ("g", 0, 62.5, 4)
    assert second["points_percent"] == 37.5
    assert text.splitlines()[0] == seats_text([], "csv") == "game,seats,seat,points_percent,low,high,matches"
    assert split(shown)[0] == split(marked)[0] == ["g", "2", "0", "62.5", "50.0", "4"]


def test_rounds_have_a_line_for_each_entrant_in_every_format():
    up, down = RoundEntrant("a", 1.0, 1, 0, 75.0, 1.0, advanced=True), RoundEntrant("b", 1.5, 1, 2, 25.0, 0.0)
    rounds = [
        RoundReport(1, "round 1", True, ((up, down),), (RoundEntrant("c", score_before=0.25, round_score=1.0),)),
        RoundReport(2, "final", False, ((RoundEntrant("a"),),), ()),
    ]
    assert rounds_text(rounds, "table").splitlines() == [
        "round    table  bot  before  floats       pts %  score  advances",
        "-------  -----  ---  ------  -----------  -----  -----  --------",
        "round 1      1  a      1.00  up            75.0   1.00  yes",
        "             1  b      1.50  up and down   25.0   0.00",
        "         rests  c      0.25                       1.00",
        "",
        "final        1  a",
    ]
    lines = rounds_text(rounds, "csv").splitlines()
    assert lines[1::2] == ["1,true,1,a,1.0,1,0,75.0,1.0,true", "1,true,,c,0.25,,,,1.0,"]
    assert orjson.loads(rounds_text(rounds, "json"))[1]["tables"][0][0]["bot"] == "a"


def beaten(winner: str, loser: str, wins: int, matches: int = 20):
    """Returns matches of two bots, each on a deal of its own."""
    first = 100 * (ord(winner) * 128 + ord(loser))
    return [record(first + i, winner + loser, (1, 2) if i < wins else (2, 1)) for i in range(matches)]


def test_the_cross_table_marks_the_scores_that_are_surely_off_even():
    """Of 20 deals, 16 are enough, 15 are not; drawn matches are exactly even."""
    even = [record(i, "ad", (1, 1)) for i in range(20)]
    _, counts = ranked([*beaten("a", "b", 16), *beaten("a", "c", 15), *beaten("b", "c", 20), *even])
    pairs = cross_table(counts, [Fraction(1)])
    text = cross_text("abcd", pairs, "table")
    assert split(text)[:4] == [
        ["1", "a", "-", "*80.0", "75.0", "50.0"],
        ["2", "b", "*20.0", "-", "*100.0"],
        ["3", "c", "25.0", "*0.0", "-"],
        ["4", "d", "50.0", "-"],
    ]
    assert text.splitlines()[-1].startswith("* ")
    assert cross_text("abcd", pairs, "markdown").splitlines()[-1].startswith("\\* ")
    assert (pairs["a", "d"].low, pairs["a", "d"].high) == (50, 50)
    for (one, other), score in pairs.items():
        back = pairs[other, one]
        assert (score.percent + back.percent, score.matches) == (100, back.matches)
        assert score.low + back.high == pytest.approx(100, abs=1e-9)
    single = cross_table(ranked([record(0, "ab", (1, 2))] * 9)[1], [Fraction(1)])
    assert split(cross_text("ab", single, "table"))[:2] == [["1", "a", "-", "100.0"], ["2", "b", "0.0", "-"]]


def test_a_score_that_is_rounded_is_not_called_never_or_always():
    pairs = {(one, other): HeadToHead(p, 9, None, None) for one, other, p in (("a", "b", 0.4), ("b", "a", 99.6))}
    pairs |= {("a", "c"): HeadToHead(0, 9, None, None), ("c", "a"): HeadToHead(100, 9, None, None)}
    assert split(cross_text("abc", pairs, "table", 20))[0] == ["1", "a", "-", "<1", "0"]


@pytest.mark.parametrize("bots", [10, 30])
@pytest.mark.parametrize("width", [40, 77, 120])
def test_a_cross_table_has_numbered_columns_in_blocks_that_fit_the_screen(bots, width):
    """Every score stands once, in the row of the one and under the number of the other."""
    numbers = range(1, bots + 1)
    scores = {(i, j): round(100 * i / (i + j), 4) for i in numbers for j in numbers if i != j}
    pairs = {(f"bot-number-{i}", f"bot-number-{j}"): HeadToHead(s, 20, None, None) for (i, j), s in scores.items()}
    text = cross_text([f"bot-number-{i}" for i in numbers], pairs, "table", width)
    assert max(map(len, text.split("\n"))) <= width
    *blocks, _ = text.split("\n\n")
    found = {}
    for block in blocks:
        columns = block.split("\n")[0].split()[2:]
        for row, name, *cells in split(block):
            assert f"bot-number-{row}".startswith(name.split("…")[0])
            found |= {(int(row), int(column)): cell for column, cell in zip(columns, cells, strict=True)}
    digits = bots * 6 + 17 <= width  # one digit after the point, if all fits beside each other
    expected = {pair: f"{score:.{int(digits)}f}" for pair, score in scores.items()}
    assert found == expected | {(i, i): "-" for i in numbers}


def test_a_cycle_beyond_the_error_bars_has_a_line_below_the_standings():
    def line(*played):
        found, _ = ranked([each for matches in played for each in matches])
        return " ".join(standings_text(found, [], "table").split()).partition("above the next. ")[2]

    three = beaten("a", "b", 18), beaten("b", "c", 17), beaten("c", "a", 16)
    said = "Cycles beyond the error bars: a beats b, b beats c, c beats a"
    assert line(*three) == f"{said}."
    assert line(*three[:2], beaten("c", "a", 12)) == ""
    more = [*three, beaten("a", "d", 19), beaten("d", "b", 18), beaten("b", "e", 19), beaten("d", "c", 15)]
    assert line(*more) == f"{said} (and 1 more in cycles with them)."
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
