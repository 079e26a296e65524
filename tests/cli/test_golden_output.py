"""What each command prints, at 80 columns."""

import shlex
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from tests.cli.runs import cut, journal, without_versions
from tests.conftest import ROOT
from tourney.contracts.match import Match, record_of
from tourney.hosts.timing import DecisionTimes
from tourney.journal.reader import parse_sealed_record
from tourney.journal.times import TIMES, Times

REPORTED = "--out gate --write gate.md --write gate.xml"
CASES = {
    "help": "--help",
    "version": "--version",
    "standings": "standings done",
    "by-score": "standings other --game vole --by score",
    "by-score-in-games": "standings games --by score",
    "without-faults": "standings other --without-faults",
    "without-pair": "standings done --without-pair random first",
    "cross": "standings done --show cross",
    "cross-json": "standings done --show cross --format json",
    "seats-markdown": "standings games --show seats --format markdown",
    "rounds": "standings swiss --show rounds",
    "rounds-stopped": "standings stopped --show rounds --format json",
    "times": "standings done --show times",
    "times-narrow": "standings done --show times",
    "times-csv": "standings done --show times --format csv",
    "times-json": "standings done --show times --format json",
    "ladder": "standings ladder",
    "ladder-rounds": "standings ladder --show rounds",
    "matches": "matches done --limit 4",
    "matches-faults": "matches other --faults",
    "matches-by-faults": "matches other --sort faults --limit 9",
    "matches-of-bot-by-faults": "matches other --bot first --bot bad --sort faults",
    "matches-by-length": "matches games --sort length",
    "matches-worst": "matches games --bot random --outcome lost --sort margin --limit 5",
    "replay": "replay done vole-0-0 --to 6",
    "replay-json": "replay done vole-0-0 --json --to 2",
    "replay-json-seat": "replay done vole-1-0 --json --seat 0 --from 5 --to 9",
    "replay-fault": "replay other vole-2-0 --to 12",
    "replay-fault-seat": "replay other vole-2-0 --seat 1 --from 6 --to 12",
    "replay-decisions": "replay other vole-2-0 --decisions-of bad --to 10",
    "replay-colours": "replay games voleur-3-0 --seat 2 --to 60 --color",
    "replay-bang": "replay games bang-0-0 --seat 2 --to 40",
    "replay-cold-blooded": "replay games cold-blooded-1-0 --to 60",
    "replay-leon": "replay games leon-2-1 --seat 1 --to 60",
    "replay-page": "replay done vole-0-0 --seat 1 --html m.html",
    "export": "export other --format csv",
    "export-table": "export other --format csv -o rows.csv",
    "export-match": "export done vole-0-0 -o m.json",
    "compare-alike": "compare games --alike",
    "diff": "diff done other",
    "diff-longer": "diff other swiss",
    "diff-same": "diff done done",
    "diff-cut": "diff done cut",
    "diff-actions": "diff done changed",
    "games": "games",
    "games-vole": "games vole",
    "games-bang": "games bang",
    "games-cold-blooded": "games cold-blooded",
    "view-vole": "games vole --view",
    "bots": "bots",
    "bot": "bots seer",
    "bot-in-file": "bots raises.py:Raises",
    "league-new": "league new cup --game vole",
    "new-bot": "new bot fox",
    "new-program": "new bot fox --language javascript --game vole --out 'a/b/c d'",
    "new-game": "new game otter",
    "run": "run other.toml --out run --quiet",
    "run-finished": "run small.toml --out done --resume --workers 1",
    "run-mixed": "run mixed.toml --out run --workers 1",
    "run-ladder": "run ladder.toml --out run --workers 1",
    "gate": "gate random --against random --game vole --option vole.target=6 --quiet --out gate",
    "gate-field": "gate random --against random --field random --game vole --quiet --json --out gate",
    "gate-narrow": "gate first --against steady --game vole --max-deals 6 --workers 1 --quiet --out six",
    "gate-failed": f"gate raises.py:Raises --against random --game vole --host inline --workers 1 {REPORTED} --quiet",
    "gate-weak": f"gate random --against steady --game vole --workers 1 {REPORTED} --quiet",
    "gate-undecided": f"gate first --against steady --field random --game bang:3 --game vole --option vole.target=6 "
    f"--elo0 -2 --elo1 2 --max-deals 6 {REPORTED} --workers 1",
    "compare": "compare first tidy --run games",
    "compare-narrow": "compare first tidy --run games",
    "compare-markdown": "compare first steady --run done --format markdown",
    "analyse-nothing": "analyse other vole-0-0 --playouts 4 --bot bad --trust",
    "analyse-csv": "analyse ladder vole-00000-0 --playouts 4 --bot steady --format csv",
    "analyse-json": "analyse other --playouts 4 --bot bad --trust --format json",
    "analyse-markdown": "analyse other --playouts 4 --limit 2 --bot bad --trust --format markdown",
}
FAILING = ("diff", "diff-longer", "diff-cut", "diff-actions", "gate-failed", "gate-weak")
CODES = {**dict.fromkeys(FAILING, 1), "by-score-in-games": 2, "gate-undecided": 3, "gate-narrow": 3}
WRITTEN = ("gate.md", "gate.xml", "gate/gate.json", "rows.csv")
"""Files that some of them write, and that are compared as well."""
RAISES = '''
from tourney import Noted

class Raises:
    """Sly.

    And o l d, i f i t i s a l l o w e d, a n d w h a t e l s e m a y f i l l a l i n e, o f c o u r s e, t o
    t h e e n d.
    """

    games = ("vole", "bang")

    def act(self, view, legal):
        if len(view.hand) < 12:
            raise ValueError("no idea")
        return Noted(legal[0], value=0.1)
'''
FOUR = [f'[[game]]\nname = "{game}"\nseats = 4\n' for game in ("bang", "cold-blooded", "leon", "voleur")]
RAISER = '[[bot]]\nname = "bad"\nuse = "raises.py:Raises"'
TIDY = '[[bot]]\nname = "tidy"\nuse = "first"'
MIXED = f'''[[bot]]
name = "kept"
use = "first"
host = "process"
keep = true
[[bot]]
name = "program"
command = ["{sys.executable}", "{ROOT}/bots/wire/random_bot.py"]
'''
TIMED = {"first": DecisionTimes(2_000, {160: 1, 175: 1}), "steady": DecisionTimes(5_900_000_000, {424: 1, 519: 1})}
"""Times that may be those of a run."""


@pytest.fixture
def runs(finished, write, played):
    """Runs for the commands: with times, without its first line, other actions, faults, and of other formats."""
    shutil.copytree(finished, finished.parent / "cut")
    (finished.parent / "cut" / "journal.jsonl").write_bytes(journal(finished).partition(b"\n")[2])
    changed, lines = Path(shutil.copytree(finished, finished.parent / "changed")), journal(finished).splitlines(True)
    for number in (9, 7):
        record = parse_sealed_record(lines[number], "")
        match = Match(record.match, record.setup, record.block, int(record.seed, 16), record.seats)
        actions = " ".join(["keep" if at == 4 else each for at, each in enumerate(record.actions.split(" "))])
        lines[number] = record_of(match, actions, record.scores, record.places, record.faults, []).line()
    (changed / "journal.jsonl").write_bytes(b"".join(lines))
    (finished / TIMES).write_bytes(msgspec.json.encode(Times(1, TIMED)))
    (finished.parent / "raises.py").write_text(RAISES, encoding="utf-8")
    played(write("other", deals="1", extra=RAISER), "other")
    swiss = write("swiss", format='"swiss"', rounds="2", deals="1", extra=f"{RAISER}\n{TIDY}")
    played(swiss, "swiss")
    cut(played(swiss, "stopped"), 5)
    write("mixed", bots='["first"]', deals="1", extra=MIXED)
    played(write("ladder", format='"ladder"', max_matches="60"), "ladder")
    played(write("games", deals="1", game="".join(FOUR), extra=TIDY), "games")
    return finished


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_it_printed(golden, tourney, tmp_path, name):
    result = tourney(*shlex.split(CASES[name]), COLUMNS="40" if "narrow" in name else "80")
    assert result.returncode == CODES.get(name, 0), result.stderr
    files = [(tmp_path / file).read_text(encoding="utf-8") for file in WRITTEN if (tmp_path / file).exists()]
    told = f"--- stderr\n{result.stderr}" if result.stderr else ""
    golden(f"{name}.txt", without_versions("".join([result.stdout, told, *files])))
