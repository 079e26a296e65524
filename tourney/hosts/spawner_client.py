"""A spawner as the worker sees it: starts the spawner's process, and has it start and end those of bots."""

import select
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import orjson

from tourney.hosts import linux
from tourney.hosts.fault_kinds import ChargedError

LOAD_S = 60.0
"""How long a Python bot may take to be loaded, once a worker."""
ANSWER_S = 10.0
"""How long a spawner may take to answer, before it is ended."""
CHUNK = 1 << 13


class BotCommand(NamedTuple):
    """How the process of a bot is started."""

    argv: Sequence[str]
    env: Mapping[str, str] | None
    """The environment; None for that of this process."""
    cwd: str
    clear: Callable[[], None] = lambda: None
    """Called when the process has ended."""


class SpawnerClient:
    """A keeper's process, as the worker sees it."""

    pids: ClassVar[set[int]] = set()

    def __init__(self, order: dict[str, Any]) -> None:
        """Starts it, and waits until it has loaded the bot; a `ChargedError` if that goes wrong."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", "tourney.hosts.spawner", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.alive = True
        self.pids.add(self._process.pid)
        self._control.send(orjson.dumps(order))
        match self._receive(LOAD_S):
            case b"ready":
                return
            case b"cannot be loaded":
                fault = ChargedError("error", "cannot be loaded")
            case b"":
                fault = ChargedError("crash", "its process died while it was loaded", killed=True)
            case _:
                fault = ChargedError("timeout", "took too long to be loaded")
        self.kill()
        raise fault

    def is_well(self) -> bool:
        """Whether it is there, and has nothing to say."""
        return not select.select([self._control], [], [], 0)[0]

    def begin(self, command: BotCommand, wire: tuple[int, int]) -> None:
        """Starts a process of the bot with these as its stdin and stdout."""
        told = {"argv": command.argv, "env": None if command.env is None else dict(command.env), "cwd": command.cwd}
        with suppress(BrokenPipeError):  # it was killed; so is the process that it would have started
            socket.send_fds(self._control, [orjson.dumps(told)], wire)

    def end(self, grace_s: float) -> list[int]:
        """Ends that process with all that it has started.

        Its wait status and largest memory in kilobytes, if it has ended by itself within that time.
        """
        reply = None
        with suppress(BrokenPipeError):
            self._control.send(str(round(grace_s * 1000)).encode())
            reply = self._receive(grace_s + ANSWER_S)
        if not reply:
            self.kill()
            return []
        status: list[int] = orjson.loads(reply)
        return status

    def kill(self) -> None:
        """Ends the keeper, and with it what it has started."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self._control.close()
        self.pids.discard(self._process.pid)
        linux.end_orphans(frozenset(self.pids))

    def _receive(self, seconds: float) -> bytes | None:
        """The next message; empty if there will be none, None if it does not come in time."""
        self._control.settimeout(seconds)
        try:
            return self._control.recv(CHUNK)
        except TimeoutError:
            return None
        except ConnectionResetError:
            return b""
