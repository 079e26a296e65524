"""What the commands print cannot steer a terminal, whoever has written it."""

import re
import shutil
from hashlib import blake2b
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest
from click.testing import CliRunner

from tests.conftest import tournament_text
from tourney.base.errors import EXIT_BUG
from tourney.cli.main import main
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
