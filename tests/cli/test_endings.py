"""How commands end where their output cannot be written, where nobody reads it, and where they have a bug."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runs import WAIT_S, journal, same_run
from tests.conftest import TOURNEY, mostly_slow

FULL = Path("/dev/full")
MATCH = "vole-00001-0"
PRINTING = {
    "help": "--help",
    "standings": "standings done",
    "matches": "matches done",
    "replay as JSON": f"replay done {MATCH} --json",
}
"""Commands that only print."""
OTHER = {
    "run": ("run done/tournament.toml --out new --workers 1", 0),
    "resume": ("run done/tournament.toml --out done --resume --quiet", 0),
    "gate that fails": ("gate random --against steady --game vole --workers 1", 1),
    "check": ("check first --game vole", 0),
    "verify": ("verify done", 0),
    "verify of a bad record": ("verify bad", 1),
    "diff with differences": ("diff done short", 1),
    "debug": (f"debug done {MATCH} 1 --bot first", 0),
    "new": ("new bot thief", 0),
}
"""Commands that do more than print, each with the exit code of its result."""
BAD = """
import sys


class Raises:
    def act(self, view, legal):
        raise LookupError


class Prints:
    def act(self, view, legal):
        print("thinking " * 100)
        print("thinking " * 100, file=sys.stderr, flush=True)
        return legal[0]
"""


@pytest.fixture
def place(finished: Path) -> Path:
    """A folder with a finished run, one with a bad record, one that is not finished, and bots."""
    folder = finished.parent
    lines = journal(finished).splitlines(keepends=True)
    for name in ("bad", "short"):
        shutil.copytree(finished, folder / name)
    (folder / "short" / "journal.jsonl").write_bytes(lines[0])
    lines[0] = lines[0].replace(b'"places":[1,2]', b'"places":[2,1]').replace(b'"scores":[', b'"scores":[1')
    (folder / "bad" / "journal.jsonl").write_bytes(b"".join(lines))
    (folder / "bad.py").write_text(BAD, encoding="utf-8")
    return folder


def ended(folder: Path, arguments: str, **streams: object) -> tuple[int, str, str]:
    """Returns the exit code, stdout and stderr of a command with these streams."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | streams
    command = [TOURNEY, *arguments.split()]
    done = subprocess.run(command, cwd=folder, text=True, timeout=WAIT_S, check=False, **given)
    return done.returncode, done.stdout or "", done.stderr or ""


def unread(folder: Path, arguments: str) -> tuple[int, str, str]:
    """Returns how a command ends whose stdout is a pipe that nobody reads."""
    source, target = os.pipe()
    os.close(source)
    try:
        return ended(folder, arguments, stdout=target)
    finally:
        os.close(target)


@pytest.mark.parametrize("name", PRINTING)
def test_commands_that_only_print_end_quietly_with_141_when_nobody_reads_on(place, name):
    assert unread(place, PRINTING[name]) == (141, "", "")


@pytest.mark.parametrize("name", mostly_slow(OTHER, "run", "gate that fails", "verify of a bad record"))
def test_the_others_finish_and_end_with_the_code_of_their_result(place, name):
    arguments, code = OTHER[name]
    result = unread(place, arguments)
    assert result[0] == code, result
    assert "Traceback" not in result[2]
    if name == "run":
        same_run(place / "new", place / "done")
    if name == "new":
        assert {file.name for file in (place / "thief").iterdir()} >= {"README.md", "tournament.toml"}


@pytest.mark.parametrize("name", ["help", "matches", "run"])
def test_a_full_disk_behind_stdout_is_4_and_one_line(place, name):
    arguments = PRINTING.get(name) or OTHER[name][0]
    with FULL.open("w") as full:
        code, _, errors = ended(place, arguments, stdout=full)
    *before, last = errors.splitlines()
    assert (code, last.startswith("tourney: stdout: cannot be written (No space left on device); make room")) == (
        4,
        True,
    )
    assert not [line for line in before if line.startswith(("tourney: ", "Traceback"))]
    if name == "run":
        same_run(place / "new", place / "done")


SILENT: dict[str, Callable[[], dict[str, object]]] = {
    "full": lambda: {"stderr": FULL.open("w")},
    "closed": lambda: {"stderr": None, "preexec_fn": lambda: os.close(2)},
    "unread": lambda: {"stderr": _unread_pipe()},
}


def _unread_pipe() -> int:
    source, target = os.pipe()
    os.close(source)
    return target


@pytest.mark.parametrize("case", ["full standings", "full run", "closed run", "unread run"])
def test_stderr_that_cannot_be_written_changes_nothing(place, case):
    stderr, name = case.split(" ", 1)
    arguments = PRINTING.get(name) or OTHER[name][0]
    expected = ended(place, arguments)
    for made in ("new", "thief", "results"):
        subprocess.run(["rm", "-rf", made], cwd=place, check=True)
    result = ended(place, arguments, **SILENT[stderr]())
    assert result[1] == expected[1]
    assert result[0] == expected[0]
    if name == "run":
        same_run(place / "new", place / "done")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["inline", "process"])
def test_a_bot_that_prints_is_not_charged_for_it(place, write, host):
    bot = f'[[bot]]\nname = "prints"\nuse = "bad.py:Prints"\nhost = "{host}"'
    config = write("prints", deals="1", bots='["first"]', extra=bot)
    assert ended(place, f"run {config} --out prints --quiet", **SILENT["closed"]())[0] == 0
    assert b'"faults":[]' in journal(place / "prints")
    assert journal(place / "prints").count(b'"faults":[]') == 2
    assert ended(place, f"check bad.py:Prints --host {host} --game vole", **SILENT["closed"]())[0] == 0
    assert ended(place, "verify prints --bots", **SILENT["closed"]())[0] == 0


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("tabulate", "def tabulate(*_arguments, **_keys):\n    raise LookupError('ours')\n"),
        ("click", "raise LookupError('ours')\n"),
        ("tabulate", "def tabulate(*_arguments, **_keys):\n    raise BrokenPipeError(32, 'ours')\n"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [[TOURNEY], pytest.param([sys.executable, "-m", "tourney"], marks=pytest.mark.slow)],
    ids=["script", "module"],
)
def test_a_bug_is_a_traceback_and_70(tmp_path, module, text, command):
    (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [*command, "standings", "done", "--format", "markdown"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.startswith("Traceback"), done.stdout) == (70, True, "")
