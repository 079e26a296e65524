"""The processes of a run, found by descent, and what each of them is."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SPAWNER = "tourney.hosts.process.spawner"  # what the command of a spawner has in it


class Process(NamedTuple):
    pid: int
    parent: int
    group: int
    state: str
    command: str


def read(pid: int) -> Process | None:
    with suppress(OSError):  # it has ended meanwhile
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        state, parent, group = stat.rsplit(")", 1)[1].split()[:3]
        return Process(pid, int(parent), int(group), state, command)
    return None


def descendants(ancestor: int | None = None) -> dict[int, Process]:
    """Returns the processes that descend from that one, or from this one, by id."""
    found = {pid: process for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if (process := read(pid))}
    family = first = {ancestor or os.getpid()}
    while more := {process.pid for process in found.values() if process.parent in family} - family:
        family = family | more
    return {pid: found[pid] for pid in sorted(family - first)}


def reap(but: int) -> None:
    """Reaps adopted processes that have ended, but not the one with that id, which somebody else waits for."""
    for process in descendants().values():
        if process.state == "Z" and process.parent == os.getpid() and process.pid != but:
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def end() -> None:
    while left := [pid for pid, process in descendants().items() if process.state != "Z"]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def role(process: Process, family: dict[int, Process], main: int) -> str:
    if process.pid == main:
        return "main"
    parent = family.get(process.parent)
    spawner = SPAWNER in process.command
    if process.parent == main:
        found = "forkserver" if parent and process.command == parent.command else "examined"
    elif "bwrap" in process.command.split("--", 1)[0]:
        found = "sandbox"
    elif parent is None:
        found = "spawner" if spawner else "worker" if process.group == process.pid else "orphan"
    elif SPAWNER in parent.command:
        found = "bot"
    elif spawner:
        found = "spawner"
    elif role(parent, family, main) == "forkserver":
        found = "worker"
    else:
        found = "bot" if "bwrap" in parent.command.split("--", 1)[0] else "child of a bot"
    return "loading" if found == "spawner" and _is_loading(process.pid) else found


def _is_loading(spawner: int) -> bool:
    """Whether a spawner does not handle signals yet: it may be loading its bot, which is charged if that fails."""
    with suppress(OSError):  # it has ended meanwhile
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{spawner}/status").read_text(encoding="utf-8"))
        return caught is not None and not int(caught[1], 16) >> (signal.SIGCHLD - 1) & 1
    return False
