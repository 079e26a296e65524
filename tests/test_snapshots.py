"""What the commands print is what somebody has read: at 40, 80 and 120 columns. `make golden` renews it."""

import re

import pytest

from tests.snapshots.cases import COLUMNS, FOLDER, HELP, OUTPUTS, make_runs, printed

CASES = HELP | OUTPUTS
LONG_LINES = ("replay-vole-json",)
"""What prints a line for each event, however long it is."""
SLOW = ("check-40", "check-120")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshots")
    make_runs(folder)
    return folder


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in OUTPUTS]
)
def test_a_command_prints_what_it_printed(name, runs):
    assert printed(CASES[name], runs, COLUMNS.get(name, 80)) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HELP)
def test_the_help_is_what_it_was(name, tmp_path):
    assert printed(CASES[name], tmp_path) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in CASES if name not in LONG_LINES])
def test_the_output_fits_the_columns_that_there_are(name):
    """Errors are one line, and commands are not broken."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    lines = re.sub(r"\x1b\[\d*m", "", text).splitlines()[1:]
    wide = [line for line in lines if len(line) > COLUMNS.get(name, 80)]
    assert [line for line in wide if not line.startswith(("tourney: ", "  tourney "))] == []


def test_every_file_is_a_case():
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(CASES)
