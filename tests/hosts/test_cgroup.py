"""The memory of a bot with all its processes is bounded by a cgroup of its own, where the system lets one be made.

`tests/hosts/in_user_mode_linux.sh tests/hosts/test_cgroup.py` runs these where the machine itself has no such cgroups.
Which of its cgroups a user may use is tried in `test_linux.py`.
"""

import pytest

from tests.hosts import machine
from tests.hosts.play import against_good, written

pytestmark = pytest.mark.slow

BOTS = """
import os, signal, socket, time

KEPT = []

class Bot:
    def __init__(self):
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        if self.asked == 1:
            self.work()
        return legal[0]

class KeepsFiles(Bot):
    def work(self):
        KEPT.append(os.memfd_create("kept"))
        for _ in range(50):
            os.write(KEPT[0], bytes(8 << 20))

class KeepsProcesses(Bot):
    def work(self):
        for _ in range(4):
            source, target = os.pipe()
            if os.fork() == 0:
                kept = bytearray(b"x") * (90 << 20)
                os.write(target, b"!")
                time.sleep(600)
            os.read(source, 1)

class KeepsLittle(Bot):
    def work(self):
        KEPT.append(os.memfd_create("kept"))
        for _ in range(10):
            os.write(KEPT[0], bytes(8 << 20))

class LooksForItsGroup(Bot):
    def work(self):
        for path in ("/sys/fs/cgroup", "/proc/self/cgroup", "/sys/fs/cgroup/cgroup.procs"):
            for flags in (os.O_RDONLY, os.O_WRONLY):
                try:
                    os.open(path, flags)
                except OSError:
                    continue
                raise LookupError

class KillsItsParent(Bot):
    def work(self):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)

"""
TOO_MUCH = [("memory", "its process died for want of memory")]


def faults(folder, name, host="process", matches=1):
    """The faults of a bot with 200 MB in some matches, one list for each."""
    with written(BOTS, folder, name, host, memory_mb=200) as found:
        played = [against_good(found) for _ in range(matches)]
    return [[(fault.kind, fault.detail) for fault in record.faults] for record in played]


def left(root):
    return [path.name for path in root.glob("tourney-bot-*")]


@pytest.mark.parametrize("name", ["KeepsFiles", "KeepsProcesses"])
def test_what_no_process_has_mapped_and_all_processes_together_are_bounded(tmp_path, name):
    root = machine.need_memory_cgroups()
    assert faults(tmp_path, name) == [TOO_MUCH]
    assert left(root) == []


def test_a_bot_may_hold_what_its_limit_allows(tmp_path):
    machine.need_memory_cgroups()
    assert faults(tmp_path, "KeepsLittle", matches=3) == [[], [], []]


def test_a_bot_in_the_sandbox_cannot_reach_its_cgroup(tmp_path):
    machine.need_memory_cgroups()
    assert faults(tmp_path, "LooksForItsGroup", "sandbox") == [[]]


def test_what_a_killed_process_has_left_is_removed_at_the_next_start(tmp_path):
    root = machine.need_memory_cgroups()
    [[(kind, _)]] = faults(tmp_path, "KillsItsParent")
    assert kind == "crash"
    assert len(left(root)) > 0
    assert faults(tmp_path, "KeepsLittle") == [[]]
    assert left(root) == []
