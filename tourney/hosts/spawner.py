"""Starts the process of a bot for one match after the other, and ends it with all that it has started.

A keeper is a process between a worker and the bots of one entrant. It takes no part in what they say to each other. For
a Python bot it has loaded the bot, and nothing of any match; it forks itself for each match, which takes a
millisecond or two. Programs it starts anew. What a bot writes to stderr it puts in the entrant's log, up to a limit.

The worker sends, over a socket, what the keeper is for; then for each match how to start the bot's process, with the
bot's ends of two pipes, and at its end how long to wait for the process, answered by how that ended.
"""

import gc
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

from tourney.hosts import bot_server, linux

MESSAGE = 1 << 16
LOG_BYTES = 1_000_000
FULL = b"\n[the log is full; what comes after this is not kept]\n"
CANNOT_START = 127
MB = 1 << 20


def main() -> None:
    """Serves the worker at the other end of the socket whose file descriptor is the first argument."""
    parent = os.getppid()
    linux.die_with_parent(parent)  # while the bot is loaded, which may take for ever
    linux.take_in_orphans()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))  # the worker's own limit is not for processes of their own
    control = socket.socket(fileno=int(sys.argv[1]))
    order = orjson.loads(control.recv(MESSAGE))
    keeper = _Spawner(control, order)
    try:
        keeper.load()
    except BaseException:  # a bot may raise anything while it is imported
        traceback.print_exc()
        control.send(b"cannot be loaded")
        return
    linux.die_with_parent(parent, False)  # from now on it sees when the worker is gone, and clears away first
    control.send(b"ready")
    keeper.serve()


class _Spawner:
    def __init__(self, control: socket.socket, order: dict[str, Any]) -> None:
        self._control = control
        self._order = order
        self._make: Callable[[], Any] | None = None
        self._log = _BotLog(order["log"])
        self._child = 0
        self._death = -1  # a file descriptor that tells of the child's death
        self._status: list[int] = []  # of the last child: its wait status and its largest memory in kilobytes
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        self._poll.register(self._log.source, select.POLLIN)

    def load(self) -> None:
        """Loads a Python bot, so that a fork has it; one that has started threads cannot be forked."""
        if self._order["python"] is None:
            return
        sys.path[:] = self._order["python"]["path"]
        self._log.take_over()
        make = bot_server.load(self._order["python"])
        if len(os.listdir("/proc/self/task")) == 1:
            self._make = make
            gc.collect()
            gc.freeze()

    def serve(self) -> None:
        """Does what the worker says, until it is gone."""
        while True:
            for source, _ in self._poll.poll():
                if source == self._log.source:
                    self._log.take()
                elif source == self._death:
                    self._bury()
                elif not self._heed():
                    self._end()
                    return

    def _heed(self) -> bool:
        """Does what the next message says; False if the worker is gone."""
        try:
            message, wire, _, _ = socket.recv_fds(self._control, MESSAGE, 2)
        except ConnectionResetError:
            return False
        if not message:
            return False
        if wire:
            self._begin(orjson.loads(message), wire)
        else:
            self._wait(float(message) / 1000)
            self._end()
            with suppress(BrokenPipeError):
                self._control.send(orjson.dumps(self._status))
        return True

    def _begin(self, launch: dict[str, Any], wire: list[int]) -> None:
        keeper = os.getpid()
        self._status = []
        self._child = os.fork()
        if self._child == 0:
            try:
                self._be_bot(keeper, launch, wire)
            except OSError as error:
                os.write(2, f"cannot be started: {error}\n".encode())
            finally:
                os._exit(CANNOT_START)
        for end in wire:
            os.close(end)
        self._death = os.pidfd_open(self._child)
        self._poll.register(self._death, select.POLLIN)

    def _be_bot(self, keeper: int, launch: dict[str, Any], wire: list[int]) -> None:
        """Becomes the process of the bot, and never returns but by an exception."""
        linux.die_with_parent(keeper)
        os.setsid()
        for number, end in zip((0, 1, 2), (*wire, self._log.target), strict=True):
            os.dup2(end, number)
        for end in (*wire, self._control.fileno(), self._log.source, self._log.target):
            os.close(end)
        self._log.close_file()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self._order["memory_mb"] is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self._order["memory_mb"] * MB,) * 2)
        if self._make is not None:
            bot_server.serve(self._make, *bot_server.private_wire())
            sys.stdout.flush()
            os._exit(0)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(launch["cwd"])
        env = launch["env"]
        os.execvpe(launch["argv"][0], launch["argv"], os.environ if env is None else env)  # noqa: S606 - no shell is meant

    def _wait(self, seconds: float) -> None:
        """Waits so long for the child to end by itself."""
        until = time.monotonic() + seconds
        while self._child and (left := until - time.monotonic()) > 0:
            for source, _ in self._poll.poll(left * 1000):
                if source == self._log.source:
                    self._log.take()
                elif source == self._death:
                    self._bury()
                else:
                    return

    def _end(self) -> None:
        """Ends the child if it is still there, and keeps what it wrote to stderr."""
        if self._child:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._bury()
            self._status = []
        self._log.take()

    def _bury(self) -> None:
        """Notes how the child ended, and ends what it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGKILL)
        _, status, used = os.wait4(self._child, 0)
        self._status = [status, used.ru_maxrss]
        self._poll.unregister(self._death)
        os.close(self._death)
        self._child, self._death = 0, -1
        linux.end_orphans()


class _BotLog:
    """The log of an entrant, which its bots write to by a pipe, so that it has an end."""

    def __init__(self, path: str | None) -> None:
        self.source, self.target = os.pipe()
        os.set_blocking(self.source, False)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._file = os.dup(2) if path is None else os.open(path, flags, 0o644)
        self._bounded = path is not None

    def take_over(self) -> None:
        """What this process itself writes to stdout and stderr goes to the log as well."""
        os.dup2(self._file, 1)
        os.dup2(self._file, 2)

    def take(self) -> None:
        """Takes in what was written."""
        with suppress(BlockingIOError):
            while data := os.read(self.source, MESSAGE):
                self._keep(data)
                if len(data) < MESSAGE:
                    return

    def _keep(self, data: bytes) -> None:
        if self._bounded:
            room = LOG_BYTES - os.fstat(self._file).st_size
            if room <= 0:
                return
            if len(data) > room:
                data = data[:room] + FULL
        with suppress(OSError):  # a full disk is for the journal to tell
            os.write(self._file, data)

    def close_file(self) -> None:
        """Lets go of the file, in the process of a bot."""
        os.close(self._file)


if __name__ == "__main__":
    main()
