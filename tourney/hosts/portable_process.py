"""The process of a bot where there is no spawner: the portable way beside `bot_process` and `spawner_client`.

The worker itself starts the process, for each match anew, and watches it. What the bot has started ends with it unless
it has left its group (docs/platforms).
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from tourney.errors import system_limit
from tourney.hosts import process_groups
from tourney.hosts.bot_log import BotLog
from tourney.hosts.bot_server import READY
from tourney.hosts.fault_kinds import ChargedError
from tourney.hosts.process_groups import GroupGuard
from tourney.hosts.retries import MOST_ATTEMPTS, may_be_from_outside
from tourney.hosts.spawner import BUSY_S, CANNOT_START, STOPPED
from tourney.hosts.spawner_client import CHECK_S, LOAD_S, LOADED_LATE, BotCommand, BotEnd
from tourney.hosts.threaded_wire import SOURCE, TARGET, ThreadedWire
from tourney.hosts.tracebacks import NOT_LOADED, tidied

GRACE_FACTOR = 3
"""How many times longer a bot has to end by itself than where it can be seen whether it is at work."""
LOOK_S = 0.002
"""How often it is looked, in seconds, whether a process that should end has ended."""
_guard = GroupGuard()
"""Ends the processes of bots when this process is gone."""


class NoSpawner:
    """Stands in for the spawner of a process that this process has started itself."""

    alive = True
    leaves_stops = True
    was_stopped = False
    death_fd = -1

    def is_stopped(self) -> bool:
        """Returns False: there is none that could be stopped."""
        return False

    def limit(self) -> None:
        """Returns None: a limit of the system is told when the process is started."""


class PortableTree:
    """The process of a bot with its group: stopped while the bot is not asked. How long they work is not known."""

    is_measured = False

    def __init__(self, process: "PortableProcess") -> None:
        """Takes the process."""
        self._process = process
        self._suspended = False

    def suspend(self) -> None:
        """Stops all of them, where the system can do that; `resume` lets them go on."""
        self._suspended = True
        process_groups.stop(self._process.pid)

    def resume(self) -> None:
        """Lets those go on that were stopped by `suspend`."""
        if self._suspended:
            self._suspended = False
            process_groups.go_on(self._process.pid)

    def is_stopped(self) -> bool:
        """Returns whether the bot's process was stopped by somebody."""
        return self._process.look() is None and self._process.stopped

    def processor_s(self) -> float:
        """Returns 0, as it is not known."""
        return 0.0

    def waited_s(self) -> float:
        """Returns 0, as it is not known."""
        return 0.0

    def cores(self) -> int:
        """Returns on how many cores they may run."""
        return os.cpu_count() or 1


class PortableProcess:
    """The process of a bot."""

    source, target = SOURCE, TARGET

    def __init__(self, command: BotCommand, keep: bool, log: BotLog) -> None:
        """Starts the process; `keep` says whether it is for several matches.

        Raises:
            SystemLimitError: The system does not let it start.
        """
        self.spawner = NoSpawner()
        self.keep = keep
        self.tree = PortableTree(self)
        self.greeted = False
        self.python = False
        self.rest = b""
        self.input_closed = False
        self.ended: BotEnd | None = None
        self.stopped = False
        """Whether the process was stopped when it was looked last."""
        self._command = command
        self._code: int | None = None  # how the process ended by itself
        self._process = _started(command, log)
        self.pid = self._process.pid
        _guard.begin(self.pid)
        self._wire = ThreadedWire(self._process, log.write, self._has_ended)
        self.readable = self.writable = self._wire
        self.read, self.write = self._wire.read, self._wire.write

    def note_closed_input(self) -> None:
        """Notes that the bot has closed its stdin."""
        self.input_closed = True
        self._wire.skip()

    def _has_ended(self) -> bool:
        """Tells whether the process has ended; what it has started is then killed, so that it does not hold pipes."""
        if self.look() is None:
            return False
        process_groups.kill(self.pid)
        return True

    def look(self) -> int | None:
        """Notes whether the process has ended or was stopped; returns its exit code, None while it lives."""
        if not hasattr(os, "WUNTRACED"):
            self._code = self._process.poll()
        while self._code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            except ChildProcessError:  # a bot in this process has waited for it
                pid, status = self.pid, 0
            if not pid:
                break
            if os.WIFSTOPPED(status) or os.WIFCONTINUED(status):
                self.stopped = os.WIFSTOPPED(status)
            else:
                self._code = self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._code

    def end(self, grace_s: float, late: bool = False) -> BotEnd:
        """Ends the process the first time that it is called, and returns how it ended; see `SpawnerClient.end`."""
        if self.ended is None:
            self.ended = self._end(grace_s, late)
        return self.ended

    def _end(self, grace_s: float, late: bool) -> BotEnd:
        until = time.monotonic() + min(BUSY_S, GRACE_FACTOR * grace_s)
        while self.look() is None and time.monotonic() < until:
            time.sleep(LOOK_S)
        code, stopped = self._code, late and self.stopped
        waited_in_vain = stopped or (late and process_groups.is_any_stopped(self.pid))
        process_groups.kill(self.pid)
        if code is None:
            self._process.kill()
            self._process.wait()
        _guard.end(self.pid)
        if code is None:
            return BotEnd((STOPPED, 0) if stopped else (), waited_in_vain)
        return BotEnd((-code if code < 0 else code << 8, 0))

    def close(self) -> None:
        """Ends the process and all that it has started, as far as that has not left its group."""
        self.end(0)
        self._wire.close()

    def load(self) -> ChargedError | None:
        """Waits until the process has loaded a Python bot; returns the charge against the bot if that fails.

        The process is ended then. The charge says whether somebody else may have ended it.
        """
        until = time.monotonic() + LOAD_S
        said = b""
        while not said.startswith(READY):
            found = self._wire.poll(CHECK_S * 1000)
            data = self._wire.read() if found else b""
            said += data
            if found and not data:
                break
            if self.tree.is_stopped() or time.monotonic() > until:
                break
        if said.startswith(READY):
            self.rest = said.removeprefix(READY)
            return None
        late = not self.tree.is_stopped() and time.monotonic() > until
        ended = self.end(0 if late else CHECK_S, late=True)
        self.close()
        if said.startswith(NOT_LOADED):
            fault = ChargedError("error", "cannot be loaded")
            fault.traceback = tidied(said.removeprefix(NOT_LOADED).decode(errors="replace"))
            return fault
        if late:
            return ChargedError("timeout", LOADED_LATE)
        by_itself = self._code is not None and not may_be_from_outside(self._code)
        return ChargedError("crash", "its process died while it was loaded", ended.stopped or not by_itself)


def _started(command: BotCommand, log: BotLog) -> "subprocess.Popen[bytes]":
    """Starts the process; in place of a program that cannot be started, one that ends as a shell does then."""
    try:
        _guard.start()
        return _popen(command.argv, command)
    except OSError as error:
        if limit := system_limit(error, "the process of a bot cannot be started"):
            raise limit from None
        log.write(f"cannot be started: {error}\n".encode())
        return _popen([sys.executable, "-I", "-S", "-c", f"import os; os._exit({CANNOT_START})"], None)


def _popen(words: Sequence[str], command: BotCommand | None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - the command of a bot, which is what the user asks for
        words,
        env=None if command is None else command.env,
        cwd=None if command is None else command.cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def start_process(command: BotCommand, keep: bool, log: BotLog, announces: bool) -> PortableProcess:
    """Starts the process of a bot; one that `announces` is that of a Python bot, and says when it is loaded.

    It is started again where somebody may have killed it meanwhile; see `spawner_client.start_spawner`.

    Raises:
        ChargedError: The bot cannot be loaded.
        SystemLimitError: The system does not let it start.
    """
    for attempt in range(1, MOST_ATTEMPTS + 1):
        process = PortableProcess(command, keep, log)
        fault = process.load() if announces else None
        if fault is None:
            return process
        if not fault.killed or attempt == MOST_ATTEMPTS:
            fault.killed = False
            raise fault
    raise AssertionError
