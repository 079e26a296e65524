"""What each command prints, at 80 columns; `RENEW=1 pytest tests/cli/test_golden_output.py` writes it anew."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from tests.cli.runs import DAMAGE, journal
from tourney.hosts.timing import DecisionTimes
from tourney.journal.times import TIMES, Times
from tourney.plugins.entry_points import own_version

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    "help": "--help",
    "standings": "standings done",
    "standings-csv": "standings done --format csv",
    "standings-json": "standings done --format json",
    "standings-markdown": "standings done --format markdown",
    "without-faults": "standings other --without-faults",
    "without-faults-json": "standings other --without-faults --format json",
    "cross": "standings done --cross",
    "cross-csv": "standings done --cross --format csv",
    "cross-json": "standings done --cross --format json",
    "seats": "standings done --seats",
    "rounds": "standings swiss --rounds",
    "rounds-csv": "standings swiss --rounds --format csv",
    "rounds-json": "standings swiss --rounds --format json",
    "times": "standings done --times",
    "times-csv": "standings done --times --format csv",
    "times-json": "standings done --times --format json",
    "ladder": "standings ladder",
    "matches": "matches done --limit 4",
    "matches-faults": "matches other --faults",
    "replay": "replay done vole-0-0 --to 6",
    "replay-seat": "replay done vole-0-0 --seat 1 --to 6",
    "replay-json": "replay done vole-0-0 --json --to 2",
    "replay-fault": "replay other vole-2-0 --to 12",
    "replay-fault-seat": "replay other vole-2-0 --seat 1 --from 6 --to 12",
    "export": "export other --format csv",
    "verify": "verify done",
    "verify-bad": "verify bad",
    "diff": "diff done other",
    "games": "games",
    "games-vole": "games vole",
    "view-vole": "games vole --view",
    "bots": "bots",
    "bot": "bots seer",
    "bot-in-file": "bots raises.py:Raises",
    "new-bot": "new bot fox",
    "run": "run other.toml --out run --quiet",
    "gate": "gate random --against random --game vole --option vole.target=6 --quiet --out gate",
    "analyse": "analyse ladder vole-00000-0 --playouts 20",
}
CODES = {"diff": 1, "verify-bad": 1}
MEASURED = ("analyse",)
"""What these say to stderr tells how long they took."""
RAISES = '''
class Raises:
    """Sly.

    And old.
    """

    games = ("vole", "bang")

    def act(self, view, legal):
        if len(view.hand) < 12:
            raise ValueError("no idea")
        return legal[0]
'''
RAISER = '[[bot]]\nname = "bad"\nuse = "raises.py:Raises"'
SAVED = Times(
    1, {"first": DecisionTimes(2_000, {160: 1, 175: 1}), "steady": DecisionTimes(5_900_000_000, {424: 1, 519: 1})}
)
"""Times that may be those of a run."""


@pytest.fixture
def runs(finished, write, played):
    """Runs for the commands: one with times, one with a bot that faults, a bad one, a Swiss, and a ladder."""
    bad = Path(shutil.copytree(finished, finished.parent / "bad"))
    (bad / "journal.jsonl").write_bytes(b"".join(DAMAGE["many changed"](journal(bad).splitlines(keepends=True)[:3])))
    (finished / TIMES).write_bytes(msgspec.json.encode(SAVED))
    (finished.parent / "raises.py").write_text(RAISES, encoding="utf-8")
    played(write("other", deals="1", extra=RAISER), "other")
    played(write("swiss", format='"swiss"', rounds="2", deals="1"), "swiss")
    played(write("ladder", format='"ladder"', max_matches="60"), "ladder")
    return finished


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_it_printed(tourney, name):
    result = tourney(*CASES[name].split(), COLUMNS="80")
    assert result.returncode == CODES.get(name, 0), result.stderr
    shown = result.stdout.replace(own_version(), "VERSION") + ("" if name in MEASURED else result.stderr)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("RENEW"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
