"""A bot in a process of its own, for one match: asked by JSON lines over the process's stdin and stdout.

The worker writes a line and waits for the answer. The process itself is started and ended by a spawner.
"""

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import Popen
from typing import IO, Any, Protocol, TypeAlias

from tourney.base.errors import SystemLimitError, named_limit, one_line, system_limit
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.match import FaultKind
from tourney.hosts import linux
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import NOT_LOADED, ChargedError, tidied
from tourney.hosts.linux import GroupGuard
from tourney.hosts.process import protocol
from tourney.hosts.process.log import BotLog, WholeLines
from tourney.hosts.process.server import READY
from tourney.hosts.process.spawner import BUSY_S, CANNOT_START, STOPPED
from tourney.hosts.process.spawner_client import CHECK_S, LOAD_S, LOADED_LATE, BotCommand, BotEnd, SpawnerClient
from tourney.hosts.retries import MOST_ATTEMPTS, ending_signal, may_be_from_outside, signal_name

CHUNK = 1 << 13


class BotProcess:
    """The process of a bot."""

    def __init__(self, spawner: SpawnerClient, command: BotCommand, keep: bool) -> None:
        """Starts the process; `keep` says whether it is for several matches."""
        self.spawner = spawner
        self.keep = keep
        self.tree = spawner.tree
        """The processes of the bot."""
        self.greeted = False
        """Whether the bot has answered the greeting."""
        self.python = False
        """Whether the bot has chosen the Python form of the protocol."""
        self.rest = b""
        """What the bot has sent beyond the last answer."""
        self.input_closed = False
        """Whether the bot has closed its stdin."""
        self.ended: BotEnd | None = None
        """How the process ended, once it was ended."""
        source, theirs = os.pipe()
        ours, target = os.pipe()
        self.source, self.target = source, target
        spawner.start(command, (ours, theirs))
        os.close(theirs)
        os.close(ours)
        os.set_blocking(target, False)
        self.readable = select.poll()
        """Waits until the bot has answered, or nobody is at the other end any more."""
        self.readable.register(source, select.POLLIN)
        self.readable.register(target, 0)
        self.writable = select.poll()
        """Waits until the bot can be sent more."""
        self.writable.register(target, select.POLLOUT)
        for poll in (self.readable, self.writable):
            poll.register(spawner.death_fd, select.POLLIN)  # a process that the bot has forked may hold its pipes

    def read(self) -> bytes:
        """Returns what the bot has sent; empty if it has closed its stdout. Waits until there is something."""
        return os.read(self.source, CHUNK)

    def write(self, line: bytes) -> int:
        """Sends as much of a line as there is room for; returns how many bytes that are."""
        return os.write(self.target, line)

    def note_closed_input(self) -> None:
        """Notes that the bot has closed its stdin."""
        self.input_closed = True
        self.readable.unregister(self.target)

    def end(self, grace_s: float, late: bool = False) -> BotEnd:
        """Ends the process the first time that it is called, and returns how it ended; see `SpawnerClient.end`."""
        if self.ended is None:
            self.ended = self.spawner.end(grace_s, late)
        return self.ended

    def close(self) -> SpawnerClient | None:
        """Ends the process and all that it has started; returns the spawner if it can start another one."""
        self.end(0)
        os.close(self.source)
        os.close(self.target)
        if self.spawner.alive and self.spawner.unchanged:
            return self.spawner
        if self.spawner.alive:
            self.spawner.kill()
        return None


SOURCE, TARGET = 1, 2
"""What stands for the two ends: what the bot sends, and what it is sent."""
THREADED_WIRE_CHUNK = 1 << 16
END_S = 0.2
"""How long it is waited, in seconds, for the rest of what a process has sent that has ended."""
LOG_S = 1.0
"""How long it is waited, in seconds, for the rest of what such a process has written to stderr."""


class ThreadedReader:
    """What a process sends through a pipe."""

    def __init__(self, pipe: IO[bytes], has_ended: Callable[[], bool]) -> None:
        """Starts the thread."""
        self._has_ended = has_ended
        self._sent: SimpleQueue[bytes | None] = SimpleQueue()  # None: the process has closed its stdin
        self._next: list[bytes | None] = []  # the first of what was sent, once it was waited for
        threading.Thread(target=self._carry, args=(pipe,), daemon=True).start()

    def _carry(self, pipe: IO[bytes]) -> None:
        for data in _parts(pipe):
            self._sent.put(data)
        self._sent.put(b"")

    def poll(self, timeout: float) -> list[tuple[int, int]]:
        """Returns the end that is ready after that many milliseconds at the most."""
        if not self._next:
            found = self._received(timeout / 1000)
            if not found and self._has_ended():
                found = self._received(END_S) or [b""]
            self._next = found
        return [(TARGET if each is None else SOURCE, 0) for each in self._next]

    def _received(self, seconds: float) -> list[bytes | None]:
        """Returns the next that was sent, as a list; an empty one if there is nothing in that time."""
        try:
            return [self._sent.get(timeout=max(seconds, 0.0))]
        except Empty:
            return []

    def read(self) -> bytes:
        """Returns what was sent, which `poll` has found; empty if there will be no more."""
        (data,) = self._next
        assert data is not None
        if data:  # and the end stays
            self._next = []
        return data

    def skip(self) -> None:
        """Leaves out what `poll` has found."""
        self._next = []


class ThreadedWire(ThreadedReader):
    """What goes between this process and that of a bot, which has its standard streams as pipes."""

    def __init__(self, process: "Popen[bytes]", log: Callable[[bytes], None], has_ended: Callable[[], bool]) -> None:
        """Starts the threads."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        super().__init__(process.stdout, has_ended)
        self._to_send: SimpleQueue[bytes] = SimpleQueue()
        self._log = threading.Thread(target=_write_log, args=(process.stderr, log), daemon=True)
        self._log.start()
        threading.Thread(target=self._write, args=(process.stdin,), daemon=True).start()

    def _write(self, pipe: IO[bytes]) -> None:
        """Carries what the bot is sent, until an empty line."""
        with suppress(OSError), pipe:
            while line := self._to_send.get():
                try:
                    while line:
                        line = line[pipe.write(line) :]
                except OSError:
                    self._sent.put(None)
                    return

    def write(self, line: bytes) -> int:
        """Sends a line; returns its length."""
        self._to_send.put(line)
        return len(line)

    def close(self) -> None:
        """Waits for the rest of the log; the process has ended."""
        self._to_send.put(b"")
        self._log.join(LOG_S)


def _write_log(pipe: IO[bytes], log: Callable[[bytes], None]) -> None:
    lines = WholeLines()
    for data in _parts(pipe):
        log(lines.add(data))
    log(lines.rest())


def _parts(pipe: IO[bytes]) -> Iterator[bytes]:
    """Yields what comes through a pipe without a buffer, until that or this end is closed, and closes it."""
    with suppress(OSError, ValueError), pipe:
        while data := pipe.read(THREADED_WIRE_CHUNK):
            yield data


# The process of a bot where there is no spawner: the portable way beside `bot_process` and `spawner_client`.
#
# The worker itself starts the process, for each match anew, and watches it. What the bot has started ends with it
# unless it has left its group (docs/platforms).

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
        linux.stop(self._process.pid)

    def resume(self) -> None:
        """Lets those go on that were stopped by `suspend`."""
        if self._suspended:
            self._suspended = False
            linux.go_on(self._process.pid)

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
        """Starts the process; `keep` says whether it is for several matches."""
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
        linux.kill(self.pid)
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
        waited_in_vain = stopped or (late and linux.is_any_stopped(self.pid))
        linux.kill(self.pid)
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


GRACE_S = 1.0
"""How long a bot that neither listens nor talks any more may sleep until it ends, or else counts as one that goes on.
While it computes or is on its way out, which takes long on a busy machine, it has more time."""
RESET_S = 10.0
"""How long a bot that is kept may take, in seconds, to forget its last match."""
TRACEBACK_S = 5.0
"""How long a bot's process may take, in seconds, to format the traceback of what the bot has raised."""
WAS_STOPPED = 0x7F
"""The low byte of the wait status of a process that is stopped."""
NEARLY = 0.8
"""The share of its memory limit from which on a process that is killed counts as one that died of it."""


AnyProcess: TypeAlias = BotProcess | PortableProcess


class BotOwner(Protocol):
    """What a bot in a process of its own asks of its host."""

    def take_back(self, process: AnyProcess, reusable: bool) -> None:
        """Takes back the process of a bot whose match is over; `reusable` says whether it can play another one."""

    def wants_traceback(self, kind: FaultKind) -> bool:
        """Tells whether the traceback of a fault of that kind is to be kept."""


class Poll(Protocol):
    """Waits for ends of a wire."""

    def poll(self, timeout: float) -> list[tuple[int, int]]:
        """Returns the ends that are ready after that many milliseconds at the most."""


class ExternalBot:
    """One bot in a process of its own, for one match."""

    def __init__(self, host: BotOwner, process: AnyProcess, facts: SeatFacts, clock: SeatClock) -> None:
        """Takes the process, which `host` takes back in the end."""
        self._host = host
        self._process = process
        self._facts = facts
        self._limits = clock.limits
        self._clock = clock
        self._tree = process.tree
        self._decisions = 0
        self._questions = protocol.QuestionWriter()
        self._reusable = False

    def reset(self) -> None:
        """Has a bot that was kept forget its last match, in nobody's time; a `ChargedError` if that fails."""
        self._tree.resume()
        protocol.parse_answer(self._ask(protocol.RESET, time.monotonic() + RESET_S), "reset")

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault.

        Until it has answered the greeting it is being started and loaded, on a clock of its own: that takes long on a
        busy machine, and is no time of the match.
        """
        start_ms = self._limits.start_ms
        if not self._process.greeted:
            if start_ms is None or self._process.keep:  # only the first match of one that is kept has to wait
                self._greet(self._clock.begin_alone(max(LOAD_S, self._limits.match_s), LOADED_LATE))
            else:
                self._greet(self._clock.begin_alone(start_ms / 1000, "took longer than start_ms"))
                start_ms = max(1, start_ms - round(self._clock.gone_s() * 1000))
        until = self._clock.begin(start_ms, "start_ms", decides=False)
        try:
            answer = self._ask(protocol.start_message(self._facts, rng_seed), until)
        finally:
            self._clock.finish()
        self._parsed(answer, "start")

    def _greet(self, until: float) -> None:
        """Greets the bot, and learns which form of the protocol it speaks."""
        hello = protocol.parse_answer(self._ask(protocol.HELLO, until), "hello")
        self._process.python = protocol.chooses_python(hello)
        self._process.greeted = True

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        line = self._question(view, legal)
        clock = self._clock
        until = clock.begin(self._limits.move_ms, "move_ms", decides=True)
        answer = self._parsed(self._ask(line, until), "act")
        clock.finish()
        return protocol.parse_action(answer, self._decisions, self._facts.game, self._process.python)

    def _question(self, view: Any, legal: Sequence[int]) -> bytes:
        """Returns the message that asks for the next decision."""
        self._decisions = number = self._decisions + 1
        facts = self._facts
        if self._process.python:
            return self._questions.act_message(number, view, legal, facts.clock)
        return protocol.text_act_message(number, view, legal, facts.game, facts.clock)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; a `ChargedError` if it is at fault.

        Instead of answering, the bot may end by itself with exit status 0. Its process is ended here, so that a bot
        which keeps that from being done can be charged; unless it is kept.
        """
        until = self._clock.begin(self._limits.move_ms, "move_ms", decides=False)
        try:
            answer = self._ask(protocol.end_message(outcome), until)
        except ChargedError:
            ended = self._process.ended
            if ended is None or list(ended.status[:1]) != [0]:
                raise
        else:
            self._parsed(answer, "end")
            if self._process.keep:
                self._reusable = True
                return
        self._process.end(0)
        if not self._process.spawner.alive:
            raise self._charge_for_spawner()

    def close(self) -> None:
        """Ends the process and all that it has started, or leaves it to the next match."""
        self._host.take_back(self._process, self._reusable)

    def _parsed(self, line: bytes, kind: str) -> dict[str, Any]:
        """Returns the answer to a message of that type; a `ChargedError` if it is none, or reports a fault.

        No clock is read meanwhile: a bot that has reported a fault is then asked for the traceback, if it is wanted.
        The fault may come from the end of the spawner, without which the bot cannot print, say.
        """
        try:
            return protocol.parse_answer(line, kind)
        except ChargedError as error:
            if self._process.python and self._host.wants_traceback(error.kind):
                error.traceback = self._traceback()
            self._process.end(0)
            if not self._process.spawner.alive:
                raise self._charge_for_spawner() from None
            raise

    def _traceback(self) -> str:
        """Returns the traceback of what the bot has raised, as its process formats it; empty if that fails."""
        self._clock.begin(None, "", decides=False)  # what follows is no part of a decision
        self._tree.resume()
        try:
            return protocol.parse_traceback(self._ask(protocol.TRACEBACK, time.monotonic() + TRACEBACK_S))
        except ChargedError:  # the bot may do anything while its exception is formatted
            return ""

    def _ask(self, line: bytes, until: float) -> bytes:
        """Sends a line and returns the line that answers it; a `ChargedError` if the bot ends, or its time is up."""
        process = self._process
        self._send(line, until)
        if process.input_closed:
            until = min(until, time.monotonic() + GRACE_S)
        while (size := process.rest.find(b"\n")) < 0 and len(process.rest) <= protocol.MAX_LINE:
            ready = self._wait(process.readable, until)
            if ready is None:
                raise self._charge_for_end("input") if process.input_closed else self._charge_for_delay()
            if ready != process.source:
                process.note_closed_input()
                until = min(until, time.monotonic() + GRACE_S)
                continue
            data = process.read()
            if not data:
                raise self._charge_for_end("output")
            process.rest += data
        if not 0 <= size <= protocol.MAX_LINE:
            raise ChargedError("protocol", f"its answer is longer than {protocol.MAX_LINE} bytes")
        found, process.rest = process.rest[:size], process.rest[size + 1 :]
        return found

    def _send(self, line: bytes, until: float) -> None:
        """Sends a line; that the bot has closed its stdin is noticed while its answer is waited for."""
        while line:
            try:
                line = line[self._process.write(line) :]
            except BlockingIOError:
                if self._wait(self._process.writable, until) is None:
                    raise self._charge_for_delay() from None
            except BrokenPipeError:
                return

    def _wait(self, poll: Poll, until: float) -> int | None:
        """Returns the end of the wire that is ready, or None when the time is up; a `ChargedError` without a spawner.

        The spawner stands between the bot and this process: without it nobody notices the bot's end.
        """
        while True:
            left = until - time.monotonic()
            ready = poll.poll(max(0.0, min(left, CHECK_S)) * 1000)
            if ready and ready[0][0] != self._process.spawner.death_fd:
                return ready[0][0]
            if ready:
                self._process.end(0)
                raise self._charge_for_spawner()
            if left <= CHECK_S:
                return None
            self._look_for_stop()

    def _look_for_stop(self) -> None:
        """Raises a `ChargedError` if the spawner was stopped by a signal, or a bot that the spawner does not watch."""
        process = self._process
        if process.spawner.is_stopped():
            process.end(0)
            raise self._charge_for_spawner()
        if process.spawner.leaves_stops and process.tree.is_stopped():
            process.end(0, late=True)
            raise self._charge_for_stop() or ChargedError("crash", "its process was stopped", killed=True)

    def _charge_for_delay(self) -> ChargedError:
        """Returns the charge against a bot that has not answered in time."""
        self._clock.note_timeout()
        ended = self._process.end(0, late=True)
        return self._charge_for_stop() or self._clock.timeout(ended.stopped)

    def _charge_for_end(self, closed: str) -> ChargedError:
        """Returns the charge against a bot that has closed its stdin or stdout, by how its process ended."""
        ended = self._process.end(GRACE_S)
        if charge := self._charge_for_stop():
            return charge
        if not ended.status:
            return ChargedError("crash", f"it closed its {closed}")
        status, most_kb = ended.status
        limit_mb = self._limits.memory_mb
        if status and limit_mb is not None and most_kb >= NEARLY * limit_mb * 1024:
            return ChargedError("memory", "its process died for want of memory")
        number = os.waitstatus_to_exitcode(status)
        if ended.failure is not None and not may_be_from_outside(number):
            what = "the sandbox of a bot cannot be set up"
            raise named_limit(ended.failure, what) or SystemLimitError(f"{what}: {one_line(ended.failure)}")
        if by := ending_signal(number):
            return ChargedError("crash", f"its process was ended by {signal_name(by)}", may_be_from_outside(number))
        return ChargedError("crash", f"its process ended with exit status {number}")

    def _charge_for_stop(self) -> ChargedError | None:
        """Returns the charge against a bot that was stopped, or whose spawner was stopped or killed; None for others.

        Somebody else may have done that.
        """
        if not self._process.spawner.alive:
            return self._charge_for_spawner()
        ended = self._process.ended
        if ended is not None and ended.status and ended.status[0] & 0xFF == WAS_STOPPED:
            return ChargedError("crash", "its process was stopped", killed=True)
        return None

    def _charge_for_spawner(self) -> ChargedError:
        """Returns the charge against a bot whose spawner had to be ended."""
        if limit := self._process.spawner.limit():
            raise limit
        if self._process.spawner.was_stopped:
            return ChargedError("crash", "the process that started it was stopped", killed=True)
        return ChargedError("crash", "its process was ended by SIGKILL", killed=True)


# A bot in a process of its own whose decisions have a limit of time.
#
# Its processes are stopped while it is not asked. So they take no time from the others between its decisions, and the
# processor time that they have used is all that of its own decisions.

LEAST_S = 0.005
"""The shortest time, in seconds, after which it is looked again how much processor time a bot has used."""


class TimedExternalBot(ExternalBot):
    """One bot in a process of its own, for one match, that is told with each decision how much time is left."""

    def __init__(self, host: BotOwner, process: AnyProcess, facts: SeatFacts, clock: SeatClock) -> None:
        """Takes the process, which `host` takes back in the end."""
        super().__init__(host, process, facts, clock)
        self._processor_s = 0.0  # what its processes had used in all when it was asked last
        self._look_s = CHECK_S  # after how many seconds it is looked next what it is doing, while it is waited for

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault."""
        super().start(rng_seed)
        self._tree.suspend()
        if self._limits.bounds_processor:
            self._processor_s = self._tree.processor_s()

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        line = self._question(view, legal)
        begun = time.monotonic()
        clock = self._clock
        until = clock.begin(self._limits.move_ms, "move_ms", decides=True)
        self._tree.resume()
        if clock.processor_left_s is not None:
            self._plan_look(clock.processor_left_s)
        answer = self._ask(line, until)
        took_s = time.monotonic() - begun
        self._tree.suspend()
        used_s = 0.0
        if clock.processor_left_s is not None:
            used_s = self._used_s()
            if used_s > clock.processor_left_s:
                clock.note_timeout()
                raise clock.processor_timeout()
            self._processor_s += used_s
        clock.finish(took_s, used_s)
        found = self._parsed(answer, "act")
        return protocol.parse_action(found, self._decisions, self._facts.game, self._process.python)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; see `ExternalBot.end`."""
        self._tree.resume()
        self._look_s = CHECK_S
        super().end(outcome)

    def _traceback(self) -> str:
        """Returns the traceback of what the bot has raised; no processor time is counted any more."""
        self._clock.processor_left_s = None
        return super()._traceback()

    def _wait(self, poll: Poll, until: float) -> int | None:
        """Returns the end of the wire that is ready, or None when the time is up; looks meanwhile what the bot does."""
        while True:
            look_at = time.monotonic() + self._look_s
            ready = super()._wait(poll, min(until, look_at))
            if ready is not None or look_at >= until:
                return ready
            self._look()

    def _look(self) -> None:
        """Raises a `ChargedError` if the bot or its spawner was stopped, or has used all of its processor time."""
        self._look_for_stop()
        most_s = self._clock.processor_left_s
        if most_s is not None:
            left_s = most_s - self._used_s()
            if left_s < 0:
                self._clock.note_timeout()
                self._process.end(0)
                raise self._clock.processor_timeout()
            self._plan_look(left_s)

    def _plan_look(self, left_s: float) -> None:
        """Plans to look again when so much processor time can have been used."""
        self._look_s = min(CHECK_S, max(LEAST_S, left_s / self._tree.cores()))

    def _used_s(self) -> float:
        """Returns how much processor time the bot has used since it was asked, in seconds."""
        return max(0.0, self._tree.processor_s() - self._processor_s)
