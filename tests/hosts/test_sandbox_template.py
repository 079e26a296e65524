"""Python bots in the sandbox are forked: each as if it were started anew, of a process that runs nothing of theirs."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hosts import machine
from tests.hosts.conftest import WAYS
from tests.hosts.play import against_good, opened
from tourney.hosts.base import BotHost, BotSpec
from tourney.hosts.spawner_client import SpawnerClient

FORKED = [backend for backend, forks in WAYS if forks]
LEAVES_TRACES = """
import os, sys
print(os.listdir("."), os.getpid(), os.getsid(0), len(os.environ), "left" in sys.modules, os.umask(0))
open("card", "w").close()
os.environ["CARD"] = "card"
sys.modules["left"] = sys
"""


@pytest.mark.parametrize("backend", FORKED)
def test_a_fork_finds_nothing_of_an_earlier_one(account, backend):
    machine.need(backend, account.user == "ordinary", account.python)
    ended = account.run({
        "command": [account.python, "-I", "-c", LEAVES_TRACES], "reads": [], "by": backend, "forks": 3,
    })  # fmt: skip
    assert ended.stdout.splitlines() == 3 * ["[] 2 2 4 False 63"], ended.stderr


@pytest.fixture(params=FORKED)
def taken_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.need(request.param)
    monkeypatch.setenv("TOURNEY_SANDBOX", request.param)


def sandboxed(source: str, folder: Path) -> BotSpec:
    """A bot in the sandbox, of this source, with the class `Bot`."""
    file = folder / "bot.py"
    file.write_text(source, encoding="utf-8")
    return BotSpec("bot", "sandbox", "bot.py:Bot", {}, (), folder, ("vole",), (file,))


SAYS = """
import os, sys

class Bot:
    def act(self, view, legal):
        raise type(SAID, (Exception,), {})
"""


def said(host: object) -> str:
    """What a bot says, with which `SAYS` is completed."""
    (fault,) = against_good(host).faults
    return fault.detail.split(" ")[0]


IS_FORKED = SAYS.replace("SAID", "str('tourney.hosts.spawner' in sys.modules)")


@pytest.mark.usefixtures("taken_backend")
def test_the_bot_is_forked(tmp_path):
    with opened(sandboxed(IS_FORKED, tmp_path), None) as host:
        assert [said(host) for _ in range(2)] == ["True", "True"]


NOT_JOINED = """#!/bin/sh
case "$*" in *stdin.read*) exit 1;; esac
exec {bwrap} "$@"
"""
"""A bubblewrap that starts bots, and makes no namespaces for forks."""


def test_where_forks_cannot_be_kept_in_a_command_is_started(tmp_path, monkeypatch):
    machine.need("bubblewrap")
    monkeypatch.setenv("TOURNEY_SANDBOX", "bubblewrap")
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text(NOT_JOINED.format(bwrap=shutil.which("bwrap")), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with opened(sandboxed(IS_FORKED, tmp_path), None) as host:
        assert [said(host) for _ in range(2)] == ["False", "False"]


MARKS = """
import contextlib

with contextlib.suppress(OSError):
    open({mark!r}, "w").close()
"""


@pytest.mark.usefixtures("taken_backend")
def test_nothing_of_the_bot_runs_outside(tmp_path):
    """Nor what lies beside it under the name of a module that the process which is forked might import."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (tmp_path / "marks").mkdir()
    for name in ("sitecustomize", "usercustomize", "tourney", "orjson", "select", "csv", "bot"):
        source = MARKS.format(mark=str(tmp_path / "marks" / name))
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    spec = sandboxed((folder / "bot.py").read_text(encoding="utf-8") + IS_FORKED, folder)
    with opened(spec, None) as host:
        assert said(host) == "True"
    assert list((tmp_path / "marks").iterdir()) == []


@pytest.mark.usefixtures("taken_backend")
def test_the_process_that_is_forked_has_no_environment_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "card")
    before = set(SpawnerClient.pids)
    with opened(sandboxed(IS_FORKED, tmp_path), None) as host:
        assert said(host) == "True"
        (pid,) = SpawnerClient.pids - before
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert {entry.partition(b"=")[0] for entry in entries if entry} == {b"PATH", b"LANG"}


@pytest.fixture
def forked(tmp_path, taken_backend) -> Iterator[tuple[BotHost, Callable[[], int]]]:  # noqa: ARG001 - it is the one taken
    """A host whose bot was forked once, and what finds the process that it is forked from."""
    before = set(SpawnerClient.pids)

    def template() -> int:
        (spawner,) = SpawnerClient.pids - before
        (found,) = Path(f"/proc/{spawner}/task/{spawner}/children").read_text(encoding="ascii").split()
        return int(found)

    with opened(sandboxed(IS_FORKED, tmp_path), None) as host:
        assert said(host) == "True"
        yield host, template


def test_a_process_that_is_forked_and_was_killed_is_replaced(forked):
    host, template = forked
    first = template()
    os.kill(first, signal.SIGKILL)
    assert [said(host) for _ in range(2)] == ["False", "True"]
    assert template() != first


def test_a_process_that_is_forked_and_was_stopped_goes_on(forked):
    host, template = forked
    first = template()
    os.kill(first, signal.SIGSTOP)
    assert said(host) == "True"
    assert template() == first


def test_a_process_that_hands_down_something_else_than_at_first_is_replaced(forked):
    host, template = forked
    first = template()
    os.setpriority(os.PRIO_PROCESS, first, 5)
    assert [said(host) for _ in range(2)] == ["True", "True"]
    assert template() != first


READS = (
    SAYS.replace("SAID", "read()")
    + """
def read():
    try:
        with open(PATH) as file:
            return file.read() or "empty"
    except OSError:
        return "refused"
"""
)


def replaced(path: Path, content: str) -> None:
    """Puts another file in the place of this one, as editors do."""
    new = path.with_name("new")
    new.write_text(content, encoding="utf-8")
    new.replace(path)


@pytest.mark.usefixtures("taken_backend")
def test_a_file_that_takes_the_place_of_a_hidden_one_is_hidden(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    other = package / "other.py"
    other.write_text("card", encoding="utf-8")
    spec = sandboxed(READS.replace("PATH", repr(str(other))), tmp_path)
    spec = spec._replace(sources=(*spec.sources, package), all_sources=(other,))
    with opened(spec, None) as host:
        assert said(host) in ("refused", "empty")
        replaced(other, "card")
        assert said(host) in ("refused", "empty")


@pytest.mark.usefixtures("taken_backend")
def test_a_file_that_takes_the_place_of_the_bots_is_what_it_reads(tmp_path):
    own = tmp_path / "own.txt"
    own.write_text("one", encoding="utf-8")
    spec = sandboxed(READS.replace("PATH", repr(str(own))), tmp_path)
    with opened(spec._replace(sources=(*spec.sources, own)), None) as host:
        assert said(host) == "one"
        replaced(own, "two")
        assert said(host) == "two"


LOOKS_FOR_WHAT_IT_WROTE = (
    SAYS.replace("SAID", "found_and_written()")
    + """
import ctypes, gc, re

LIBC = ctypes.CDLL(None)
LIBC.sbrk.restype = ctypes.c_void_p
SOUGHT = re.compile(b"[c]" + 40 * b"[a]" + b"[r]")

def page(number, pipe=os.pipe()):
    size = LIBC.write(pipe[1], ctypes.c_void_p(number << 12), 1 << 12)
    return os.read(pipe[0], 1 << 12) if size > 0 else None

def pages(kept=()):
    heap = (LIBC.sbrk(0) >> 12) - 1
    while (found := page(heap)) is not None:
        yield found
        heap -= 1
    for block in {id(each) >> 20 for each in (*gc.get_objects(), *kept)}:
        for number in range(block << 8, block + 1 << 8):
            yield page(number) or b""

def found_and_written():
    found = [len(SOUGHT.findall(each)) for each in pages()]
    kept = [bytes([99] + 40 * [97] + [114]) for _ in range(9)]
    found_then = [len(SOUGHT.findall(each)) for each in pages(kept)]
    for _ in range(300):
        os.write(2, 20 * (kept[0] + b" ") + b"\\n")
    return f"{bool(sum(found))}_{bool(sum(found_then))}"
"""
)


@pytest.mark.usefixtures("taken_backend")
def test_a_bot_does_not_find_in_its_memory_what_one_wrote_in_an_earlier_match(tmp_path):
    """It would where the process that is forked reads what bots write. What the bot keeps itself is found."""
    with opened(sandboxed(LOOKS_FOR_WHAT_IT_WROTE, tmp_path), tmp_path / "log.txt") as host:
        assert [said(host) for _ in range(3)] == 3 * ["False_True"]
