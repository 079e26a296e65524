"""Helpers for tests of commands: on a terminal, finding and killing their processes, comparing folders of runs."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pexpect

from tests.conftest import BAD, TOURNEY
from tests.helpers import SHORT
from tests.hosts import processes
from tourney.journal import folder
from tourney.plugins.entry_points import own_version

MARK = "TOURNEY_TEST"  # an environment variable whose value marks all processes that a test has started
WAIT_S = 300  # how long a test waits for something that must happen, in seconds; enough for a machine that is very busy
LARGER = {"deals": "60", "game": '[[game]]\nname = "vole"'}  # keys of a tournament that takes about a second
DAMAGE = {
    "two records swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
    "many changed": lambda lines: [line.replace(b'"places":[1,2]', b'"places":[2,1]') for line in lines],
}
"""Ways to damage a journal, as functions of its lines."""


def journal(folder: Path) -> bytes:
    return (folder / "journal.jsonl").read_bytes()


def cut(run: Path, kept: int, torn: bytes = b"") -> None:
    """Cuts a journal to its first lines, or by that many where less than zero, and ends it with a torn one."""
    lines = journal(run).splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(lines[:kept]) + torn)


def contents(place: Path) -> dict[str, bytes]:
    """All files in a folder, by their paths from there."""
    return {str(file.relative_to(place)): file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}


def change_manifest(run: Path, **keys: object) -> None:
    """Changes keys of a run's manifest as if it had been written so, with a seal that holds; None takes a key out."""
    changed = folder.read_manifest(run) | keys
    folder.write_manifest(run, {key: value for key, value in changed.items() if value is not None})


def begin(folder: Path, *arguments: object, command: str = "run", **environment: str) -> subprocess.Popen[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    words = [TOURNEY, command, *map(str, arguments)]
    return subprocess.Popen(words, cwd=folder, env=os.environ | environment, **streams)


def begin_table(
    folder: Path, game: str, *arguments: str, people: Sequence[str] = ("you",)
) -> tuple[subprocess.Popen[str], list[str]]:
    """Begins a short match with people; returns its process, and the links of their seats."""
    words = [f"--option={key}={value}" for key, value in SHORT.get(game.partition(":")[0], {}).items()]
    words += [f"--person={name}" for name in people]
    process = begin(folder, game, "--browser", "--address=0", *words, *arguments, command="play")
    return process, [process.stdout.readline().split(": ")[1].strip() for _ in people]


def interrupted(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[str, str]:
    """Presses Ctrl-C; returns what the command has printed and told by its end, which must be with 130."""
    process.send_signal(number)
    printed, told = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, told
    return printed, told


class Held:
    """A run or gate that has begun and waits for `finish`. The folder of the test gets a copy of the bad bots."""

    BOT = "bots.py:WaitsOnce"  # the bot that waits; it must play, with a single worker

    def __init__(self, folder: Path, *arguments: object) -> None:
        self._folder = folder
        copy_bots(folder)
        for file in ("waiting", "go"):
            (folder / file).unlink(missing_ok=True)
        self._process = begin(folder, *arguments, "--workers", 1)
        wait_for(lambda: (folder / "waiting").exists() or self._process.poll() is not None)
        assert self._process.poll() is None, self._process.communicate()

    def finish(self) -> subprocess.CompletedProcess[str]:
        (self._folder / "go").touch()
        printed, errors = self._process.communicate(timeout=WAIT_S)
        return subprocess.CompletedProcess(self._process.args, self._process.returncode, printed, errors)


def copy_bots(folder: Path) -> None:
    """Copies the bad bots; `WaitsOnce` does not wait there."""
    shutil.copy(BAD, folder)
    for file in ("waiting", "go"):
        (folder / file).touch()


def wait_for(condition) -> None:
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "the condition never held"
        time.sleep(0.01)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Finds the workers of a run: the children of its forkserver that lead a process group."""
    family = processes.descendants(process.pid)
    children = [pid for pid, each in family.items() if each.parent == process.pid]
    return [pid for pid, each in family.items() if each.group == pid and each.parent in children]


def marked(mark: str) -> list[int]:
    """Finds all processes that were started, directly or not, with this mark in their environment."""
    found = []
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        with suppress(OSError):  # the process has ended meanwhile
            if f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes() and alive(pid):
                found.append(pid)
    return found


def alive(pid: int) -> bool:
    return (found := processes.read(pid)) is not None and found.state != "Z"


def journal_started(folder: Path) -> bool:
    return (folder / "journal.jsonl").exists() and bool(journal(folder))


def bots_in(table: str) -> list[str]:
    """The bots in the first table of a text, in its order."""
    at_rule = table.index("\n-")
    head, rows = table[:at_rule].splitlines()[-1], table[at_rule + 1 :].splitlines()[1:]
    at = head.index("bot")
    return [row[at:].split()[0] for row in rows[: [*rows, ""].index("")]]


def same_run(one: Path, other: Path) -> None:
    """Asserts that the folders of two runs have the same files, apart from those that may differ."""
    free = {"tournament.toml", "times.json", "logs", "spent.txt"}
    names, others = [sorted({file.name for file in run.iterdir()} - free) for run in (one, other)]
    assert names == others
    for name in names:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def one_line(result: subprocess.CompletedProcess[str], code: int, *says: str) -> None:
    assert result.returncode == code, (result.returncode, result.stderr)
    lines = [line for line in result.stderr.splitlines() if line.startswith("tourney: ")]
    assert len(lines) == 1, result.stderr
    assert lines[0] == result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr, result.stderr
    for part in says:
        assert part in lines[0]


def without_versions(shown: str) -> str:
    """What a command has printed, without its last line end, and without versions and how long it took."""
    shown = re.sub(r"\((pure Python|compiled)\)", "(BUILD)", shown.replace(own_version(), "VERSION"))
    for measured, name_of_it in ((r"in [\d.]+ s(, [\d.]+(/s|/min| a second))?", "in TIME"), ("[0-9a-f]{64}", "HASH")):
        shown = re.sub(measured, name_of_it, shown)
    return shown.removesuffix("\n")


class Terminal:
    """A command on a terminal, by default of 80 columns and 40 lines; an environment variable of None is unset."""

    def __init__(self, folder: Path, *arguments: object, columns: int = 80, lines: int = 40, **environment: str | None):
        names = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": str(lines), "PAGER": "cat"} | environment
        given = {name: value for name, value in (os.environ | names).items() if value is not None}
        keys = {"cwd": folder, "env": given, "dimensions": (lines, columns), "timeout": WAIT_S, "encoding": "utf-8"}
        self._child = pexpect.spawn(TOURNEY, [*map(str, arguments)], codec_errors="replace", **keys)

    def until(self, text: str | tuple[str, ...]) -> str:
        """What it prints until this text, or one of several, is on the screen."""
        self._child.expect_exact(text)
        return self._child.before + self._child.after

    def type(self, keys: str) -> None:
        self._child.send(keys)

    def interrupt(self, until: str) -> str:
        """Presses Ctrl-C until this is shown; one that comes just before a program waits is heeded at the next key."""
        for _ in range(WAIT_S // 5):
            self.type("\x03")
            if self._child.expect_exact([until, pexpect.TIMEOUT], timeout=5) == 0:
                return self._child.before + self._child.after
        raise AssertionError(f"Ctrl-C changes nothing after {self._child.before!r}")

    def end(self) -> tuple[str, int]:
        shown, code = self._child.read(), self._child.wait()
        self._child.close()
        return shown, code


def plain(text: str) -> str:
    return re.sub(r"\x1b(\[[?\d;]*[A-Za-z]|[=>])", "", text).replace("\r\n", "\n")
