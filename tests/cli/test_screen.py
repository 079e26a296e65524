"""What commands show on a terminal, which nothing that they print can steer, and what they say elsewhere."""

import re
import shutil
from hashlib import blake2b
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest
from click.testing import CliRunner

from tests.cli.runs import Terminal, begin, interrupted, plain
from tests.conftest import tournament_text, with_code
from tourney.base.errors import EXIT_BUG
from tourney.cli.main import main
from tourney.cli.render import progress
from tourney.journal import folder

NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e\u2028\r\nforged line\ttab \x00 end"
STEERS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no command may print, but for the line ends."""
COMMANDS = (
    "standings", "standings --format json", "matches", "replay vole-00000-0 --color", "replay vole-00000-0 --json",
    "replay vole-00000-1 --seat 1", "verify", "debug vole-00000-0 1 --try", "export vole-00000-1",
)  # fmt: skip


def tourney(*arguments: object) -> str:
    """Runs a command, and returns all that it has printed, which steers nothing but by the colours of `--color`."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code != EXIT_BUG, result.output
    shown = re.sub(r"\x1b\[(\d+;?)*m", "", result.output) if "--color" in arguments else result.output
    assert not STEERS.search(shown), shown
    return shown


def reseal(record: dict[str, object]) -> bytes:
    """Returns a record as a line of a journal whose seal holds, as anybody could make it."""
    trace = str(record.pop("digest"))[:16]
    head = orjson.dumps(record)[:-1]
    seal = blake2b(head + trace.encode(), digest_size=8).hexdigest()
    return head + f',"digest":"{trace}{seal}"}}\n'.encode()


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run whose first record has a fault that somebody has made up."""
    place = tmp_path_factory.mktemp("screen")
    (place / "t.toml").write_text(tournament_text("t", bots='["first", "random"]', deals="2"), encoding="utf-8")
    tourney("run", place / "t.toml", "--out", place / "run", "--quiet", "--workers", 1)
    lines = (place / "run" / folder.JOURNAL).read_bytes().splitlines(keepends=True)
    for at, kind, answer in ((0, "error", None), (1, "illegal", NASTY)):
        record = orjson.loads(lines[at])
        after = len(record["actions"].split()) + 1  # as if the bot had failed when it was told the outcome
        fault = {"seat": at, "kind": kind, "decision": after, "answer": answer, "detail": NASTY}
        lines[at] = reseal(record | {"faults": [fault]})
    (place / "run" / folder.JOURNAL).write_bytes(b"".join(lines))
    return place / "run"


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_a_journal_steers_the_terminal(run, command):
    name, *more = command.split()
    shown = tourney(name, run, *more, *([NASTY] if "--try" in more else []))
    assert not any([line.startswith("forged") for line in shown.splitlines()])


def test_a_difference_from_another_run_is_spelled_out(run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    lines = (other / folder.JOURNAL).read_bytes().splitlines(keepends=True)
    for key, value in (("seats", [NASTY, "random"]), ("match", NASTY), ("actions", NASTY), ("options", {NASTY: NASTY})):
        (other / folder.JOURNAL).write_bytes(reseal(orjson.loads(lines[0]) | {key: value}) + b"".join(lines[1:]))
        assert tourney("diff", run, other)
        assert tourney("verify", other)


@pytest.mark.parametrize("command", ["standings", "matches", "verify", "diff"])
def test_nothing_on_the_command_line_steers_the_terminal(run, command):
    for given in ([run.parent / NASTY.replace("\x00", "")], [f"--{NASTY}"], [run, "--game", NASTY]):
        assert tourney(command, *given)
    assert tourney(NASTY)
    assert tourney(f"--{NASTY}")


def test_a_bot_in_a_gate_cannot_steer_what_reports_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raising = f"raise type({NASTY.replace(chr(0), '') + '<img src=x>'!r}, (Exception,), {{}})"
    bot = f"class Bot:\n    def act(self, view, legal):\n        {raising}\n"
    (tmp_path / "nasty.py").write_text(bot, encoding="utf-8")
    shown = tourney(
        "gate", "nasty.py:Bot", "--against", "first", "--game", "vole", "--host", "inline", "--workers", 1,
        "--max-deals", 2, "--out", "gate", "--write", "gate.xml", "--write", "gate.md",
    )  # fmt: skip
    assert "FAILED" in shown
    markdown = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert not STEERS.search(markdown)
    assert "<img" not in markdown.replace("\\<", "")
    ElementTree.parse(tmp_path / "gate.xml")


SLOW = """
import time
class Slow:
    def act(self, view, legal):
        time.sleep(0.01)
        return legal[0]
"""


@pytest.fixture
def slow(write, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    return lambda deals: write(deals=deals, bots='["random", "first"]', bot='[{ name = "slow", use = "slow.py:Slow" }]')


def test_a_terminal_shows_bar_rate_time_left_faults_and_leaders(slow, tmp_path):
    command = ("run", slow("5"), "--out", "run", "--workers", 1)
    text, code = Terminal(tmp_path, *command, COLUMNS=None, LINES=None).end()
    assert code == 0, text
    shown = plain(text).replace("\r", "\n")
    told = {name: re.findall(rf"(?m)^{name}  +(.*?) *$", shown) for name in ("matches", "faults", "leaders")}
    assert re.fullmatch(r"\d+ of 30, \d+(\.\d)?/s", told["matches"][0])
    assert set(told["faults"]) == {"0"}
    assert re.fullmatch(r"(\w+ [\d.]+ %, ){1,2}\w+ [\d.]+ %", told["leaders"][-1])
    bars = [line for line in shown.split("\n") if re.search(r"━ +\d+% +(-:--:--|0:\d\d:\d\d) left$", line)]
    assert bars
    assert "-:--:--" not in bars[-1]
    assert {len(line) for line in bars} == {80}
    assert re.search(r"\nplayed 30 matches in [\d.]+ s, [\d.]+/s\n", shown)


COSTS = """
import tourney
class Costs:
    def act(self, view, legal):
        return tourney.Noted(legal[0] if len(legal) < 5 else None, cost=0.25)
"""
GATE = "gate random --against first --game vole --option vole.target=6 --max-deals 9 --out gate"
FINAL = {
    GATE: "deals 9 of at most 9 | matches 18 | faults 0 | strength +0 Elo [-279, +279] | "
    "verdict LLR 0.04 (-2.94, 2.94)",
    "analyse done vole-1-0 --playouts 4": "matches 1 of 1 | decisions 27",
    "run ladder.toml": "matches 24 of at most 30 | faults 0 | leaders steady 75.0 %, random 50.0 %, first 25.0 % | "
    "undecided 2 of 2 pairs",
    "run costs.toml": "matches 8 of 8 | faults 4 (costs 4) | leaders first 100.0 %, costs 0.0 % | "
    "cost N $, about N $ for the whole run | out costs, after 4 faults",
}


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("command", FINAL)
def test_the_last_line_of_a_long_command_says_all_that_is_known(tourney, write, tmp_path, monkeypatch, command):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    (tmp_path / "costs.py").write_text(COSTS, encoding="utf-8")
    write("ladder", format='"ladder"', max_matches="30")
    write("costs", bots='["first"]', extra='[[bot]]\nname = "costs"\nuse = "costs.py:Costs"\n[limits]\nmax_faults = 3')
    lines = [line for line in tourney(*command.split(), "--workers", 1).stderr.splitlines() if " | " in line]
    final = re.sub(r", [\d.]+(/s|/min| a second)", "", lines[-1])
    final = re.sub(r"[\d.]+ \$", "N $", final)  # matches that were played ahead of the fault cost as well
    assert "\x1b" not in final
    assert re.sub(r" \| [\d:]+ left$", "", final) == FINAL[command]


@pytest.mark.slow
def test_progress_names_the_bot_the_match_and_the_decision_that_a_run_waits_for(write, tmp_path):
    (tmp_path / "hangs.py").write_text("import time\nclass Hangs:\n    def act(self, view, legal): time.sleep(3600)\n")
    process = begin(tmp_path, write(bots='["first", "hangs.py:Hangs"]'), "--workers", 2)
    line = next(line for line in process.stderr if " | " in line)
    waits = r"waiting \d+ s for hangs in vole-00000-[01], decision [12] \(match_s = 120; set move_ms\)"
    assert re.fullmatch(waits, line.rstrip().split(" | ")[-1])
    interrupted(process)


def test_a_run_says_last_which_bot_made_a_fault_in_every_match(tourney, write, tmp_path):
    (tmp_path / "bad.py").write_text("class Bad:\n    def act(self, view, legal): return None\n")
    config = write(bots='["first", "steady", "bad.py:Bad"]')
    said = "bad made a fault in every match; max_fault_rate = 0.33 in [limits] stops such a\n  run early\n"
    assert with_code(tourney("run", config)).stderr.endswith(said)
    stopped = write(bots='["first", "steady", "bad.py:Bad"]', extra="[limits]\nmax_fault_rate = 0.33")
    assert "max_fault_rate is 0.33" in with_code(tourney("run", stopped, "--overwrite", "-q"), 4).stderr
