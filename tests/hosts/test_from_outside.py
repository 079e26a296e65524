"""What somebody else does to the processes of bots is no fault of a bot and leaves nothing behind.

The bots have forked helpers, which hold their pipes, so that no end of file says that a process has ended.
"""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.runs import MARK, begin, marked, wait_for
from tests.conftest import tournament_text
from tests.helpers import bot
from tests.hosts.play import ROOT, against_good, match_with, opened, process
from tourney.base.errors import HelperLostError
from tourney.hosts import linux
from tourney.hosts.base import BotSpec

pytestmark = pytest.mark.slow

GOOD = "class Bot:\n    def act(self, view, legal): return legal[-1]\n"
HELPER = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\n"


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch, tmp_path):
    """Adopts orphans, as a worker does; no process of a bot may be left in the end."""
    mark = f"outside-{tmp_path}"
    monkeypatch.setenv(MARK, mark)
    linux.adopt_orphans()
    yield
    linux.adopt_orphans(False)
    monkeypatch.delenv(MARK)
    wait_for(lambda: not marked(mark))


@contextmanager
def from_module(folder: Path, text: str):
    """The process host of the bot `Bot` in a module with that text."""
    (folder / "bot.py").write_text(text, encoding="utf-8")
    with opened(BotSpec("bot", "process", "bot.py:Bot", {}, (), folder, ("vole",)), None) as host:
        yield host


def hits(monkeypatch, tmp_path, victim: str, moment: str, sign: str) -> None:
    """Has the bot `HitFromOutside` send a signal, once."""
    values = {"VICTIM": victim, "MOMENT": moment, "SIGNAL": sign, "DONE": str(tmp_path / "done")}
    for name, value in values.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("moment", ["start", "act"])
def test_nobody_is_charged_where_a_spawner_is_killed(moment, tmp_path, monkeypatch):
    hits(monkeypatch, tmp_path, "spawner", moment, "SIGKILL")
    with process("HitFromOutside", match_s=60) as host, pytest.raises(HelperLostError, match="bot HitFromOutside: "):
        match_with(bot("Good"), host)
    assert (tmp_path / "done").exists()


def test_a_bot_whose_process_is_killed_is_charged(tmp_path, monkeypatch):
    hits(monkeypatch, tmp_path, "bot", "act", "SIGKILL")
    with process("HitFromOutside", match_s=60) as host:
        (fault,) = against_good(host).faults
        assert len(marked(os.environ[MARK])) == 1, "the spawner alone"
    assert (fault.seat, fault.kind, fault.detail) == (1, "crash", "its process was ended by SIGKILL")


def test_a_bot_that_kills_itself_while_it_is_loaded_is_charged(tmp_path):
    with from_module(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)") as host:
        (fault,) = against_good(host).faults
    assert (fault.kind, fault.detail) == ("crash", "its process died while it was loaded")


def test_a_bot_that_stops_itself_runs_out_of_time():
    with process("StopsItself", move_ms=500) as host:
        (fault,) = against_good(host).faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "timeout", "took longer than move_ms")


def test_a_spawner_ends_with_its_worker_although_a_helper_of_the_worker_holds_the_socket():
    worker = """
import os, time
from tests.helpers import bot
from tests.hosts.play import match_with, process
with process("LeavesChild") as host:
    match_with(host, bot("Good"))
    helper = os.fork()
    if helper:
        print(helper, flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", worker], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        helper = int(process.stdout.readline())
        assert len(marked(os.environ[MARK])) == 3, "the worker, its helper, and the spawner"
        process.kill()
    wait_for(lambda: marked(os.environ[MARK]) == [helper])
    os.kill(helper, signal.SIGKILL)
    os.waitpid(helper, 0)


LEAVES_HELPER = """
import os, time


class Bot:
    def act(self, view, legal):
        if not os.path.exists("bot"):
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            with open("writing", "w") as file:
                file.write(str(os.getpid()))
            os.rename("writing", "bot")
            time.sleep(600)
        return legal[-1]
"""


def test_nothing_is_left_where_all_that_see_to_a_bot_are_killed_together(tmp_path):
    """The main process is all that is left of the bot's ancestors."""
    with begun_with(LEAVES_HELPER, tmp_path) as process:
        wait_for(lambda: (tmp_path / "bot").exists())
        spawner, _ = family(int((tmp_path / "bot").read_text()))
        worker, _ = family(spawner)
        forkserver, _ = family(worker)
        for pid in (forkserver, spawner, worker):
            os.kill(pid, signal.SIGKILL)
        assert process.wait() == 4
        assert not marked(os.environ[MARK])


def begun_with(text: str, folder: Path):
    """A run that has begun, of `random` against the bot `Bot` in a module with that text, in a process of its own."""
    (folder / "bot.py").write_text(text, encoding="utf-8")
    bots = '["random"]\n[[bot]]\nname = "own"\nuse = "bot.py:Bot"\nhost = "process"'
    (folder / "t.toml").write_text(tournament_text("t", deals="1", bots=bots), encoding="utf-8")
    return begin(folder, "t.toml", "--out", "run", "--workers", 1, **{MARK: os.environ[MARK]})


def family(pid: int) -> tuple[int, int]:
    """The parent and the process group of a process."""
    parent, group = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1:3]
    return int(parent), int(group)
