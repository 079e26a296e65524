"""Columns are dropped only where a table would be too wide."""

from tourney.standings.tables import Column, aligned, fitted, total_width

COLUMNS = [
    Column("#", ["1", "2"]),
    Column("bot", ["a-rather-long-name-of-a-bot", "short"], is_text=True),
    Column("least", ["1", "2"], expendable=3),
    Column("points", ["1", "2"]),
    Column("little", ["1", "2"], expendable=1),
]
WHOLE = total_width(COLUMNS)


def headings(width: int) -> list[str]:
    return [column.heading for column in fitted(COLUMNS, width)]


def test_columns_are_dropped_only_where_it_is_needed_and_the_least_important_first():
    assert headings(WHOLE) == ["#", "bot", "least", "points", "little"]
    assert headings(WHOLE - 1) == ["#", "bot", "points", "little"]
    assert headings(WHOLE - 8) == headings(1) == ["#", "bot", "points"]


def test_words_are_aligned_to_the_left_and_numbers_to_the_right():
    columns = [Column("bot", ["seer", "x\n"], is_text=True), Column("pts %", ["7", "100"])]
    assert aligned(columns) == "bot   pts %\n----  -----\nseer      7\nx\\n     100"
