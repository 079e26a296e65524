"""The memory of a bot with all its processes is bounded by a cgroup of its own, where the system lets one be made.

`tests/hosts/in_user_mode_linux.sh tests/hosts/test_cgroup.py` runs these where the machine itself has no such cgroups.
Which of its cgroups a user may use is tried in `test_linux.py`.
"""

import pytest

from tests.hosts import machine
from tests.hosts.play import against_good, written

pytestmark = pytest.mark.slow

BOTS = """
import os, time

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

class LooksForItsGroup(Bot):
    def work(self):
        for path in ("/sys/fs/cgroup", "/proc/self/cgroup", "/sys/fs/cgroup/cgroup.procs"):
            for flags in (os.O_RDONLY, os.O_WRONLY):
                try:
                    os.open(path, flags)
                except OSError:
                    continue
                raise LookupError
"""
TOO_MUCH = [("memory", "its process died for want of memory")]


CASES = {
    "KeepsFiles": ("process", TOO_MUCH),
    "KeepsProcesses": ("process", TOO_MUCH),
    "LooksForItsGroup": ("sandbox", []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_no_process_has_mapped_and_all_processes_together_are_bounded(tmp_path, name):
    root = machine.need_memory_cgroups()
    host, faults = CASES[name]
    with written(BOTS, tmp_path, name, host, memory_mb=200) as found:
        assert [(fault.kind, fault.detail) for fault in against_good(found).faults] == faults
    assert list(root.glob("tourney-bot-*")) == []
