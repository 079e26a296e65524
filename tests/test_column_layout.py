"""Columns are dropped, and words shortened, only where a table would be too wide."""

import pytest

from tourney.column_layout import SHORTEST, Column, aligned, display_width, fitted, shortened, total_width

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
    assert headings(WHOLE - 8) == ["#", "bot", "points"]
    assert [column.cells for column in fitted(COLUMNS, WHOLE)] == [column.cells for column in COLUMNS]


@pytest.mark.parametrize("width", range(20, WHOLE + 3))
def test_a_table_is_as_wide_as_there_is_room(width):
    lines = aligned(COLUMNS, width).split("\n")
    assert max(map(len, lines)) <= width
    assert ("…" in lines[2]) == (width < total_width([COLUMNS[i] for i in (0, 1, 3)]))
    assert "short" in lines[3]


def test_words_are_shortened_in_the_middle_and_the_longest_first():
    assert shortened("playouts-of-200", 8) == "play…200"
    assert shortened("12345678", 8) == "12345678"
    two = [Column("one", ["x" * 30], is_text=True), Column("other", ["y" * 12], is_text=True)]
    assert [column.width for column in fitted(two, 34)] == [20, 12]
    assert [column.width for column in fitted(two, 22)] == [10, 10]
    assert [column.width for column in fitted(two, 5)] == [SHORTEST, SHORTEST]


def test_wide_characters_take_two_cells_and_marks_above_others_none():
    assert [display_width(text) for text in ("bot", "ボット", "机器人-2", "e\u0301", "\uff42")] == [3, 6, 8, 1, 2]
    assert shortened("机器人机器人", 8) == "机器…人"
    columns = [Column("bot", ["机器人", "steady"], is_text=True), Column("点", ["7", "100"])]
    assert aligned(columns) == "bot      点\n------  ---\n机器人    7\nsteady  100"
    for width in range(20, 4, -1):
        wide = [Column("name", ["机器人" * 8, "x"], is_text=True), Column("n", ["1", "2"])]
        assert max(map(display_width, aligned(wide, width).split("\n"))) <= max(width, SHORTEST + 3)
