"""What only Linux tells and does: the end of a process, and cgroups, here of a kernel that a test stands in for.

Few machines let a test make real cgroups that count memory.
"""

import errno
import os
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tourney.hosts import linux

BURNS = """
import os, time
while time.process_time() < 0.3: pass
print(os.getpid())
"""
OWN = "sys/fs/cgroup/user/service"
MOUNTS = """\
30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 24 0:27 /part /mnt rw - cgroup2 cgroup2 rw
32 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw
"""
DELEGATED = {"own": ([OWN], OWN), "around": (["sys/fs/cgroup/user"], "sys/fs/cgroup/user"), "none": ([], None)}


def test_what_the_kernel_can_hold_for_streams_and_what_waits_for_them_counts_as_memory():
    own = os.getpid()
    before = linux.held_kb(own)
    ends = [end for _ in range(40) for end in socket.socketpair()]
    with_pairs = linux.held_kb(own)
    assert 80 * 208 < with_pairs - before < 80 * 416, "at least what a process may put into a socket"
    with select.epoll() as poll:
        for end in ends:
            poll.register(end)
        assert linux.held_kb(own) - with_pairs >= 80 * 128 // 1024
    for end in ends:
        end.close()


@pytest.mark.parametrize("is_old", [False, True])
def test_the_end_of_a_process_makes_a_file_readable(is_old, monkeypatch):
    if is_old:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    child = subprocess.Popen(["sleep", "600"])
    ended = linux.death_fd(child.pid)
    assert select.select([ended], [], [], 0)[0] == []
    child.kill()
    assert select.select([ended], [], [], 60)[0] == [ended]
    os.close(ended)
    child.wait()
    with pytest.raises(ProcessLookupError):
        linux.death_fd(child.pid)


def test_a_process_is_measured_and_one_that_is_gone_has_nothing():
    gone = int(subprocess.run([sys.executable, "-c", BURNS], check=True, capture_output=True, text=True).stdout)
    assert [linux.processor_s(gone), linux.cores(gone), linux.held_kb(gone), linux.is_working(gone)] == [0, 0, 0, False]
    assert list(linux.descendants(gone)) == []
    own = os.getpid()
    before = linux.processor_s(own), linux.data_bytes(), linux.held_kb(own)
    held = bytearray(b"x") * (64 << 20)
    subprocess.run([sys.executable, "-c", BURNS], check=True, capture_output=True)
    used_s, data, held_kb = (now - then for now, then in zip(
        (linux.processor_s(own), linux.data_bytes(), linux.held_kb(own)), before, strict=True
    ))  # fmt: skip
    assert 0.28 < used_s < 5, "that of its child, which is counted in ticks"
    assert len(held) <= data < 2 * len(held)
    assert len(held) <= held_kb * 1024 < 2 * len(held)
    assert linux.is_working(own)


class Kernel:
    """A kernel with memory cgroups: folders below another root that act as those of cgroups."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """This process is in the cgroup `OWN`, with another one."""
        self.root = root
        self.delegated: set[Path] = set()
        self.refused = ""
        self._write, self._rmdir = linux._write, os.rmdir
        for name, text in {
            "proc/self/cgroup": "5:memory:/old\n0::/user/service\n",
            "proc/self/mountinfo": MOUNTS,
            f"proc/{os.getpid()}/stat": "",
            **{f"{folder}/cgroup.controllers": "cpu memory" for folder in (OWN, "sys/fs/cgroup/user")},
            **{f"{folder}/cgroup.subtree_control": "cpu" for folder in (OWN, "sys/fs/cgroup/user")},
            f"{OWN}/cgroup.procs": f"{os.getpid()}\n1",
            "sys/fs/cgroup/user/cgroup.procs": "",
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        monkeypatch.setattr(linux, "Path", lambda *parts: Path(str(root) + "/".join(parts)))
        monkeypatch.setattr(linux, "_write", self.write)
        monkeypatch.setattr(os, "rmdir", self.rmdir)
        monkeypatch.setattr(os, "getxattr", lambda path, _name: b"1" if path in self.delegated else b"0")

    def write(self, file: Path, text: str) -> None:
        if file.name == self.refused:
            raise OSError(errno.EINVAL, "refused")
        if file.name == "cgroup.procs":
            for each in self.root.rglob("cgroup.procs"):
                each.write_text("".join([f"{pid}\n" for pid in each.read_text().split() if pid != text]))
            with file.open("a") as procs:
                procs.write(f"{text}\n")
            return
        if file.name == "cgroup.subtree_control" and (file.parent / "cgroup.procs").read_text():
            raise OSError(errno.EBUSY, "there are processes")
        file.write_text("")
        self._write(file, text.removeprefix("+"))

    def rmdir(self, path: str | Path) -> None:
        folder = Path(path)
        if (folder / "cgroup.procs").exists() and (folder / "cgroup.procs").read_text():
            raise OSError(errno.EBUSY, "there are processes")
        for file in folder.iterdir():
            file.unlink()
        self._rmdir(folder)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    return Kernel(tmp_path, monkeypatch)


@pytest.mark.parametrize("which", DELEGATED)
def test_cgroups_are_made_where_that_is_delegated(which, kernel):
    folders, expected = DELEGATED[which]
    kernel.delegated = {kernel.root / folder for folder in folders}
    assert linux.parent_of_cgroups() == (expected and kernel.root / expected)
    others = kernel.root / OWN / "tourney" / "cgroup.procs"
    assert others.exists() == (which == "own"), "a folder that has cgroups may hold no processes"
    assert which != "own" or set(others.read_text().split()) == {str(os.getpid()), "1"}
    for folder in (OWN, "sys/fs/cgroup/user"):
        control = (kernel.root / folder / "cgroup.subtree_control").read_text()
        assert control == ("memory" if folder == expected else "cpu")


def test_where_memory_is_not_counted_there_are_no_cgroups(kernel):
    kernel.delegated = {kernel.root / OWN}
    for name in (f"{OWN}/cgroup.controllers", "proc/self/mountinfo", "proc/self/cgroup"):
        (kernel.root / name).write_text("cpu" if name.startswith(OWN) else "")
        assert linux.parent_of_cgroups() is None


def test_what_processes_that_are_gone_have_left_is_removed(kernel):
    kernel.delegated = {kernel.root / OWN}
    names = {"tourney-bot-999999999-0": False, f"tourney-bot-{os.getpid()}-0": True, "tourney-bot-x-0": True}
    for name in names:
        (kernel.root / OWN / name / "inner").mkdir(parents=True)
    linux.parent_of_cgroups()
    assert {name: (kernel.root / OWN / name).exists() for name in names} == names


def test_a_cgroup_bounds_memory_kills_together_and_tells_whether_it_was_exceeded(kernel):
    top = kernel.root / OWN
    group = linux.MemoryCgroup(top, 300)
    (folder,) = top.glob(f"tourney-bot-{os.getpid()}-*")
    group.add(1)
    group.kill()
    bounds = {"memory.max": "300", "memory.oom.group": "1", "memory.swap.max": "0"}
    written = {file.name: file.read_text() for file in folder.iterdir()}
    assert written == bounds | {"cgroup.procs": "1\n", "cgroup.kill": "1"}
    assert not group.was_exceeded(), "it tells nothing"
    for oom, oom_kill in ((0, 0), (0, 1), (1, 0), (1, 1)):
        (folder / "memory.events").write_text(f"low 7\noom {oom}\noom_kill {oom_kill}\n")
        assert group.was_exceeded() == (oom == oom_kill == 1)
    threading.Timer(0.2, (folder / "cgroup.procs").write_text, [""]).start()
    group.remove()
    assert not folder.exists(), "its last process has ended after a while"


def test_a_cgroup_that_cannot_be_bounded_is_not_left(kernel):
    kernel.refused = "memory.max"
    with pytest.raises(OSError, match="refused"):
        linux.MemoryCgroup(kernel.root / OWN, 300)
    assert list((kernel.root / OWN).glob("tourney-bot-*")) == []
