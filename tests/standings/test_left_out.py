"""The lists of what is left out under `TOURNEY_PORTABLE=1` name what there is, and docs/platforms.md agrees."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.standings import left_out

HERE = ROOT / "tests"
PAGE = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
MOST_PROMISES = 10


@pytest.mark.parametrize("name", left_out.FILES)
def test_a_file_on_the_list_is_there(name):
    assert (HERE / name).is_dir() if name.endswith("/") else (HERE / name).is_file()


@pytest.mark.parametrize("name", left_out.PAGES)
def test_a_file_about_pages_is_there(name):
    assert (HERE / name).is_file()


def collected(names: list[str]) -> list[str]:
    """The tests of files, as pytest names them, without the folder `tests/`."""
    files = [HERE / name for name in names]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    found = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True)
    return [line.removeprefix("tests/") for line in found.stdout.splitlines() if "::" in line]


def test_every_test_and_every_case_on_the_list_is_there():
    files = sorted({name.partition("::")[0] for name in left_out.TESTS})
    names = collected(files)
    known = {*names, *[name.partition("[")[0] for name in names]}
    assert [name for name in left_out.TESTS if name not in known] == []
    cases = {part for name in names for part in name.partition("[")[2].removesuffix("]").split("-")}
    assert [case for case in left_out.CASES if case not in cases] == []


def test_no_test_is_on_the_list_twice():
    for name in left_out.TESTS:
        assert name.partition("::")[0] not in left_out.FILES
        assert name == name.partition("[")[0] or name.partition("[")[0] not in left_out.TESTS


@pytest.mark.parametrize(
    ("test", "promise"),
    [
        ("hosts/test_sandbox.py::test_there_is_no_network[ping]", left_out.SANDBOX),
        ("cluster/test_pool.py::test_any", left_out.CLUSTER),
        ("test_layers.py::test_any[tourney/runner/cluster/pool.py]", ""),
        ("hosts/test_outcomes.py::test_any[sandbox-many]", left_out.SANDBOX),
        ("hosts/test_outcomes.py::test_any[process-many]", ""),
        ("hosts/test_keep.py::test_any[Allocates-memory]", left_out.MEMORY),
        ("test_docs.py::test_any[sandbox]", ""),
    ],
)
def test_a_test_is_left_out_for_its_file_or_its_case(test, promise):
    assert left_out.promise(test) == promise


def section(heading: str) -> str:
    """The text of a part of the page."""
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(text: str) -> dict[str, list[str]]:
    """The lines of a table, by their first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {first: others for first, *others in cells[2:]}


def test_the_page_says_of_every_promise_where_it_is_not_kept():
    lines = rows(section("What holds where"))
    for promise in left_out.PROMISES:
        (cells,) = [cells for name, cells in lines.items() if name.startswith(promise)]
        assert cells[0] == "yes"
        assert "yes" not in cells[1:]


def test_the_page_counts_the_tests_of_every_promise_and_there_are_few_promises():
    assert list(rows(section("Trying it on Linux"))) == left_out.PROMISES
    assert len([promise for promise in left_out.PROMISES if promise != left_out.SANDBOX]) <= MOST_PROMISES
