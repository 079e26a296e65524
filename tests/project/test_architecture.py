"""Rules of structure that no linter checks: the page on architecture shows what is there, and what only Linux has."""

import ast
import re
import tomllib

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "`" in line]


def test_the_headings_are_the_rooms_from_the_ground_up():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert re.findall(r"(?m)^## (\w+)$", PAGE) == settings["tool"]["importlinter"]["contracts"][0]["layers"][::-1]


def test_every_path_that_the_page_names_exists():
    for path in re.findall(r"`([\w./]+/[\w.]*)`", PAGE):
        assert (ROOT / path.replace("NAME", "bang")).exists(), path


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_what_a_row_says_to_look_at_is_in_its_file(row):
    _, _, file, names, _ = row.split("|")
    tree = ast.parse((ROOT / file.strip(" `")).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(re.findall(r"`(\w+)`", names)) <= defined


def test_what_only_linux_has_is_asked_for_in_its_places_alone():
    package = ROOT / "tourney"
    only_linux = re.compile(r"pidfd|prctl|sched_[gs]etaffinity|/proc/|/sys/fs|sys\.platform")
    files = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    using = [name for name, text in files.items() if only_linux.search(text)]
    assert "hosts/linux.py" in using
    assert [name for name in using if not name.startswith(("hosts/linux.py", "hosts/sandbox/"))] == []
