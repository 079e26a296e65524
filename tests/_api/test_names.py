"""The names of the library: imported when they are asked for, documented, and nobody else's; its page and notebook."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import tourney
from tests.conftest import ROOT

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
        assert inspect.ismodule(getattr(tourney, name)) == (name == "cards"), name
    assert "vole" in tourney.game_names()
    assert tourney.load_game("vole").name == "vole"
    assert "steady" in tourney.bot_names()


def test_the_page_names_every_name_and_no_other():
    table = PAGE.partition("## Every name")[2]
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", table)) == sorted(tourney.__all__)
    assert set(tourney.__all__) <= set(dir(tourney))
    used = re.findall(r"\btourney\.(\w+)", "".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)))
    assert set(used) <= set(tourney.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        tourney.no_such_name  # noqa: B018 - reading it is the point


def test_whatever_fails_says_what_it_raises():
    run = tourney.Run
    functions = [tourney.run, tourney.load, tourney.play, tourney.gate, tourney.compare, tourney.load_game, run.compare]
    of_runs = [run.standings, run.records, run.matches, run.decisions, run.replay, run.verify, run.report, run.analyse]
    for function in [*functions, tourney.MatchReplay.decisions, *of_runs]:
        text = (inspect.getdoc(function) or "") + (inspect.getdoc(run) or "" if function in of_runs else "")
        raised = re.findall(r"(?m)^    (\w+Error):", text.partition("Raises:")[2])
        assert raised, function
        assert set(raised) <= set(tourney.__all__), function


def test_the_page_as_one_script_prints_what_it_shows(tmp_path):
    """The script has no `if __name__ == "__main__"`: the workers do not import it."""
    script = tmp_path / "page.py"
    script.write_text("".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == "".join(re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)).splitlines()


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_the_notebook_runs_and_the_mended_bot_is_better(tmp_path):
    nbformat, nbclient = map(importlib.import_module, ("nbformat", "nbclient"))
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)

    def printed():
        outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
        return "".join([each.get("text", "") for each in outputs if each.output_type == "stream"])

    shown = printed()
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed() == shown
    assert "PASSED: Mended is stronger" in shown
    assert (ROOT / "docs" / "notebook.ipynb").stat().st_size < 100_000
