"""The memory of a bot with all its processes is bounded by a cgroup of its own, where the system lets one be made.

`tests/hosts/in_user_mode_linux.sh tests/hosts/test_cgroup.py` runs these where the machine itself has no such cgroups.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts import machine
from tests.hosts.play import ROOT, against_good, written

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
PLAY_AS_USER = """
import os, sys
from pathlib import Path
_, group, user, folder, bot = sys.argv
Path(group, "cgroup.procs").write_text("0")
os.setgroups([])
os.setresgid(*[int(user)] * 3)
os.setresuid(*[int(user)] * 3)
from tests.hosts import test_cgroup
print(test_cgroup.faults(Path(folder), bot))
"""


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


@pytest.fixture
def for_all() -> Iterator[tuple[str, dict[str, str], Path]]:
    """A Python that every user may run, its environment, and a folder of an ordinary user's."""
    python = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin")
    if python is None:
        pytest.skip("no such Python that every user may run")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PYTHONPATH": os.pathsep.join([str(ROOT), *packages]), "PYTHONDONTWRITEBYTECODE": "1"}
    imported = [python, "-c", "import msgspec, orjson, pytest, tests.hosts"]
    tried = subprocess.run(imported, capture_output=True, text=True, check=False, env=env, **machine.as_user(True))
    if tried.returncode:
        pytest.skip(f"not every user may run the project: {tried.stderr.strip()}")
    folder = Path(tempfile.mkdtemp(prefix="tourney-test-"))
    os.chown(folder, machine.NOBODY, machine.NOBODY)
    yield python, env, folder
    shutil.rmtree(folder)


@pytest.fixture
def group() -> Iterator[Path]:
    """A cgroup of an ordinary user's, removed with those in it."""
    folder = machine.need_memory_cgroups() / f"delegated-{os.getpid()}"
    folder.mkdir()
    for path in (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control"):
        os.chown(path, machine.NOBODY, machine.NOBODY)
    yield folder
    for path in (*inside(folder), folder):
        path.rmdir()


def inside(group):
    return [path for path in group.iterdir() if path.is_dir()]


def test_an_ordinary_user_takes_a_cgroup_that_is_delegated(group, for_all):
    os.setxattr(group, "user.delegate", b"1")
    assert played_in(group, *for_all) == f"{[TOO_MUCH]}\n"
    assert [path.name for path in inside(group)] == ["tourney"]


def test_a_cgroup_that_others_manage_is_left_alone(group, for_all):
    assert played_in(group, *for_all) == "[[]]\n"
    assert inside(group) == []


def played_in(group, python, env, folder):
    """What an ordinary user's program prints that plays in this cgroup."""
    argv = [python, "-c", PLAY_AS_USER, str(group), str(machine.NOBODY), str(folder), "KeepsFiles"]
    played = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    return played.stdout + played.stderr
