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
