"""The worker's side of a spawner: starts the spawner's process, and has it start and end the processes of bots."""

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
"""How long a Python bot may take to be loaded, in seconds; it is loaded once for each worker."""
ANSWER_S = 10.0
"""How long a spawner may take to answer, in seconds; then it is ended."""
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
    """A spawner's process, as the worker sees it."""

    pids: ClassVar[set[int]] = set()
    """The ids of the processes of all spawners."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Starts a spawner, and waits until it has loaded the bot; a `ChargedError` if that fails."""
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

    def is_idle(self) -> bool:
        """Returns whether the spawner is alive and waits for orders: there is nothing to receive from it."""
        return not select.select([self._control], [], [], 0)[0]

    def start(self, command: BotCommand, wire: tuple[int, int]) -> None:
        """Starts a process of the bot, with these file descriptors as its stdin and stdout."""
        order = {"argv": command.argv, "env": None if command.env is None else dict(command.env), "cwd": command.cwd}
        with suppress(BrokenPipeError):  # the spawner was killed, so that the bot never starts, and is charged for that
            socket.send_fds(self._control, [orjson.dumps(order)], wire)

    def end(self, grace_s: float) -> list[int]:
        """Ends the bot's process with all that it has started; it has `grace_s` seconds to end by itself.

        Returns its wait status and its largest memory in kilobytes if it ended by itself, else nothing.
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
        """Ends the spawner, and all that it has started."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self._control.close()
        self.pids.discard(self._process.pid)
        linux.kill_orphans(frozenset(self.pids))

    def _receive(self, seconds: float) -> bytes | None:
        """Returns the next message; empty if there will be none, None if it does not come in time."""
        self._control.settimeout(seconds)
        try:
            return self._control.recv(CHUNK)
        except TimeoutError:
            return None
        except ConnectionResetError:
            return b""
