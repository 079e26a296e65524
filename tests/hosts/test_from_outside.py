"""What somebody else does to the processes of bots is no fault of a bot and leaves nothing behind.

The bots have forked helpers, which hold their pipes, so that no end of file says that a process has ended.
"""

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.runs import marked, wait_for
from tests.conftest import mostly_slow
from tests.helpers import bot
from tests.hosts import processes
from tests.hosts.play import ROOT, against_good, match_with, process
from tourney.base.errors import HelperLostError

KILLED_WORKER = """
import os, signal, time
from tests.hosts.play import match_with, process
class Kills:
    decisions = 0
    def act(self, view, legal):
        self.decisions += 1
        if self.decisions == 2:
            helper = os.fork()
            if not helper:
                time.sleep(600)
            print(helper, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return legal[-1]
with process("LeavesChild", move_ms=60_000) as host:
    match_with(Kills, host)
"""


def hits(monkeypatch, tmp_path, victim: str, moment: str) -> None:
    values = {"VICTIM": victim, "MOMENT": moment, "SIGNAL": "SIGKILL", "DONE": str(tmp_path / "done")}
    for name, value in values.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("moment", mostly_slow(["start", "act"], "start"))
@pytest.mark.usefixtures("nothing_left")
def test_nobody_is_charged_where_a_spawner_is_killed(moment, tmp_path, monkeypatch):
    hits(monkeypatch, tmp_path, "spawner", moment)
    with process("HitFromOutside", match_s=60) as host, pytest.raises(HelperLostError, match="bot HitFromOutside: "):
        match_with(bot("Good"), host)
    assert (tmp_path / "done").exists()


def test_a_bot_whose_process_is_killed_is_charged(tmp_path, monkeypatch, nothing_left):
    hits(monkeypatch, tmp_path, "bot", "act")
    with process("HitFromOutside", match_s=60) as host:
        (fault,) = against_good(host).faults
        assert len(marked(nothing_left)) == 1, "the spawner alone"
    assert (fault.seat, fault.kind, fault.detail) == (1, "crash", "process killed by SIGKILL")


def test_a_bot_and_its_spawner_end_with_their_worker_although_its_helper_holds_the_socket(nothing_left):
    """The bot, which has a limit for its decisions, is stopped at that moment."""
    ended = subprocess.Popen([sys.executable, "-c", KILLED_WORKER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    helper = int(ended.stdout.readline())
    assert ended.wait() == -signal.SIGKILL
    wait_for(lambda: marked(nothing_left) == [helper])
    processes.reap(helper)
    os.kill(helper, signal.SIGKILL)
    os.waitpid(helper, 0)
    ended.stdout.close()
