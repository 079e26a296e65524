"""What some commands print, at 80 columns; `RENEW=1 pytest tests/cli/test_golden_output.py` writes it anew."""

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "standings": "standings done",
    "cross": "standings done --cross",
    "seats": "standings done --seats",
    "matches": "matches done --limit 4",
    "replay": "replay done vole-0-0 --to 6",
    "replay-seat": "replay done vole-0-0 --seat 1 --to 6",
    "verify": "verify done",
    "games-vole": "games vole",
}


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_it_printed(tourney, name):
    result = tourney(*CASES[name].split(), COLUMNS="80")
    assert (result.returncode, result.stderr) == (0, "")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("RENEW"):
        path.write_text(result.stdout, encoding="utf-8")
    assert result.stdout == path.read_text(encoding="utf-8")
