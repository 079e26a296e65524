"""A bot in a process of its own, for one match: asked by JSON lines over the process's stdin and stdout.

The worker writes a line and waits for the answer. The process itself is started and ended by a spawner.
"""

import os
import time
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from tourney.bot import Outcome, SeatFacts
from tourney.errors import SystemLimitError, named_limit, one_line
from tourney.hosts import protocol
from tourney.hosts.bot_process import BotProcess
from tourney.hosts.clocks import SeatClock
from tourney.hosts.fault_kinds import ChargedError
from tourney.hosts.portable_process import PortableProcess
from tourney.hosts.retries import ending_signal, may_be_from_outside, signal_name
from tourney.hosts.spawner_client import CHECK_S, LOAD_S, LOADED_LATE
from tourney.match import FaultKind

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
        """Returns the charge against a bot that has closed its stdin or stdout, by how its process ended.

        Raises:
            SystemLimitError: There was no bot yet: the system has not let its sandbox be set up.
        """
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
        """Returns the charge against a bot whose spawner had to be ended.

        Raises:
            SystemLimitError: The system has not let the spawner start the bot's process.
        """
        if limit := self._process.spawner.limit():
            raise limit
        if self._process.spawner.was_stopped:
            return ChargedError("crash", "the process that started it was stopped", killed=True)
        return ChargedError("crash", "its process was ended by SIGKILL", killed=True)
