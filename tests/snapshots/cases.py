"""Which commands have a snapshot, the runs that they look at, and how they are run."""

import os
import re
import shlex
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from click.testing import CliRunner

from tests.conftest import ROOT, tournament_text
from tourney.cli import screen
from tourney.cli.main import COMMANDS, main
from tourney.errors import EXIT_BUG

FOLDER = Path(__file__).parent

HELP = {"help": "--help"} | {f"help-{name}": f"{name} --help" for name in COMMANDS}

OUTPUTS = {
    "games": "games",
    "games-vole": "games vole",
    "games-cold-blooded": "games cold-blooded",
    "games-vole-view": "games vole --view",
    "bots": "bots",
    "bots-seer": "bots seer",
    "docs": "docs",
    "standings": "standings small",
    "standings-cross": "standings small --cross",
    "standings-seats": "standings small --seats",
    "standings-rounds": "standings swiss --rounds",
    "standings-bracket": "standings cup --rounds",
    "standings-all": "standings all",
    "matches": "matches small --bot steady",
    "matches-round": "matches cup --round 2",
    "matches-faults": "matches faulty --faults",
    "replay-vole": "replay all vole-00003-0 --to 32",
    "replay-vole-seat": "replay all vole-00003-0 --seat 0 --to 32",
    "replay-vole-signs": "replay all vole-00003-0 --color --to 5",
    "replay-vole-bot": "replay all vole-00003-0 --decisions-of steady-2 --from 17 --to 35",
    "replay-vole-json": "replay all vole-00003-0 --json --to 4",
    "replay-vole-end": "replay all vole-00003-0 --from 120",
    "replay-voleur": "replay all voleur-00010-2 --to 19",
    "replay-voleur-seat": "replay all voleur-00010-2 --seat 0 --to 19",
    "replay-leon": "replay all leon-00020-2 --to 20",
    "replay-leon-seat": "replay all leon-00020-2 --seat 0 --to 20",
    "replay-bang": "replay all bang-00025-2 --to 35",
    "replay-bang-seat": "replay all bang-00025-2 --seat 0 --to 35",
    "replay-cold-blooded": "replay all cold-blooded-00035-2 --to 36",
    "replay-cold-blooded-seat": "replay all cold-blooded-00035-2 --seat 0 --to 36",
    "replay-fault": "replay faulty vole-00001-0 --to 14",
    "replay-unknown": "replay small vole-00001-00",
    "verify": "verify small",
    "verify-bots": "verify small --bots",
    "diff-same": "diff small small",
    "diff": "diff small other",
    "debug-try": "debug all vole-00003-0 17 --try play:5k --continuations 9",
    "debug-same": "debug all vole-00003-0 17 --try play:7t",
    "debug-bot": "debug all cold-blooded-00035-2 8 --bot steady",
    "debug-illegal": "debug all vole-00003-0 17 --try play:1t",
    "debug-no-decision": "debug small vole-00001-0 999",
}

GATES = {
    "gate": "gate random --against first --game vole --option vole.target=6 --game bang:3",
    "gate-fault": "gate bad.py:RaisesLater --against random --game vole --inline",
    "gate-field": "gate steady --against random --game leon:3 --field first --elo0 -100",
    "gate-undecided": "gate first --against random --game vole --max-deals 5",
}
OUTPUTS |= {name: f"{command} --quiet --resume" for name, command in GATES.items()}  # of gates that were played

WIDTHS = (40, 80, 120)
"""In how many columns some commands are shown."""
FITTED = {
    "standings": "standings faulty",
    "standings-swiss": "standings swiss",
    "cross-10": "standings ten --cross",
    "cross-30": "standings thirty --cross",
    "rounds": "standings swiss --rounds",
    "bracket": "standings cup --rounds",
    "matches": "matches all",
    "matches-faults": "matches faulty --sort faults",
    "matches-lost": "matches ten --bot first --lost --sort margin --limit 5",
    "check": "check first --game vole --game bang",
    "gate": OUTPUTS["gate"],
}
COLUMNS = {f"{name}-{width}": width for name in FITTED for width in WIDTHS}
"""The width of each case that has another than 80 columns, or the same command in several widths."""
OUTPUTS |= {f"{name}-{width}": command for name, command in FITTED.items() for width in WIDTHS}

BAD_BOT = """
class RaisesLater:
    count = 0

    def act(self, view, legal):
        self.count += 1
        if self.count > 3:
            raise ValueError
        return legal[-1]
"""


def make_runs(folder: Path) -> None:
    """Plays the runs that the commands look at into folder/results."""
    (folder / "bad.py").write_text(BAD_BOT, encoding="utf-8")
    every = re.sub(r"(?m)^deals = .*", "deals = 1", (ROOT / "configs" / "all.toml").read_text(encoding="utf-8"))
    texts = {
        "small": tournament_text("small"),
        "other": tournament_text("other", deals="3", bots='["random", "first", "seer"]'),
        "faulty": tournament_text("faulty", deals="1", bots='["random", "steady", "bad.py:RaisesLater"]'),
        "all": every,
        "swiss": tournament_text("swiss", format='"swiss"', rounds="2"),
        "cup": tournament_text("cup", format='"knockout"'),
        "ten": tournament_text("ten", deals="3", extra=_more_bots(10)),
        "thirty": tournament_text("thirty", deals="1", extra=_more_bots(30)),
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        assert "[exit" not in printed(f"run {name}.toml --out results/{name} --quiet", folder)
    for command in GATES.values():
        printed(f"{command} --quiet", folder)


def _more_bots(count: int) -> str:
    """Further bots beside the usual three, up to that many."""
    return "\n".join([
        f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"'
        for i, use in zip(range(3, count), cycle(("random", "steady", "first")))
    ])  # fmt: skip


def printed(command: str, folder: Path, columns: int = 80) -> str:
    """The snapshot of a command that is run in that folder. How long something has taken is left out."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        shown = patch.object(screen, "terminal_width", screen.known_width)  # as on a terminal, but plain
        with shown, patch.dict(os.environ, {"COLUMNS": str(columns), "NO_COLOR": ""}):
            result = CliRunner().invoke(main, shlex.split(command), prog_name="tourney")
    finally:
        os.chdir(before)
    assert result.exit_code != EXIT_BUG, result.output
    code = f"[exit {result.exit_code}]\n" if result.exit_code else ""
    output = re.sub(r"(?m)^(ok|FAIL) +(speed|processor) .*\n( .*\n)*", r"\1 \2 …\n", result.output)
    return f"$ tourney {command}\n{output}{code}"


def renew() -> None:
    """Writes all snapshots anew."""
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    with TemporaryDirectory() as name:
        make_runs(Path(name))
        for case, command in (HELP | OUTPUTS).items():
            text = printed(command, Path(name), COLUMNS.get(case, 80))
            (FOLDER / f"{case}.txt").write_text(text, encoding="utf-8")
