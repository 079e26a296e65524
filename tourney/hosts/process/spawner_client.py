"""The worker's side of a spawner: starts the spawner's process, and has it start and end the processes of bots."""

import errno
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import orjson

from tourney.base.errors import SystemLimitError, system_limit
from tourney.hosts import linux
from tourney.hosts.faults import NOT_LOADED, ChargedError, tidied
from tourney.hosts.retries import MOST_ATTEMPTS, may_be_from_outside

_ORDER = b"order"
"""The message that an order is sent with."""


def send_order(channel: socket.socket, data: bytes, *files: int) -> None:
    """Sends data of any length with file descriptors: as a file in memory, since a message has a bounded length."""
    memory = linux.memory_file("order")
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(memory, left) :]
        socket.send_fds(channel, [_ORDER], [memory, *files])
    finally:
        os.close(memory)


def receive_order(channel: socket.socket, size: int, files: int) -> tuple[bytes, list[int]]:
    """Returns the data of the next order that was sent by `send_order`, and its file descriptors.

    Of a message that was sent otherwise it returns the first `size` bytes, and no file descriptors.
    """
    message, found, _, _ = socket.recv_fds(channel, size, files + 1)
    if message != _ORDER:
        return message, []
    if len(found) <= files:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    memory, *others = found
    with open(memory, "rb") as file:
        file.seek(0)
        return file.read(), others


class ProcessTree:
    """The processes that a spawner has started for a bot, and all that these have started, whatever their groups."""

    def __init__(self, spawner: int, may_fork: bool) -> None:
        """Takes the id of the spawner's process; `may_fork` says whether a bot can start processes of its own."""
        self._spawner = spawner
        self._may_fork = may_fork
        self._suspended: list[int] = []

    def suspend(self) -> None:
        """Stops all of them; `resume` lets them go on."""
        self._suspended = linux.suspend_descendants(self._spawner)

    def resume(self) -> None:
        """Lets those go on that were stopped by `suspend`."""
        suspended, self._suspended = self._suspended, []
        linux.resume(suspended)

    def is_stopped(self) -> bool:
        """Returns whether the bot's process was stopped by somebody, or the bot itself where that is its launcher."""
        pids = self._pids()
        return any([linux.is_stopped(pid) for pid in (pids[:1] if self._may_fork else pids)])

    def processor_s(self) -> float:
        """Returns for how long processors have worked for them, in seconds, those counted that have ended."""
        return sum([linux.processor_s(pid) for pid in self._pids()])

    def cores(self) -> int:
        """Returns on how many cores they may run."""
        return max([1, *[linux.cores(pid) for pid in self._pids()]])

    def _pids(self) -> list[int]:
        """Returns the ids of the processes; that of the one which the spawner has started is the first."""
        return self._suspended or list(linux.descendants(self._spawner))


LOAD_S = 60.0
"""How long a Python bot may take to be loaded, in seconds; it is loaded once for each worker."""
ANSWER_S = 30.0
"""How long a spawner that is neither dead nor stopped may take to answer, in seconds; then it is ended."""
LOADED_LATE = "took too long to be loaded"
CHECK_S = 0.2
"""How often it is looked, in seconds, whether a spawner that is waited for was stopped by a signal."""
CHUNK = 1 << 16


class BotCommand(NamedTuple):
    """How the process of a bot is started."""

    argv: Sequence[str]
    env: Mapping[str, str] | None
    """The environment; None for that of this process."""
    cwd: str


class BotEnd(NamedTuple):
    """How the process of a bot ended."""

    status: Sequence[int] = ()
    """Its wait status and its largest memory in kilobytes, 0 if that is not known: of a process that ended by itself,
    was found stopped, or was ended because it held too much memory."""
    stopped: bool = False
    """Whether a process of the bot, which was late, was stopped by a signal."""
    failure: str | None = None
    """The last that its sandbox has said, if that was not set up; None if it was, or there is none."""


class SpawnerClient:
    """A spawner's process, as the worker sees it."""

    pids: ClassVar[set[int]] = set()
    """The ids of the processes of all spawners."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Starts a spawner, which then loads what bots are forked with."""
        self._control, theirs = linux.message_sockets()
        send_order(self._control, orjson.dumps(order))  # now: the spawner may be killed as soon as it is there
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", "tourney.hosts.process.spawner", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.pids.add(self._process.pid)
        self.leaves_stops: bool = order["suspended"]
        """Whether it is left to the worker, which stops the bot as well, to notice that a signal has stopped it."""
        self.tree = ProcessTree(self._process.pid, order["may_fork"])
        """The processes of the bot."""
        self.death_fd = linux.death_fd(self._process.pid)
        """A file descriptor that becomes readable when the spawner ends. (Its end of the socket may be held by a
        process that the bot has forked.)"""
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self.death_fd, select.POLLIN)
        self.alive = True
        self.unchanged = True
        """Whether the next bot is handed down what the first one was."""
        self.was_stopped = False
        """Whether the spawner was found stopped by a signal."""

    def load(self) -> ChargedError | None:
        """Waits until the spawner has loaded the bot; returns the charge against the bot if that fails.

        The spawner is ended then. The charge says whether somebody else may have ended it.
        """
        answer = self._receive(LOAD_S)
        if answer == b"ready":
            return None
        self.kill()
        if answer is not None and answer.startswith(NOT_LOADED):
            fault = ChargedError("error", "cannot be loaded")
            fault.traceback = tidied(answer.removeprefix(NOT_LOADED).decode(errors="replace"))
            return fault
        if answer is None and not self.was_stopped:
            return ChargedError("timeout", LOADED_LATE)
        killed = may_be_from_outside(self._process.returncode)
        return ChargedError("crash", "its process died while it was loaded", killed)

    def is_idle(self) -> bool:
        """Returns whether the spawner is alive and waits for orders: there is nothing to receive from it."""
        return not self._poll.poll(0)

    def start(self, command: BotCommand, wire: tuple[int, int]) -> None:
        """Starts a process of the bot, with these file descriptors as its stdin and stdout."""
        env = None if command.env is None else dict(command.env)
        order = {"argv": command.argv, "env": env, "cwd": command.cwd}
        with suppress(ConnectionError):  # the spawner was killed, which is noticed when the bot is asked
            send_order(self._control, orjson.dumps(order), *wire)

    def end(self, grace_s: float, late: bool = False) -> BotEnd:
        """Ends the bot's process with all that it has started; returns how it ended.

        The process has `grace_s` seconds to end by itself; `late` says that it is ended because it has not answered.
        A spawner that does not report that is ended as well.
        """
        reply = None
        with suppress(ConnectionError):
            self._control.send(orjson.dumps([round(grace_s * 1000), late]))
            reply = self._receive(grace_s + ANSWER_S)
        if not reply:
            self.kill()
            return BotEnd()
        status, stopped, self.unchanged, failure = orjson.loads(reply)
        return BotEnd(status, stopped, failure)

    def kill(self) -> None:
        """Ends the spawner, and all that it has started."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self._control.close()
        os.close(self.death_fd)
        self.pids.discard(self._process.pid)
        # bots are never in the session of this process, but what bots in this process have started may be
        linux.kill_orphans(frozenset(self.pids), os.getsid(0))

    def is_stopped(self) -> bool:
        """Returns whether a signal or a debugger has stopped the spawner; for when it was waited for in vain."""
        self.was_stopped = linux.is_stopped(self._process.pid, traced=True)
        return self.was_stopped

    def limit(self) -> SystemLimitError | None:
        """Returns the error for a limit of the system that has kept the spawner from its work, if it has ended so."""
        code = self._process.returncode
        if code is None or code <= 0:
            return None
        return system_limit(OSError(code, os.strerror(code)), "the process of a bot cannot be started")

    def _receive(self, seconds: float) -> bytes | None:
        """Returns the next message; empty if there will be none, None if it does not come in time, or cannot come."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            ready = self._poll.poll(min(left, CHECK_S) * 1000)
            if ready:
                return self._received() if ready[0][0] == self._control.fileno() else b""
            if self.is_stopped():
                break
        return None

    def _received(self) -> bytes:
        """Returns the message that is there; empty if there will be no more."""
        try:
            return self._control.recv(CHUNK)
        except ConnectionResetError:
            return b""


def start_spawner(order: dict[str, Any]) -> SpawnerClient:
    """Starts a spawner that has loaded the bot.

    It is started again where somebody may have killed it. All kills while a bot is loaded look the same, and a bot
    takes long to be loaded; so it takes more of them than identical plays of a match until they count.
    """
    for attempt in range(1, MOST_ATTEMPTS + 1):
        spawner = SpawnerClient(order)
        fault = spawner.load()
        if fault is None:
            return spawner
        if not fault.killed or attempt == MOST_ATTEMPTS:
            fault.killed = False
            raise fault
    raise AssertionError
