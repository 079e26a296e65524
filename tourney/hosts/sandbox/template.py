"""The template of Python bots in the sandbox: a process that has loaded their games, and forks itself for each match.

That Python and the games are loaded is most of the time that the start of a bot takes. A fork knows what the template
knows, and so the template learns nothing of a match: what bots write and how they end is left to the spawner, which
becomes the parent of the forks.

With the backend `namespaces` a fork makes namespaces, as a command does. Bubblewrap can only start a command; so it
makes mounts for one that ends at once, forks join these, and go on to namespaces of their own. With `landlock`, which
hides no names, bots may not know what a template knows, and commands are started.
"""

import ctypes
import marshal
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from tourney.hosts import linux
from tourney.hosts.sandbox import init, namespaces, seccomp
from tourney.hosts.sandbox.joinable_mounts import JoinableMounts
from tourney.hosts.sandbox.syscalls import die_with_parent
from tourney.hosts.spawner_orders import receive_order, send_order

with suppress(ImportError):  # Windows has none
    import fcntl

FORK_S = 60.0
"""How long the template, and bubblewrap for it, may take, in seconds; they take some milliseconds."""
CHECK_S = 0.2
"""How often a template that is waited for is told to go on, in seconds, as somebody may have stopped it."""
_MESSAGE = 1 << 16
_CHANNEL = 3  # a file descriptor of the template
_STARTED, _GO, _TOLD = 3, 4, 5  # those of a fork, beside its standard streams
_HIGH = 64  # above all of these


class Template:
    """The template, for the process that has started it: one which adopts orphans."""

    def __init__(self, run: Callable[[], object]) -> None:
        """Forks this process; `run` is what forks of the template do, and may end by `SystemExit`."""
        self._channel, theirs = linux.message_sockets()
        starter = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                linux.die_with_parent(starter)
                _ForkServer(theirs, run).serve()
            finally:
                os._exit(init.FAILED)
        theirs.close()
        self._go = -1  # a pipe in which the last fork is told to go on, and whose end it takes for that of this process
        self.unchanged = True
        """Whether it is there, and hands down to the next fork what it has handed down to the first."""

    def fork(self, how: Mapping[str, Any], env: Mapping[str, str], *files: int) -> int:
        """Returns the id of a new fork, a child of this process, which waits for `go_on`.

        Args:
            how: What it is locked in by: `fork` of a `launcher.SandboxedCommand`.
            env: All of its environment.
            files: Its stdin, stdout and stderr, and that in which is said that it is locked in (see `init.STARTED`).

        Raises:
            OSError: There is no fork, so that a command has to be started in its place.
        """
        if self._go >= 0:
            os.close(self._go)
            self._go = -1
        told, self._go = os.pipe()
        reply = b""
        try:
            with suppress(ConnectionError):
                send_order(self._channel, marshal.dumps((dict(how), dict(env))), *files, told)
                reply = self._reply()
        finally:
            os.close(told)
        pid, unchanged = map(int, reply.split()) if reply else (0, 0)
        self.unchanged = bool(unchanged)
        if not pid:
            raise OSError(0, "there is no fork")
        return pid

    def go_on(self) -> None:
        """Lets the last fork go on, once this process has done with it what has to be done before."""
        with suppress(BrokenPipeError):  # it was killed
            os.write(self._go, b"1")

    def _reply(self) -> bytes:
        """Returns what the template answers; empty if it is dead."""
        until = time.monotonic() + FORK_S
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        os.kill(self.pid, signal.SIGCONT)  # it was stopped together with the last fork
        while not poll.poll(CHECK_S * 1000):
            os.kill(self.pid, signal.SIGCONT if time.monotonic() < until else signal.SIGKILL)
        return self._channel.recv(_MESSAGE)


class _ForkServer:
    """The template itself."""

    def __init__(self, channel: socket.socket, run: Callable[[], object]) -> None:
        """Takes over this process, and closes all its files but the channel and the standard streams."""
        os.dup2(channel.detach(), _CHANNEL)
        init.close_from(_CHANNEL + 1)
        self._channel = socket.socket(fileno=_CHANNEL)
        self._run = run
        self._joinable: JoinableMounts | None = None  # what bubblewrap has made
        self._made_for: Any = None  # what that shows and hides
        self._handed_down = linux.handed_down()

    def serve(self) -> None:
        """Forks this process whenever it is told to, until there is nobody at the other end of the channel."""
        while True:
            order, files = receive_order(self._channel, _MESSAGE, 5)
            if not order:
                return
            how, env = marshal.loads(order)  # noqa: S302 - it is the starter's
            pid = 0
            with suppress(OSError):
                pid = self._fork(how, env, files)
            for file in files:
                os.close(file)
            self._channel.send(b"%d %d" % (pid, linux.handed_down() == self._handed_down))

    def _fork(self, how: Mapping[str, Any], env: Mapping[str, str], files: Sequence[int]) -> int:
        """Returns the id of a fork; 0 if it could not be made. Its parent is the process that adopts orphans.

        It is forked by a process between, for which alone its namespaces are made, and which ends.
        """
        if how["front"]:
            self._make_joinable(how, env)
        seccomp.packed_filter_for(os.uname().machine, namespaces.OWN_ID, how["rights"]["thread_joins"])  # and keeps it
        result, told = os.pipe()
        between = os.fork()
        if between == 0:
            try:
                self._become_fork(how, env, [*files, told])
            finally:
                os._exit(init.FAILED)
        os.close(told)
        try:
            return int(os.read(result, 32) or 0)
        finally:
            os.close(result)
            os.waitpid(between, 0)

    def _make_joinable(self, how: Mapping[str, Any], env: Mapping[str, str]) -> None:
        """Has bubblewrap make mounts to join, unless it has tried that for the same; an `OSError` if there are none."""
        made_for = [how["front"], how["files"]]
        if self._made_for != made_for:
            if self._joinable is not None:
                self._joinable.close()
            self._joinable, self._made_for = None, made_for
            self._joinable = JoinableMounts(how["front"], env)
        elif self._joinable is None:
            raise OSError(0, "bubblewrap has made no mounts that can be joined")

    def _become_fork(self, how: Mapping[str, Any], env: Mapping[str, str], files: Sequence[int]) -> NoReturn:
        """Makes this process that between, from which comes the fork, from which comes the process that runs."""
        libc = ctypes.CDLL(None, use_errno=True)
        rights = how["rights"]
        if self._joinable is not None:
            self._joinable.join(libc)
            namespaces.make_like(libc)
        else:
            if rights["uid"] is None:
                namespaces.own_users(libc, mapped=True)
            namespaces.make(libc, rights["reads"], rights["hides"], rights["scratch"])
        for number, file in enumerate([fcntl.fcntl(file, fcntl.F_DUPFD, _HIGH) for file in files]):
            os.dup2(file, number)
        init.close_from(_TOLD + 1)
        fork = os.fork()
        if fork:
            os.write(_TOLD, b"%d" % fork)
            os._exit(0)
        os.close(_TOLD)
        os.setsid()
        self._wait_for_go(libc)
        namespaces.continue_in_child(libc)
        os.setsid()
        try:
            init.restrict(rights, str(_STARTED), is_fork=True)
        except OSError as error:
            init.fail(f"cannot be locked in: {error.strerror}")
        os.environ.clear()
        os.environ.update(env)
        sys.path_importer_cache.clear()  # it remembers folders as they are outside
        self._run_and_end()

    @staticmethod
    def _wait_for_go(libc: ctypes.CDLL) -> None:
        """Waits until this process may go on; from then on it ends with the one that says so, which adopts it."""
        if not os.read(_GO, 1):
            os._exit(init.FAILED)
        die_with_parent(libc)
        gone = select.poll()
        gone.register(_GO, select.POLLIN)
        if gone.poll(0):  # it was gone before this process asked to end with it
            os._exit(init.FAILED)
        os.close(_GO)

    def _run_and_end(self) -> NoReturn:
        """Does what forks are for, and ends."""
        code = 0
        try:
            self._run()
        except SystemExit:
            code = 1
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        sys.stdout.flush()
        os._exit(code)
