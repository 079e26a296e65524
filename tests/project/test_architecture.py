"""The page on architecture shows the rooms that there are, and names files, functions and tests that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PICTURE = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)[0]
PATHS = [
    line for line in PAGE[PAGE.index("## Where to change") :].splitlines() if line.startswith("| ") and "`" in line
]


def rooms() -> set[str]:
    """Returns the modules and folders of the package, but for those that start it and what an old version has left."""
    package = ROOT / "tourney"
    files = [path.relative_to(package) for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    found = {path.parts[0] + "/" * (len(path.parts) > 1) for path in files}
    return {name for name in found if name.endswith((".py", "/")) and not name.startswith("__")}


def test_the_picture_shows_every_room_and_no_other():
    names = re.findall(r"(?m)(?<![\w/])\w+(?:\.py|/)", PICTURE)
    shown = {name for name in names if (ROOT / "tourney" / name).exists() or name.endswith(".py")}
    assert shown == rooms()


def test_every_file_that_the_page_names_is_there():
    for name in re.findall(r"`([\w./]+/[\w.]*)`", PAGE):
        assert (ROOT / name).exists(), name


def test_the_page_has_six_paths_to_change_something():
    assert len([row for row in PATHS if not row.startswith("| … ")]) == 6


@pytest.mark.parametrize("row", PATHS, ids=lambda row: row.split("|")[1].strip())
def test_what_a_path_says_to_look_at_is_in_its_file(row):
    _, _, files, names, tests, _ = row.split("|")
    file, *_ = re.findall(r"`(\S+\.py)`", files)
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    looked_at = set(re.findall(r"`(?:\w+\.)*(\w+)`", names))
    assert looked_at
    assert looked_at <= defined
    for test in re.findall(r"`(\S+)`", tests):
        assert (ROOT / test).is_file()
