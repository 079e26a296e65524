"""What the commands print is what somebody has read: at 80 columns, into a pipe. `make golden` renews it."""

import re

import pytest

from tests.snapshots.cases import FOLDER, HELP, OUTPUTS, make_runs, printed

CASES = HELP | OUTPUTS
LONG_LINES = ("matches", "matches-faults", "replay-vole-json")
"""What prints a line for each match or event, however long it is."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    make_runs(folder)
    return folder


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_command_prints_what_it_printed(name, runs):
    assert printed(CASES[name], runs) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HELP)
def test_the_help_is_what_it_was(name, tmp_path):
    assert printed(CASES[name], tmp_path) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in CASES if name not in LONG_LINES])
def test_the_output_fits_80_columns(name):
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    lines = re.sub(r"\x1b\[\d*m", "", text).splitlines()[1:]
    assert [line for line in lines if len(line) > 80 and not line.startswith("tourney: ")] == []  # errors are one line


def test_every_file_is_a_case():
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(CASES)
