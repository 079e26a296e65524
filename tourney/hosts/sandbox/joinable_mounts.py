"""Mounts that bubblewrap makes once, for forks of this process to join.

Bubblewrap shows a command its files by mounts in a namespace. This lasts as long as somebody has it open, also when the
command has ended.
"""

import ctypes
import os
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tourney.hosts import linux
from tourney.hosts.sandbox import init, namespaces
from tourney.hosts.sandbox.syscalls import checked

START_S = 30.0
"""How long bubblewrap may take, in seconds; it takes some milliseconds."""
_MOUNTS = 0x00020000
_JOINED = {"user": 0x10000000, "uts": 0x04000000, "cgroup": 0x02000000, "mnt": _MOUNTS}
"""The kinds of namespaces that are joined, by their names in /proc, with their flags. The first one gives an ordinary
user the right to join the others."""
_HOLD = "import sys; print(flush=True); sys.stdin.read()"


class JoinableMounts:
    """The mounts that bubblewrap has made for a command, with what belongs to them, for forks to join."""

    def __init__(self, front: Sequence[str], env: Mapping[str, str]) -> None:
        """Has bubblewrap make them; an `OSError` if they cannot be made, or not be joined."""
        self._files: list[tuple[int, int]] = []
        try:
            self._make([*front, os.path.realpath(sys.executable), "-I", "-S", "-B", "-c", _HOLD], env)
            self._try()
        except BaseException:
            self.close()
            raise

    def _make(self, command: list[str], env: Mapping[str, str]) -> None:
        """Opens the namespaces of a command, which waits meanwhile; they last until they are closed."""
        held, hold = os.pipe()
        source, target = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        streams = [(os.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate((held, target, null))]
        try:
            # `subprocess` would import `threading`, which makes forks slower
            started = os.posix_spawn(command[0], command, env, file_actions=streams, setsigdef=[signal.SIGPIPE])
            os.close(target)
            target = -1
            ready = select.poll()
            ready.register(source, select.POLLIN)
            try:
                if not ready.poll(START_S * 1000) or not os.read(source, 1):
                    raise OSError(0, "bubblewrap has not started the command")
                self._open([started, *linux.descendants(started)][-1])
            finally:
                os.kill(started, signal.SIGKILL)
                os.waitpid(started, 0)
        finally:
            for file in (held, hold, source, target, null):
                with suppress(OSError):
                    os.close(file)

    def _open(self, pid: int) -> None:
        """Opens those namespaces of a process that are not this one's; an `OSError` if its mounts are this one's."""
        for name, flag in _JOINED.items():
            theirs = f"/proc/{pid}/ns/{name}"
            if os.readlink(theirs) != os.readlink(f"/proc/self/ns/{name}"):
                self._files.append((os.open(theirs, os.O_RDONLY), flag))
        if not any([flag == _MOUNTS for _, flag in self._files]):
            raise OSError(0, "bubblewrap has made no mounts")

    def _try(self) -> None:
        """Has a fork join them and make its own namespaces; an `OSError` if it cannot."""
        child = os.fork()
        if child == 0:
            code = init.FAILED
            with suppress(BaseException):
                libc = ctypes.CDLL(None, use_errno=True)
                self.join(libc)
                namespaces.make_like(libc)
                code = 0
            os._exit(code)
        if os.waitpid(child, 0)[1]:
            raise OSError(0, "what bubblewrap has made cannot be joined")

    def join(self, libc: ctypes.CDLL) -> None:
        """Moves this process to them; an `OSError` if it may not do that."""
        for file, flag in self._files:
            checked(libc.setns(file, flag), "what bubblewrap has made cannot be joined")

    def close(self) -> None:
        """Lets go of them; they end with the last fork in them."""
        while self._files:
            os.close(self._files.pop()[0])
