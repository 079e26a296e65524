"""Processes together with what they have started, by what every system offers: groups, and the end of a pipe.

This is the portable way beside `tourney.hosts.linux`. A process that leaves its group, as by `setsid`, is not reached.
Windows has no groups: there a process is ended with those that it is still the parent of.
"""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from typing import NoReturn

_GUARD = """
import os, select, signal, sys
for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:  # SIGKILL and SIGSTOP
        pass
groups, rest = set(), b""
while True:
    if select.select([0], [], [], 1)[0]:
        data = os.read(0, 1 << 13)
        if not data:
            break
        *lines, rest = (rest + data).split(b"\\n")
        for line in lines:
            (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    elif os.getppid() != int(sys.argv[1]):
        break
for leader in groups:
    for kill in (os.killpg, os.kill):  # it may not have made its group yet
        try:
            kill(leader, signal.SIGKILL)
        except OSError:
            pass
"""


def lead() -> None:
    """Makes this process the leader of a group, to which all belong that it starts."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def end_own() -> NoReturn:
    """Ends this process, which leads its group, with all of the group."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def kill(leader: int) -> None:
    """Kills what is left of the group that a process leads, or has led; nothing happens if there is no such group."""
    if hasattr(os, "killpg"):
        _send(leader, signal.SIGKILL)
    else:
        command = ["taskkill", "/F", "/T", "/PID", str(leader)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a command of the system


def stop(leader: int) -> None:
    """Stops the group that a process leads, where the system can do that; `go_on` lets it go on."""
    if hasattr(signal, "SIGSTOP"):
        _send(leader, signal.SIGSTOP)


def go_on(leader: int) -> None:
    """Lets the group that a process leads go on, should it be stopped."""
    if hasattr(signal, "SIGCONT"):
        _send(leader, signal.SIGCONT)


def _send(leader: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has ended, or has not made its group yet
        os.killpg(leader, number)


def children(parent: int) -> list[int]:
    """Returns the ids of the processes that a process has started, as far as the system tells."""
    return sorted([int(pid) for pid, its_parent in _listed("ppid=") if int(its_parent) == parent])


def is_any_stopped(leader: int) -> bool:
    """Returns whether a process of the group that a process leads is stopped, as far as the system tells."""
    return any([int(group) == leader and state.startswith("T") for _, group, state in _listed("pgid=,stat=")])


def _listed(columns: str) -> list[list[str]]:
    """Returns the id of every process and what `ps` says of it in those columns; nothing where there is no `ps`."""
    program = shutil.which("ps")
    if program is None:
        return []
    with subprocess.Popen([program, "-axo", f"pid=,{columns}"], stdout=subprocess.PIPE, text=True) as ps:  # noqa: S603
        found = [line.split() for line in ps.stdout or ()]
    return [row for row in found if int(row[0]) != ps.pid]


class GroupGuard:
    """A small process that kills the groups that were begun and not ended once this process is gone.

    So nothing is left even where this process is killed together with those that would notice it. It sees by the end of
    a pipe that this process is gone, or within a second where a fork of this process holds the pipe. Windows has none.
    """

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._groups: dict[int, None] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the guard if there is none yet; to be called before a group is begun.

        Raises:
            OSError: The system does not let it start.
        """
        if self._process is None and hasattr(os, "killpg"):
            self._launch()

    def begin(self, leader: int) -> None:
        """Has the group that a process leads killed when this process is gone."""
        self._groups[leader] = None
        self._tell(f"+{leader}\n")

    def end(self, leader: int) -> None:
        """Spares the group of a process that has ended: another one may get its id."""
        del self._groups[leader]
        self._tell(f"-{leader}\n")

    def close(self) -> None:
        """Ends the guard, and kills the groups that are left."""
        if self._process is not None:
            for leader in self._groups:
                kill(leader)
            self._end()

    def _end(self) -> None:
        """Ends the guard, whatever state it is in."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # it was killed before it has read all
            self._process.stdin.close()
        self._process = None

    def _tell(self, line: str) -> None:
        """Tells the guard a line; another is started where there is none, or where somebody has killed it."""
        if not hasattr(os, "killpg"):
            return
        try:
            if self._process is not None:
                self._write(line)
                return
        except OSError:
            self._end()
        with suppress(OSError):  # the system does not let it start now; the next line tries again
            self._launch()

    def _launch(self) -> None:
        """Starts the guard, and tells it the groups that there are."""
        self._process = subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # a group of its own, but no session: so the system continues it at the end of this process if it is stopped
            process_group=0,
        )
        with suppress(OSError):  # it was killed at once; the next line finds that out
            self._write("".join([f"+{group}\n" for group in self._groups]))

    def _write(self, lines: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)  # one that somebody has stopped would not read
        self._process.stdin.write(lines.encode())
        self._process.stdin.flush()
