"""A process that starts a bot's process for one match after another, and kills it with everything it has started.

A spawner is between a worker and one entrant's bots, but not part of their conversation. For a Python bot it has
loaded the bot, and nothing of any match; it forks itself for each match, which takes a millisecond or two. Programs and
sandboxes start from scratch. A bot's stderr goes into the entrant's log, up to a limit.

Over a socket, the worker sends the spawner's order; then, for each match, the words that start the bot's process, with
the bot's ends of two pipes; and at the end of the match how long to wait for the process. The answer is how it ended.

Nothing may pass from one match to the next. So each bot has its own pipe for stderr, and a bot that would share files,
memory or processes with its forks is loaded again for each match.
"""

import fcntl
import gc
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from tourney.base import streams
from tourney.hosts import linux, prints
from tourney.hosts.process import server
from tourney.hosts.process.spawner_client import FLUSH, Channel

CANNOT_START = 127  # exit status of a bot's process that could not be started
SET_UP = 3  # the file descriptor on which a sandbox reports that it is set up
WIRE = 5, 6
"""The file descriptors that become the bot's stdin and stdout in a sandbox: bubblewrap would keep its own ones open."""
LOOK_S = 0.05
WATCH_S = 0.1
BUSY_S = 10.0  # how long a process that closed its wire may stay busy before it counts as still running
WAKING = (signal.SIGCHLD, signal.SIGCONT)  # for the end of a child, and of the worker (`linux.outlive_parent`)
MB = 1 << 20
UNCOUNTED_MB = 32
"""Megabytes that a process may hold beyond its limit: memory that the system has made read-only, and shared files. A
bot in a cgroup may hold as much beyond it, and its scratch folder in memory."""


def main() -> None:
    """Serves the worker at the other end of the socket whose file descriptor is the first argument."""
    streams.secure()
    parent = os.getppid()
    linux.die_with_parent(parent)  # the bot is loaded now, which may never end
    linux.adopt_orphans()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))  # the worker's own limit is not for separate processes
    control = Channel(socket.socket(fileno=int(sys.argv[1])))
    try:
        while not (orders := control.receive()):
            pass
    except EOFError:
        return
    spawner = Spawner(control, parent, orders[0])
    try:
        spawner.load()
    except BaseException as error:  # a bot may raise anything while it is imported
        control.send({"not_loaded": server.load_failure(error)})
        return
    spawner.watch_signals()
    linux.outlive_parent(parent)  # from now on it notices that the worker is gone, and kills the bot first
    with suppress(ConnectionError):  # the worker has ended in the meantime, which is noticed next
        control.send("ready")
    spawner.serve()


class Spawner:
    """Starts and ends one process at a time."""

    def __init__(self, control: Channel, worker: int, order: dict[str, Any]) -> None:
        """`worker` is the worker's process id, and `order` its first message."""
        self._control, self._worker, self._order = control, worker, order
        self._own_mb = None if order["sandboxed"] else order["memory_mb"]  # a sandbox limits the memory itself
        self._make: Callable[[], Any] | None = None  # makes the bot that is loaded here
        self._log = BotLog(order["log"], order["name"])
        self._cgroups = None if order["memory_mb"] is None else linux.parent_of_cgroups()
        self._cgroup: linux.MemoryCgroup | None = None  # of the child
        self._child = 0
        self._watch_at = 0.0  # when to look at the child's memory, by the monotonic clock
        self._started_fd = -1  # a pipe on which the child's sandbox reports that it is set up
        self._failure: str | None = None  # the last words of the last child's sandbox, if it was not set up
        self._status: list[int] = []  # of the last child: its wait status and its largest memory in kilobytes
        self._wakeup: tuple[int, ...] = ()  # the ends of a pipe that is readable after a signal
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)

    def load(self) -> None:
        """Loads a Python bot for the forks to share, unless they would share more than each may change alone."""
        bot = self._order["python"]
        if bot is None:
            return
        with self._log.taking_over():
            before = linux.shared_with_forks()
            sys.path[:] = bot["path"]
            make = server.load(bot)
            is_forkable = linux.shared_with_forks() == before
        if is_forkable:
            gc.collect()
            gc.freeze()
            self._make = make

    def watch_signals(self) -> None:
        """Makes the child's end wake this process, and the worker's end if the system reports it."""
        self._wakeup = os.pipe()
        for end in self._wakeup:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        for number in WAKING:
            signal.signal(number, lambda *_: None)
        self._poll.register(self._wakeup[0], select.POLLIN)

    def serve(self) -> None:
        """Carries out the worker's orders, until it is gone."""
        watched = self._order["memory_mb"] is not None
        while True:
            ready = self._poll.poll(WATCH_S * 1000 if watched and self._child else None)
            for source, _ in ready:
                self._handle(source)
                if (source == self._control.fileno() and not self._obey()) or os.getppid() != self._worker:
                    self._end()
                    return
            if watched and self._child and time.monotonic() >= self._watch_at:
                self._watch()

    def _watch(self) -> None:
        self._watch_at = time.monotonic() + WATCH_S
        held_kb = max([linux.held_kb(pid) for pid in (self._child, *linux.descendants(self._child))])
        if held_kb > (self._order["memory_mb"] + UNCOUNTED_MB) * 1024:
            self._end()
            self._status = [signal.SIGKILL, held_kb]

    def _handle(self, source: int) -> None:
        if source == self._log.source:
            self._log.drain()
        elif source == self._wakeup[0]:
            with suppress(BlockingIOError):  # it was read when an earlier child was killed
                os.read(source, 1 << 12)
            if self._child:
                self._reap(os.WNOHANG)

    def _obey(self) -> bool:
        try:
            messages = self._control.receive()
        except EOFError:
            return False
        for message in messages:
            if isinstance(message, list):
                self._start(message)
            elif message == FLUSH:
                self._log.flush()
            else:
                self._wait(message / 1000)
                self._end()
                with suppress(ConnectionError):
                    self._control.send([self._status, self._failure])
        return True

    def _start(self, words: list[str]) -> None:
        spawner = os.getpid()
        self._status = []
        self._failure = None
        if self._cgroups is not None:
            most_mb = self._order["memory_mb"] + UNCOUNTED_MB + self._order["scratch_mb"]
            with suppress(OSError):  # the system allows no more of them; the other limits must do
                self._cgroup = linux.MemoryCgroup(self._cgroups, most_mb * MB)
        try:
            ends = self._control.take_files(2)
            if self._order["sandboxed"]:
                self._started_fd, started = os.pipe()
            self._log.open_pipe()
            ends += [self._log.target, started] if self._order["sandboxed"] else [self._log.target]
            high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, WIRE[1] + 1) for end in ends]
            self._child = os.fork()
        except OSError as error:
            os._exit(error.errno or CANNOT_START)  # the worker reports which limit of the system was reached
        if self._child == 0:
            try:
                self._become_bot(spawner, words, ends, high)
            except OSError as error:
                os.write(2, f"cannot be started: {error}\n".encode())
            finally:
                os._exit(CANNOT_START)
        for end in (*ends, *high):
            if end != self._log.target:
                os.close(end)
        self._poll.register(self._log.source, select.POLLIN)

    def _become_bot(self, spawner: int, words: list[str], ends: list[int], high: list[int]) -> None:
        """Turns the forked process into the bot's, or its sandbox's; returns only by an exception.

        `ends` are its wire, its stderr and, in the sandbox, the pipe that reports that it is set up; `high` are copies.
        """
        signal.set_wakeup_fd(-1)
        for each in WAKING:
            signal.signal(each, signal.SIG_DFL)
        linux.die_with_parent(spawner)
        if self._cgroup is not None:
            with suppress(OSError):
                self._cgroup.add(0)
        os.setsid()
        for end in (*ends, self._control.fileno(), *self._wakeup, self._log.source, self._log.file):
            os.close(end)
        for end, number in zip(high, (0, 1, 2) if len(ends) < 4 else (*WIRE, 2, SET_UP), strict=True):
            os.dup2(end, number)
            os.close(end)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self._own_mb is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self._own_mb * MB,) * 2)
        if self._make is not None:
            server.serve(self._make, *server.take_wire())
            sys.stdout.flush()
            os._exit(0)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(self._order["folder"])
        env = self._order["env"]
        os.execvpe(words[0], words, os.environ if env is None else env)  # noqa: S606 - no shell is meant

    def _wait(self, seconds: float) -> None:
        """Waits for the child to end by itself, at most that many seconds, or `BUSY_S` more while it is at work."""
        until = time.monotonic() + seconds
        while self._child and seconds:
            over_s = time.monotonic() - until
            if over_s > BUSY_S or (over_s > 0 and not linux.is_working(self._child)):
                return
            for source, _ in self._poll.poll(LOOK_S * 1000):
                if source == self._control.fileno():
                    return
                self._handle(source)

    def _end(self) -> None:
        if self._child:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._reap(0)
            self._status = []

    def _reap(self, flags: int) -> None:
        pid, status, used = os.wait4(self._child, flags)
        if not pid:
            return
        linux.kill_group(pid)
        if self._cgroup is not None:
            self._cgroup.kill()
        self._status = [status, 0 if self._own_mb is None else used.ru_maxrss]
        linux.kill_orphans()
        if self._cgroup is not None:
            if self._cgroup.was_exceeded():
                self._status = [signal.SIGKILL, self._order["memory_mb"] * 1024]
            self._cgroup.remove()
            self._cgroup = None
        self._poll.unregister(self._log.source)
        self._child = 0
        self._log.close_pipe()
        if self._started_fd >= 0:
            self._note_failure()

    def _note_failure(self) -> None:
        os.set_blocking(self._started_fd, False)
        try:
            is_set_up = bool(os.read(self._started_fd, 1))
        except BlockingIOError:
            is_set_up = False
        os.close(self._started_fd)
        self._started_fd = -1
        if not is_set_up:
            self._failure = self._log.last_words.decode(errors="replace").strip().rpartition("\n")[2]


LOG_BYTES = 1_000_000  # after which a log ends
LOG_END = b"\n[the log is full; what comes after this is not kept]\n"
CHUNK = 1 << 16
DRAIN_MS = 5
LAST_BYTES = 1000  # of a bot's output that are remembered


class BotLog:
    """An entrant's log. Each bot writes to a pipe, and this process to the file, so that the log has an end.

    Bots of several processes share the file, so it is written in whole lines; a very long line stays in parts.
    """

    def __init__(self, file: int | None, name: str) -> None:
        """Takes the file descriptor to write to; without one, the log goes to stderr, like bots' prints there."""
        self.source = self.target = -1
        self.file = os.dup(2) if file is None else file
        self._label = partial(prints.label, name) if file is None else None
        self._line = b""  # the beginning of one that has not ended
        self.last_words = b""  # the last output of the bot that has the pipe, or had it last

    def open_pipe(self) -> None:
        """Opens the pipe of one bot; in another bot's pipe, it could find data that was left there."""
        self.source, self.target = os.pipe()
        os.set_blocking(self.source, False)
        self.last_words = b""

    def close_pipe(self) -> None:
        """Moves the rest of the bot's output to the file, and closes its pipe."""
        self.flush()
        os.close(self.source)
        os.close(self.target)
        self.source = self.target = -1

    def flush(self) -> None:
        """Moves all the bot's output to the file, including an unfinished line."""
        self.drain()
        self._write(self._line)
        self._line = b""

    @contextmanager
    def taking_over(self) -> Iterator[None]:
        """Sends this process's own stdout and stderr to the log; later output is not kept."""
        self.open_pipe()
        os.dup2(self.target, 1)
        os.dup2(self.target, 2)
        server.renew_output()
        done = threading.Event()
        reading = threading.Thread(target=self._drain_until, args=(done,))
        reading.start()
        try:
            yield
        finally:
            with suppress(Exception):  # the bot may have replaced it by anything
                sys.stdout.flush()
            empty = os.open(os.devnull, os.O_WRONLY)
            os.dup2(empty, 1)
            os.dup2(empty, 2)
            os.close(empty)
            done.set()
            reading.join()
            self.close_pipe()

    def _drain_until(self, done: threading.Event) -> None:
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        while not done.is_set():
            if poll.poll(DRAIN_MS):
                self.drain()

    def drain(self) -> None:
        """Moves the bot's finished lines from the pipe to the file; a bot that has ended has no pipe."""
        with suppress(BlockingIOError):
            while self.source >= 0 and (data := os.read(self.source, CHUNK)):
                lines, end, self._line = (self._line + data).rpartition(b"\n")
                self._write(lines + end)
                if len(self._line) >= CHUNK:
                    self._write(self._line)
                    self._line = b""
                self.last_words = (self.last_words + data)[-LAST_BYTES:]
                if len(data) < CHUNK:
                    return

    def _write(self, data: bytes) -> None:
        if not data:
            return
        if self._label is not None:
            data = "".join(map(self._label, data.removesuffix(b"\n").split(b"\n"))).encode()
        else:
            room = LOG_BYTES - os.fstat(self.file).st_size
            if room <= 0:
                return
            if len(data) > room:
                data = data[:room] + LOG_END
        with suppress(OSError):  # a full disk is reported by the journal's writer
            os.write(self.file, data)


if __name__ == "__main__":
    main()
