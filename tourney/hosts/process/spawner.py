"""A process that starts the process of a bot for one match after another, and ends it with all that it has started.

A spawner stands between a worker and the bots of one entrant. It takes no part in what they say to each other. For a
Python bot it has loaded the bot, and nothing of any match; it forks itself for each match, which takes a millisecond
or two. Programs, and what is in the sandbox, are started anew. What a bot writes to stderr goes into the entrant's log,
up to a limit.

The worker sends, over a socket, what the spawner is for; then, for each match, how to start the bot's process, with the
bot's ends of two pipes; and at the end of the match how long to wait for the process, which is answered by how it
ended.

Nothing may pass from one match to the next. So each bot has a pipe of its own for what it writes to stderr; a bot that
would share files, memory or processes with its forks is loaded anew for each match; and a spawner whose limits or
priority somebody has changed is not used again.
"""

import gc
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

from tourney.base import streams
from tourney.hosts import linux
from tourney.hosts.faults import NOT_LOADED
from tourney.hosts.process import server
from tourney.hosts.process.cgroup import MemoryCgroup, parent_of_cgroups
from tourney.hosts.process.log import BotLog
from tourney.hosts.process.spawner_client import receive_order

with suppress(ImportError):  # Windows has none
    import resource

MESSAGE = 1 << 16
CANNOT_START = 127
"""The exit status of a bot's process that could not be started."""
CHECK_S = 0.2
"""How often it is looked, in seconds, whether a process that others wait for was stopped by a signal."""
SET_UP = 3
"""The file descriptor in which a sandbox says that it is set up."""
WATCH_S = 0.1
"""How often it is looked, in seconds, how much memory the processes of a bot hold."""
BUSY_S = 10.0
"""How long a process that closed its wire may still be busy, in seconds, before it counts as one that goes on."""
STOPPED = getattr(signal, "SIGSTOP", 0) << 8 | 0x7F
"""The wait status of a process that is stopped."""
MB = 1 << 20
UNCOUNTED_MB = 32
"""What a process may hold beyond its limit: memory that the system has made read-only, and files that it shares. A bot
in a cgroup may hold as much beyond it, and what its scratch folder in memory may hold."""


def main() -> None:
    """Serves the worker at the other end of the socket whose file descriptor is the first argument."""
    streams.secure()
    parent = os.getppid()
    linux.die_with_parent(parent)  # the bot is loaded now, which may take for ever
    linux.adopt_orphans()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))  # the worker's own limit is not for processes of their own
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        order = orjson.loads(receive_order(control, MESSAGE, 0)[0])
    except OSError as error:
        os._exit(error.errno or CANNOT_START)
    spawner = Spawner(control, parent, order)
    try:
        spawner.load()
    except BaseException as error:  # a bot may raise anything while it is imported
        control.send(NOT_LOADED + server.load_failure(error).encode())
        return
    linux.outlive_parent(parent)  # from now on it notices that the worker is gone, and ends the bot first
    with suppress(ConnectionError):  # the worker has ended meanwhile, which is noticed next
        control.send(b"ready")
    spawner.serve()


class Spawner:
    """Starts and ends one process at a time."""

    def __init__(self, control: socket.socket, worker: int, order: dict[str, Any]) -> None:
        """Opens the log."""
        self._control = control
        self._order = order
        self._make: Callable[[], Any] | None = None  # what makes the bot that is loaded here
        self._log = BotLog(order["log"])
        self._cgroups = None if order["watched_mb"] is None else parent_of_cgroups()  # the folder to make them in
        self._cgroup: MemoryCgroup | None = None  # of the child
        self._child = 0
        self._death_fd = -1  # a file descriptor that is readable once the child has ended
        self._watch_at = 0.0  # when it is looked how much memory the child holds, by the monotonic clock
        self._started_fd = -1  # a pipe in which the child's sandbox says that it is set up
        self._failure: str | None = None  # what the last child's sandbox has said last, if it was not set up
        self._status: list[int] = []  # of the last child: its wait status and its largest memory in kilobytes
        self._handed_down = linux.handed_down()
        # the worker's end of the socket says that the worker has ended only if no fork of the worker holds it as well
        self._worker_fds = control.fileno(), linux.death_fd(worker)
        self._poll = select.poll()
        for source in self._worker_fds:
            self._poll.register(source, select.POLLIN)

    def load(self) -> None:
        """Loads a Python bot for the forks to share, unless they would share more than what each may change alone."""
        bot = self._order["python"]
        if bot is None:
            return
        self._log.take_over()
        before = linux.shared_with_forks()
        sys.path[:] = bot["path"]
        make = server.load(bot)
        if linux.shared_with_forks() == before:
            gc.collect()
            gc.freeze()
            self._make = make

    def serve(self) -> None:
        """Obeys the worker, until it is gone."""
        control, worker = self._worker_fds
        watched = self._order["watched_mb"] is not None
        suspended = self._order["suspended"]  # now and then, by the worker, which sees to other stops as well
        while True:
            ready = self._poll.poll((WATCH_S if watched else CHECK_S) * 1000 if self._child else None)
            for source, _ in ready:
                if source == worker or (source == control and not self._obey()):
                    self._end()
                    return
                self._handle(source)
            if not ready and not suspended and self._child_is_stopped():
                self._end()
                self._status = [STOPPED, 0]
            if watched and self._child and time.monotonic() >= self._watch_at:
                self._watch()

    def _watch(self) -> None:
        """Ends the child if it, or a process that it has started, holds more memory than it may."""
        self._watch_at = time.monotonic() + WATCH_S
        held_kb = max([linux.held_kb(pid) for pid in (self._child, *linux.descendants(self._child))])
        if held_kb > (self._order["watched_mb"] + UNCOUNTED_MB) * 1024:
            self._end()
            self._status = [signal.SIGKILL, held_kb]

    def _handle(self, source: int) -> None:
        """Handles what the child has written to its log, and its end."""
        if source == self._log.source:
            self._log.drain()
        elif source == self._death_fd:
            self._reap()

    def _obey(self) -> bool:
        """Obeys the next message; returns False if the worker is gone."""
        try:
            message, wire = receive_order(self._control, MESSAGE, 2)
        except ConnectionResetError:
            return False
        except OSError as error:
            os._exit(error.errno or CANNOT_START)  # the worker tells which limit of the system was reached
        if not message:
            return False
        if wire:
            self._start(orjson.loads(message), wire)
        else:
            self._report(*orjson.loads(message))
        return True

    def _report(self, grace_ms: int, late: bool) -> None:
        """Ends the child if it has not ended by itself within `grace_ms`, and tells the worker how it ended.

        `late` says that the child is ended because it did not answer in time, so that it matters whether it could.
        """
        self._wait(grace_ms / 1000)
        stopped = late and self._is_any_stopped()
        if stopped and self._child_is_stopped():
            self._end()
            self._status = [STOPPED, 0]
        else:
            self._end()
        unchanged = linux.handed_down() == self._handed_down
        with suppress(ConnectionError):
            self._control.send(orjson.dumps([self._status, stopped, unchanged, self._failure]))

    def _child_is_stopped(self) -> bool:
        """Returns whether the child was stopped by a signal, or the bot itself where the child is its launcher."""
        if not self._child:
            return False
        if linux.is_stopped(self._child):
            return True
        return not self._order["may_fork"] and self._is_any_stopped()

    def _is_any_stopped(self) -> bool:
        """Returns whether the child, or a process that it has started, was stopped by a signal."""
        child = self._child
        return child != 0 and any([linux.is_stopped(pid) for pid in (child, *linux.descendants(child))])

    def _start(self, command: dict[str, Any], wire: list[int]) -> None:
        """Forks the process of a bot."""
        spawner = os.getpid()
        self._status = []
        self._failure = None
        self._cgroup = self._new_cgroup()
        started = -1
        try:
            if self._order["says_set_up"]:
                self._started_fd, started = os.pipe()
            self._log.open_pipe()
            self._child = os.fork()
        except OSError as error:
            os._exit(error.errno or CANNOT_START)  # the worker tells which limit of the system was reached
        if self._child == 0:
            try:
                self._become_bot(spawner, command, wire, started)
            except OSError as error:
                os.write(2, f"cannot be started: {error}\n".encode())
            finally:
                os._exit(CANNOT_START)
        for end in (*wire, started) if started >= 0 else wire:
            os.close(end)
        self._death_fd = linux.death_fd(self._child)
        for source in (self._death_fd, self._log.source):
            self._poll.register(source, select.POLLIN)

    def _new_cgroup(self) -> MemoryCgroup | None:
        """Returns a cgroup for the next child; None where there can be none, and the other limits have to do."""
        if self._cgroups is None:
            return None
        most_mb = self._order["watched_mb"] + UNCOUNTED_MB + self._order["scratch_mb"]
        with suppress(OSError):  # the system allows no more of them
            return MemoryCgroup(self._cgroups, most_mb * MB)
        return None

    def _become_bot(self, spawner: int, command: dict[str, Any], wire: list[int], started: int) -> None:
        """Makes the forked process that of the bot, or of its sandbox, which has that end of a pipe as well.

        Returns only by an exception.
        """
        linux.die_with_parent(spawner)
        if self._cgroup is not None:
            with suppress(OSError):
                self._cgroup.add(0)
        os.setsid()
        for number, end in zip((0, 1, 2), (*wire, self._log.target), strict=True):
            os.dup2(end, number)
        for end in (*wire, *self._worker_fds, self._log.source, self._log.target, self._log.file):
            os.close(end)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self._order["memory_mb"] is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self._order["memory_mb"] * MB,) * 2)
        if self._make is not None:
            server.serve(self._make, *server.take_wire())
            sys.stdout.flush()
            os._exit(0)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(command["cwd"])
        argv, env = command["argv"], command["env"]
        if started >= 0:
            os.dup2(started, SET_UP)
            os.set_inheritable(SET_UP, True)
        os.execvpe(argv[0], argv, os.environ if env is None else env)  # noqa: S606 - no shell is meant

    def _wait(self, seconds: float) -> None:
        """Waits for the child to end by itself, at most that many seconds, or `BUSY_S` more while it is at work."""
        until = time.monotonic() + seconds
        while self._child and seconds:
            late_s = time.monotonic() - until
            if late_s > BUSY_S or (late_s > 0 and not linux.is_working(self._child)):
                return
            for source, _ in self._poll.poll(CHECK_S / 4 * 1000):
                if source in self._worker_fds:
                    return
                self._handle(source)

    def _end(self) -> None:
        """Ends the child if it is still alive."""
        if self._child:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._reap()
            self._status = []

    def _reap(self) -> None:
        """Notes how the child ended, ends all that it has started, and puts what they wrote to stderr in the log."""
        with suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGKILL)
        if self._cgroup is not None:
            self._cgroup.kill()
        _, status, used = os.wait4(self._child, 0)
        self._status = [status, 0 if self._order["memory_mb"] is None else used.ru_maxrss]
        linux.kill_orphans()
        if self._cgroup is not None:
            if self._cgroup.was_exceeded():
                self._status = [signal.SIGKILL, self._order["watched_mb"] * 1024]
            self._cgroup.remove()
            self._cgroup = None
        for source in (self._death_fd, self._log.source):
            self._poll.unregister(source)
        os.close(self._death_fd)
        self._child, self._death_fd = 0, -1
        self._log.close_pipe()
        if self._started_fd >= 0:
            self._note_failure()

    def _note_failure(self) -> None:
        """Notes what the child's sandbox has said last, if it has not said that it is set up: then there was no bot."""
        os.set_blocking(self._started_fd, False)
        try:
            is_set_up = bool(os.read(self._started_fd, 1))
        except BlockingIOError:
            is_set_up = False
        os.close(self._started_fd)
        self._started_fd = -1
        if not is_set_up:
            self._failure = self._log.last_words.decode(errors="replace").strip().rpartition("\n")[2]


if __name__ == "__main__":
    main()
