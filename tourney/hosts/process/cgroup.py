"""Memory cgroups of Linux (version 2): a limit on the memory of a bot, of all its processes together.

A cgroup is a folder in a file system of the kernel. It counts what no limit of a single process does: files in memory,
shared memory, buffers of sockets and pipes. Each bot of each match has a new one, which is removed with the bot.

Cgroups are made only where that harms nobody else's: below the root, or in a part of the tree that has been delegated,
which systemd marks. A folder whose cgroups have controllers may hold no processes, unless it is the root; so those that
are in a delegated folder are moved into a cgroup of their own in it.
"""

import errno
import os
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

BOT, OTHERS = "tourney-bot", "tourney"
"""What the names of the cgroups of bots begin with; the name of the cgroup of the processes that start them."""
REMOVE_S = 5.0
"""How long processes that were killed may take to leave their cgroup, in seconds; then it is left to the next start."""
MOST_MOVES = 100
"""How often processes are moved that are in the way, since others may start meanwhile."""
_NUMBERS = count()


class MemoryCgroup:
    """The cgroup of one bot in one match."""

    def __init__(self, parent: Path, limit_bytes: int) -> None:
        """Makes the cgroup, with no processes yet; it may not swap, and its processes are killed together."""
        self._folder = parent / f"{BOT}-{os.getpid()}-{next(_NUMBERS)}"
        self._folder.mkdir()
        try:
            self._write("memory.max", limit_bytes)
            self._write("memory.oom.group", 1)
            with suppress(FileNotFoundError):  # this kernel does not swap
                self._write("memory.swap.max", 0)
        except OSError:
            self._folder.rmdir()
            raise

    def add(self, pid: int) -> None:
        """Puts the process with that id into the cgroup, or this one if it is 0, and with it all that it starts."""
        self._write("cgroup.procs", pid)

    def kill(self) -> None:
        """Kills all processes in the cgroup at once, where the kernel can do that (since Linux 5.14)."""
        with suppress(OSError):
            self._write("cgroup.kill", 1)

    def was_exceeded(self) -> bool:
        """Returns whether processes were killed because the cgroup had reached its limit.

        Where the whole machine or a cgroup around this one is out of memory, this one has not reached its own.
        """
        try:
            text = (self._folder / "memory.events").read_text(encoding="ascii")
        except OSError:
            return False
        events = dict([line.split() for line in text.splitlines()])
        return int(events["oom_kill"]) > 0 and int(events["oom"]) > 0

    def remove(self) -> None:
        """Removes the cgroup once its processes have ended; never raises."""
        until = time.monotonic() + REMOVE_S
        while not _removed(self._folder) and time.monotonic() < until:
            time.sleep(0.001)

    def _write(self, name: str, value: int) -> None:
        """Writes to a file of the cgroup."""
        _write(self._folder / name, str(value))


def parent_of_cgroups() -> Path | None:
    """Returns the folder in which this process can make memory cgroups; None if it cannot.

    Cgroups that were left behind there are removed.
    """
    try:
        found = _own_folders()
        for folder in found:
            if _may_be_used(folder) and _gives_memory(folder):
                _remove_left(folder)
                return folder
    except (OSError, ValueError):  # it may not be read, or is of a form that is not known
        pass
    return None


def _own_folders() -> list[Path]:
    """Returns the folder of the cgroup of this process, and the one around it if it is visible."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = "".join([line[3:] for line in lines if line.startswith("0::")])
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, kind = line.partition(" - ")
        root, point = mount.split()[3:5]
        if not kind.startswith("cgroup2 ") or root != "/" or not own:
            continue
        folder = Path(point + own)
        if str(os.getpid()) in (folder / "cgroup.procs").read_text().split():
            return [folder] if own == "/" else [folder, folder.parent]
    return []


def _may_be_used(folder: Path) -> bool:
    """Returns whether nobody else manages the folder: it is the root, or is marked as delegated."""
    if not os.access(folder, os.W_OK):
        return False
    if os.path.ismount(folder):
        return True
    for name in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _gives_memory(folder: Path) -> bool:
    """Has cgroups in the folder count memory; returns whether they can."""
    if "memory" not in (folder / "cgroup.controllers").read_text().split():
        return False
    control = folder / "cgroup.subtree_control"
    for _ in range(MOST_MOVES):
        if "memory" in control.read_text().split():
            return True
        try:
            _write(control, "+memory")
        except OSError as error:
            if error.errno != errno.EBUSY or os.path.ismount(folder):  # what is in the root is not ours to move
                raise
            _move_others(folder)
    return False


def _move_others(folder: Path) -> None:
    """Moves the processes in a folder into a cgroup of their own in it."""
    others = folder / OTHERS
    others.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):  # it has ended meanwhile
            _write(others / "cgroup.procs", pid)


def _remove_left(parent: Path) -> None:
    """Removes the cgroups of processes that have ended without removing them."""
    for folder in parent.glob(f"{BOT}-*"):
        maker = folder.name.removeprefix(f"{BOT}-").partition("-")[0]
        if maker.isdecimal() and not Path("/proc", maker).exists():
            _removed(folder)


def _removed(top: Path) -> bool:
    """Removes a cgroup with those that its processes have made in it; returns False if there are still processes."""
    try:
        for folder, _, _ in os.walk(top, topdown=False):
            os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write(file: Path, text: str) -> None:
    """Writes to a file of the kernel, in one piece."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
