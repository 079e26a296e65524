"""The worker's side of a spawner: starts the spawner's process, which starts and kills the processes of bots."""

import errno
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import orjson

from tourney.base.errors import HelperLostError, TourneyError, system_limit, writable
from tourney.hosts import linux
from tourney.hosts.faults import ChargedError, tidied

LOAD_S = 60.0  # for loading a Python bot, once for each worker
ANSWER_S = 30.0  # for a spawner to answer, beyond the time that it was asked to wait
FLUSH = "flush"  # asks the spawner to put all the bot's output into its log
NOT_LOADED_IN_TIME = "took too long to be loaded"


class BotEnd(NamedTuple):
    """How a bot's process ended."""

    status: Sequence[int] = ()
    """Its wait status and its largest memory in kilobytes, 0 if unknown: for a process that ended by itself, or was
    killed because it held too much memory."""
    failure: str | None = None
    """The last words of its sandbox, if that was not set up; None if it was, or there is none."""


class SpawnerClient:
    """A spawner's process, as the worker sees it."""

    pids: ClassVar[set[int]] = set()  # the ids of the processes of all spawners
    _changing = threading.Lock()
    """Held while a spawner starts or is killed: one that is not among `pids` yet would be taken for an orphan."""

    def __init__(self, name: str, order: dict[str, Any], log: Path | None) -> None:
        """Starts a spawner for the entrant of that name, which then loads the bot to fork."""
        file = None if log is None else _opened(log)
        ours, theirs = socket.socketpair()
        try:
            with self._changing:
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    [sys.executable, "-P", "-m", "tourney.hosts.process.spawner", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()] if file is None else [theirs.fileno(), file],
                    start_new_session=True,
                )
                self.pids.add(self._process.pid)
        finally:
            theirs.close()
            if file is not None:
                os.close(file)
        self._name = name
        self._loads_bot = order["python"] is not None
        self._channel = Channel(ours)
        self.fileno = self._channel.fileno
        """The file descriptor of the socket. While a bot plays, it becomes readable only if the spawner ends."""
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)
        self.tree = ProcessTree(self._process.pid)
        self.alive = True
        with suppress(ConnectionError):  # it has ended, which `load` notices
            self._channel.send({**order, "log": file})

    def load(self) -> None:
        """Waits until the spawner has loaded the bot."""
        try:
            answer = self._receive(LOAD_S)
        except EOFError:
            if not self._loads_bot:
                raise self._lost() from None
            self.kill()
            raise ChargedError("crash", "process died while loading") from None
        if answer == "ready":
            return
        if not self._loads_bot:
            raise self._lost()
        self.kill()
        if answer is None:
            raise ChargedError("timeout", NOT_LOADED_IN_TIME)
        fault = ChargedError("error", "cannot be loaded")
        fault.traceback = tidied(answer["not_loaded"])
        raise fault

    def start(self, words: Sequence[str], wire: tuple[int, int]) -> None:
        """Starts a process of the bot, with these file descriptors as its stdin and stdout."""
        with suppress(ConnectionError):  # the spawner was killed, which is noticed when the bot is asked
            self._channel.send(words, *wire)

    def flush_log(self) -> None:
        """Puts all the bot's output into its log, because a match is over."""
        with suppress(ConnectionError):  # it is gone, which is noticed in the next match
            self._channel.send(FLUSH)

    def end(self, grace_s: float) -> BotEnd:
        """Kills the bot's process with everything it has started; returns how it ended.

        The process has `grace_s` seconds to end by itself.
        """
        try:
            self._channel.send(round(grace_s * 1000))
            answer = self._receive(grace_s + ANSWER_S)
        except (ConnectionError, EOFError):
            answer = None
        if answer is None:
            raise self._lost()
        return BotEnd(*answer)

    def kill(self) -> None:
        """Kills the spawner, and everything it has started."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self._channel.close()
        with self._changing:
            self.pids.discard(self._process.pid)
            # bots are never in this process's session, but children of bots in this process may be
            linux.kill_orphans(frozenset(self.pids), os.getsid(0))

    def _lost(self) -> TourneyError:
        self.kill()
        code = self._process.returncode
        limit = system_limit(OSError(code, ""), "the process of a bot cannot be started") if code > 0 else None
        return limit or HelperLostError(
            f"bot {self._name}: the process that starts its bots was killed or does not answer"
        )

    def _receive(self, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._poll.poll(left * 1000) and (messages := self._channel.receive()):
                return messages[0]
        return None


def _opened(log: Path) -> int:
    with writable(log):
        return os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666)  # a pipe may have no reader


class Channel:
    """One end of the socket between a worker and a spawner."""

    CHUNK = 1 << 16
    MOST_FILES = 8  # how many file descriptors may arrive at once

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.fileno = end.fileno
        self.close = end.close
        self._rest = b""
        self._files: list[int] = []

    def send(self, message: Any, *files: int) -> None:
        """Sends a message with some file descriptors."""
        data = orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
        sent = socket.send_fds(self._socket, [data], files) if files else 0
        self._socket.sendall(data[sent:])

    def receive(self) -> list[Any]:
        """Waits for data, and returns the messages that are complete."""
        try:
            data, files, _, _ = socket.recv_fds(self._socket, self.CHUNK, self.MOST_FILES)
        except ConnectionResetError:
            data, files = b"", []
        if not data:
            raise EOFError
        self._files += files
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [orjson.loads(line) for line in lines]

    def take_files(self, count: int) -> list[int]:
        """Returns the file descriptors that came with the next message."""
        if len(self._files) < count:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        taken, self._files = self._files[:count], self._files[count:]
        return taken


class ProcessTree:
    """The processes that a spawner has started for a bot, and all their descendants, whatever their groups."""

    def __init__(self, spawner: int) -> None:
        self._spawner = spawner
        self._suspended: list[int] = []

    def suspend(self) -> None:
        """Stops all of them; `resume` continues them."""
        self._suspended = linux.suspend_descendants(self._spawner)

    def resume(self) -> None:
        """Resumes the processes that `suspend` has stopped."""
        suspended, self._suspended = self._suspended, []
        linux.resume(suspended)

    def processor_s(self) -> float:
        """Returns the total processor time, in seconds, ended ones included."""
        return sum([linux.processor_s(pid) for pid in self._pids()])

    def cores(self) -> int:
        """Returns how many cores they may use."""
        return max([1, *[linux.cores(pid) for pid in self._pids()]])

    def _pids(self) -> list[int]:
        return self._suspended or list(linux.descendants(self._spawner))
