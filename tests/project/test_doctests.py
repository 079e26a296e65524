"""Every example in a docstring of the package and of its bots prints what it says."""

import doctest
import importlib
import importlib.util
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = [
    path
    for package in (ROOT / "tourney", ROOT / "bots" / "tourney_bots")
    for path in sorted(package.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removeprefix("bots.").removesuffix(".__init__")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_examples_in_docstrings_print_what_they_say(path):
    """They are read from the source, since a compiled module does not show its docstrings."""
    spec = importlib.util.spec_from_file_location(name_of(path), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def test_there_are_examples_to_run():
    assert FILES
