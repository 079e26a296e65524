"""Tables take the width of the terminal, or what `COLUMNS` says; a run's file and a pipe have 80 columns."""

import pytest

from tests.cli.terminal import on_terminal

TABLES = (["standings"], ["standings", "--cross"], ["standings", "--seats"])


@pytest.mark.usefixtures("finished")
def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, tmp_path):
    heads = {columns: on_terminal(tmp_path, columns, "standings", "done").lines[0].split() for columns in (40, 80)}
    assert len(heads[40]) < len(heads[80])
    assert set(heads[40]) < set(heads[80])
    piped = tourney("standings", "done").stdout
    assert piped == (tmp_path / "done" / "standings.txt").read_text(encoding="utf-8")
    assert piped.split("\n")[0].split() == heads[80]


@pytest.mark.slow
@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("command", TABLES, ids=" ".join)
def test_no_table_is_wider_than_the_terminal_and_columns_overrides_it(tmp_path, command):
    name, *options = command
    shown = on_terminal(tmp_path, 40, name, "done", *options)
    assert shown.code == 0
    assert max(map(len, shown.lines)) <= 40
    assert on_terminal(tmp_path, 120, name, "done", *options, COLUMNS="40").lines == shown.lines
    assert on_terminal(tmp_path, 40, name, "done", *options, COLUMNS="120").lines == (
        on_terminal(tmp_path, 120, name, "done", *options).lines
    )


def test_what_a_run_says_of_itself_is_as_wide(write, tmp_path):
    shown = on_terminal(tmp_path, 40, "run", write("a-tournament-with-a-long-name"), "--out", "run")
    assert shown.code == 0
    assert shown.lines[0] == "a-tournament-with-a-long-name:"
    assert shown.lines[1].startswith("  ")
    assert max(map(len, shown.lines)) <= 40


def test_a_run_ends_with_a_table_of_that_width_and_its_file_has_80_columns(write, tmp_path):
    shown = on_terminal(tmp_path, 40, "run", write(), "--out", "run", "--quiet")
    assert shown.code == 0
    assert max(map(len, shown.lines)) <= 40
    text = (tmp_path / "run" / "standings.txt").read_text(encoding="utf-8")
    assert 40 < max(map(len, text.split("\n"))) <= 80
