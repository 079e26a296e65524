"""Tables take the width of the terminal, or what `COLUMNS` says; a run's file and a pipe have 80 columns."""

import pytest

from tests.cli.terminal import on_terminal


@pytest.mark.usefixtures("finished")
def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, tmp_path):
    heads = {columns: on_terminal(tmp_path, columns, "standings", "done").lines[0].split() for columns in (40, 80)}
    assert len(heads[40]) < len(heads[80])
    assert set(heads[40]) < set(heads[80])
    piped = tourney("standings", "done").stdout
    assert piped == (tmp_path / "done" / "standings.txt").read_text(encoding="utf-8")
    assert piped.split("\n")[0].split() == heads[80]
