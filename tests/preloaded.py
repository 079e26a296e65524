"""Starts of the `tourney` command that need not import anything: a process that has imported it all forks each of them.

A fork is a process of its own like any other, with its own streams, folder, signals and exit code, but starts in
hundredths of a second, where Python and its imports take a second on a slow machine. What is about the start itself,
about imports, or about variables that are read before Python has started (`READ_AT_START`) takes
`tests.conftest.TOURNEY` instead.
"""

import fcntl
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, reload
from pathlib import Path
from typing import IO, Any

PIPE = subprocess.PIPE
READ_AT_START = ("PYTHON", "LD_", "COVERAGE", "MALLOC", "LC_", "LANG")
"""How the names of variables begin that are read before a program has begun, and cannot be given to a fork."""
ROOMS = ("config", "hosts", "journal", "runner", "schedule", "standings", "cli/render", "games", "review")
"""The folders of the package whose modules most commands use."""
SCRIPT = str(Path(sys.executable).with_name("tourney"))


class Preloaded:
    """A `tourney` command that runs, with the part of `subprocess.Popen` that tests use; all streams are text."""

    def __init__(
        self,
        arguments: Sequence[object],
        cwd: Path,
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = PIPE,
        stderr: int | IO[Any] | None = PIPE,
        terminal: bool = False,
        **environment: str | None,
    ):
        """Starts the command with these arguments, and streams as for `subprocess.Popen`.

        With `terminal`, stdin becomes the terminal of the command, which leads a new session. The environment is added
        to that of the tests; a variable of None is unset.
        """
        self.args = [SCRIPT, *map(str, arguments)]
        self.returncode: int | None = None
        self.stdout, out = _stream(stdout, 1)
        self.stderr, err = _stream(stderr, 2)
        self._socket, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(_server(), [b"s"], [theirs.fileno()])
        variables = {name: value for name, value in (os.environ | environment).items() if value is not None}
        request = json.dumps(
            {
                "argv": self.args,
                "cwd": str(cwd),
                "environment": variables,
                "terminal": terminal,
                "cores": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [],
            }
        )
        socket.send_fds(self._socket, [b"s"], [_stream(stdin, 0)[1], out, err])
        self._socket.sendall(request.encode())
        self._socket.shutdown(socket.SHUT_WR)
        for given, descriptor in ((stdout, out), (stderr, err)):
            if given == PIPE:
                os.close(descriptor)
        self._answers = self._socket.makefile("r")
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """Returns the exit code if the command has ended."""
        if self.returncode is None and select.select([self._socket], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end, and returns the exit code."""
        if self.returncode is None:
            if not select.select([self._socket], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def _end(self) -> None:
        self.returncode = int(self._answers.readline())
        self._answers.close()
        self._socket.close()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Reads the streams to their ends, waits for the end of the command, and returns what it has printed."""
        end = None if timeout is None else time.monotonic() + timeout
        read = {stream: b"" for stream in (self.stdout, self.stderr) if stream is not None}
        left = set(read)
        while left:
            ready = select.select(left, [], [], None if end is None else max(0, end - time.monotonic()))[0]
            if not ready:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            for stream in ready:
                part = os.read(stream.fileno(), 65536)
                read[stream] += part
                if not part:
                    left.remove(stream)
                    stream.close()
        self.wait(None if end is None else max(0, end - time.monotonic()))
        printed, errors = [read.get(stream, b"").decode() for stream in (self.stdout, self.stderr)]
        return printed, errors

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless the command has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Sends SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Preloaded":
        """Returns the command."""
        return self

    def __exit__(self, *error: object) -> None:
        """Waits for the end."""
        self.wait()
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()


def run(
    arguments: Sequence[object], cwd: Path, timeout: float = 600, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, as `subprocess.run` with `capture_output`; one that takes longer is killed."""
    command = Preloaded(arguments, cwd, **environment)
    try:
        printed, errors = command.communicate(timeout)
    except BaseException:
        command.kill()
        raise
    return subprocess.CompletedProcess(command.args, command.wait(), printed, errors)


def _stream(given: int | IO[Any] | None, number: int) -> tuple[IO[str] | None, int]:
    """Returns the end of a stream that is read here, if it is a pipe, and the descriptor for the command."""
    if given == PIPE:
        ours, theirs = os.pipe()
        return os.fdopen(ours), theirs
    if given == subprocess.DEVNULL:
        return None, _null()
    if given is None:
        return None, number
    return None, given if isinstance(given, int) else given.fileno()


@cache
def _null() -> int:
    return os.open(os.devnull, os.O_RDWR)


_started: list[tuple[socket.socket, subprocess.Popen[bytes]]] = []


@cache
def _server() -> socket.socket:
    """Starts the process that forks, and returns the socket for its requests."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno())]
        _started.append((ours, subprocess.Popen(command, pass_fds=[theirs.fileno()])))
    return ours


def end() -> None:
    """Ends the process that forks, if there is one."""
    for ours, process in _started:
        ours.close()
        process.wait()


def serve(requests: socket.socket) -> socket.socket:
    """Forks for each request, and tells who asked the process id and, later, the exit code.

    Returns, in each fork, where its request is to be read. Ends with the process of the tests.
    """
    running: dict[int, socket.socket] = {}
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake)
    while True:
        ready = select.select([requests, ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            with suppress(ChildProcessError):
                while (result := os.waitpid(-1, os.WNOHANG))[0]:
                    with running.pop(result[0]) as asked, suppress(OSError):  # nobody may be asking any more
                        asked.sendall(b"%d\n" % os.waitstatus_to_exitcode(result[1]))
        if requests in ready:
            _, descriptors, _, _ = socket.recv_fds(requests, 1, 1)
            if not descriptors:
                os._exit(0)
            asked = socket.socket(fileno=descriptors[0])
            pid = os.fork()
            if not pid:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os.close(ended)
                os.close(wake)
                for other in (requests, *running.values()):
                    other.close()
                return asked
            running[pid] = asked
            asked.sendall(b"%d\n" % pid)


def become(asked: socket.socket) -> None:
    """Makes this process what the request says: its arguments, folder, environment and streams."""
    with asked:
        _, descriptors, _, _ = socket.recv_fds(asked, 1, 3)
        with asked.makefile("rb") as file:
            request = json.load(file)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    if request["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(request["cwd"])
    if request["cores"]:  # macOS lets none be chosen
        os.sched_setaffinity(0, request["cores"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[:] = request["argv"]
    sys.path[0] = str(Path(SCRIPT).parent)


def preload() -> None:
    """Imports what the commands import when they are used, and no bot."""
    from tourney.cli.main import COMMANDS  # noqa: PLC0415 - in this process only

    for command in COMMANDS:
        import_module(f"tourney.cli.commands.{command}")
    root = Path(sys.modules["tourney"].__path__[0])
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            if path.stem not in ("__main__", "dask_workers"):
                import_module(".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__"))
    gc.freeze()


if __name__ == "__main__":
    preload()
    become(serve(socket.socket(fileno=int(sys.argv[1]))))
    reload(sys.modules["tourney.cli.interrupt"])  # it keeps the id of the process that has imported it
    import_module("tourney.__main__").main()
