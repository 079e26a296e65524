"""The page on architecture has a heading for every room, in order, and the files and names that it shows exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "`" in line]


def test_the_headings_are_the_rooms_from_the_ground_up():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert re.findall(r"(?m)^## (\w+)$", PAGE) == layers[::-1]


def test_every_path_that_the_page_names_exists():
    for path in re.findall(r"`([\w./]+/[\w.]*)`", PAGE):
        assert (ROOT / path.replace("NAME", "bang")).exists(), path


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_what_a_row_says_to_look_at_is_in_its_file(row):
    _, _, file, names, _ = row.split("|")
    tree = ast.parse((ROOT / file.strip(" `")).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(re.findall(r"`(\w+)`", names)) <= defined
