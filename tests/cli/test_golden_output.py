"""What some commands print, at 80 columns; `RENEW=1 pytest tests/cli/test_golden_output.py` writes it anew."""

import os
from pathlib import Path

import pytest

from tests.conftest import BAD
from tourney.plugins.entry_points import own_version

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "help": "--help",
    "standings": "standings done",
    "cross": "standings done --cross",
    "seats": "standings done --seats",
    "matches": "matches done --limit 4",
    "replay": "replay done vole-0-0 --to 6",
    "replay-seat": "replay done vole-0-0 --seat 1 --to 6",
    "verify": "verify done",
    "games": "games",
    "games-vole": "games vole",
    "view-vole": "games vole --view",
    "bots": "bots",
    "export": "export done --format csv",
    "diff": "diff done other",
    "new-bot": "new bot fox",
    "rounds": "standings swiss --rounds",
    "ladder": "standings ladder",
    "run": "run other.toml --out run --quiet",
    "gate": "gate random --against random --game vole --option vole.target=6 --quiet --out gate",
    "analyse": "analyse ladder vole-00000-0 --playouts 4",
}
CODES = {"diff": 1}
RAISES = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'


@pytest.fixture
def runs(finished, write, played):
    """Runs for the commands: one, another one of it, a Swiss, and a ladder."""
    played(write("other", deals="1", extra=RAISES), "other")
    played(write("swiss", format='"swiss"', rounds="2", deals="1"), "swiss")
    played(write("ladder", format='"ladder"', max_matches="60"), "ladder")
    return finished


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_it_printed(tourney, name):
    result = tourney(*CASES[name].split(), COLUMNS="80")
    assert result.returncode == CODES.get(name, 0), result.stderr
    shown = result.stdout.replace(own_version(), "VERSION")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("RENEW"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
