"""The names of the library: imported when they are asked for, documented, and nobody else's."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tourney

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_importing_tourney_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import tourney; print(*sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == ["tourney"]


def test_no_name_is_that_of_a_module_once_every_module_is_imported():
    for found in pkgutil.walk_packages(tourney.__path__, "tourney."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for name in tourney.__all__:
        assert inspect.ismodule(getattr(tourney, name)) == (name in ("cards", "pettingzoo")), name
    assert "vole" in tourney.game_names()
    assert tourney.load_game("vole").name == "vole"
    assert "steady" in tourney.bot_names()


def test_the_page_names_every_name_and_no_other():
    table = PAGE[PAGE.index("## Every name") :]
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", table)) == sorted(tourney.__all__)
    assert set(tourney.__all__) <= set(dir(tourney))
    used = re.findall(r"\btourney\.(\w+)", "".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)))
    assert set(used) <= set(tourney.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        tourney.no_such_name  # noqa: B018 - reading it is the point


def test_whatever_fails_says_what_it_raises():
    run = tourney.Run
    functions = [tourney.run, tourney.load, tourney.play, tourney.gate, tourney.load_game]
    of_runs = [run.standings, run.records, run.matches, run.decisions, run.replay, run.verify, run.report, run.analyse]
    for function in [*functions, tourney.MatchReplay.decisions, *of_runs]:
        raised = re.findall(r"(?m)^    (\w+Error):", (inspect.getdoc(function) or "").partition("Raises:")[2])
        assert raised, function
        assert set(raised) <= set(tourney.__all__), function
