"""The examples of docs/api.md print what the page says, and its notebook runs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_as_one_script_prints_what_it_shows(tmp_path):
    """The script has no `if __name__ == "__main__"`: the workers do not import it."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    script = tmp_path / "page.py"
    script.write_text("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == "".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL)).splitlines()


@pytest.mark.slow
def test_the_notebook_runs_and_the_mended_bot_is_better(tmp_path):
    nbformat, nbclient = map(pytest.importorskip, ("nbformat", "nbclient"))
    notebook = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    shown = [printed(cell) for cell in notebook.cells if cell.cell_type == "code"]
    client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    again = [printed(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert again == shown
    assert any(["PASSED: Mended is stronger" in text for text in again])
    assert (DOCS / "notebook.ipynb").stat().st_size < 100_000


def printed(cell: Any) -> str:
    """Returns what a cell has printed."""
    return "".join([output.get("text", "") for output in cell.outputs if output.output_type == "stream"])
