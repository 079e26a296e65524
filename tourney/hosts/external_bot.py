"""A bot in a process of its own, for one match: asked by JSON lines over the process's stdin and stdout.

The worker writes a line and waits for the answer. The process itself is started and ended by a spawner.
"""

import os
import select
import time
from collections.abc import Sequence
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts import protocol
from tourney.hosts.clocks import SeatClock
from tourney.hosts.fault_kinds import ChargedError
from tourney.hosts.lateness import Lateness
from tourney.hosts.retries import ending_signal, may_be_from_outside, signal_name
from tourney.hosts.spawner_client import CHECK_S, BotCommand, BotEnd, SpawnerClient

GRACE_S = 1.0
"""How long a bot that neither listens nor talks any more may sleep until it ends, or else counts as one that goes on.
While it computes or is on its way out, which takes long on a busy machine, it has more time."""
CHUNK = 1 << 13
NEARLY = 0.8
"""The share of its memory limit from which on a process that is killed counts as one that died of it."""


class ExternalBot:
    """One bot in a process of its own, for one match."""

    def __init__(
        self,
        spawner: SpawnerClient,
        idle: list[SpawnerClient],
        command: BotCommand,
        facts: SeatFacts,
        clock: SeatClock,
    ) -> None:
        """Starts the process; `idle` takes the spawner back in the end."""
        self._spawner = spawner
        self._idle = idle
        self._command = command
        self._facts = facts
        self._limits = clock.limits
        self._clock = clock
        self._tree = spawner.tree
        if self._limits.bounds_time:
            self._lateness = Lateness(self._tree.waited_s, self._tree.processor_s)
        self._decisions = 0
        self._python = False
        self._rest = b""
        self._ended: BotEnd | None = None  # how the process ended, once it was ended
        self._input_closed = False
        source, theirs = os.pipe()
        ours, target = os.pipe()
        self._source, self._target = source, target
        spawner.start(command, (ours, theirs))
        os.close(theirs)
        os.close(ours)
        os.set_blocking(target, False)
        self._readable = select.poll()
        self._readable.register(source, select.POLLIN)
        self._readable.register(target, 0)  # ready when nobody is at the other end any more
        self._writable = select.poll()
        self._writable.register(target, select.POLLOUT)
        for poll in (self._readable, self._writable):
            poll.register(spawner.death_fd, select.POLLIN)  # a process that the bot has forked may hold its pipes

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault."""
        self._clock.begin(self._limits.start_ms, "start_ms", decides=False)
        try:
            hello = protocol.parse_answer(self._ask(protocol.HELLO), "hello")
            self._python = protocol.chooses_python(hello)
            protocol.parse_answer(self._ask(protocol.start_message(self._facts, rng_seed)), "start")
        finally:
            self._clock.finish()

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        line = self._question(view, legal)
        clock = self._clock
        worked_s = -self._tree.processor_s() if clock.measures_processor else None
        clock.begin(self._limits.move_ms, "move_ms", decides=True)
        answer = protocol.parse_answer(self._ask(line), "act")
        if worked_s is None:
            clock.finish()
        else:
            took_s = clock.gone_s()  # before it is looked what processors have worked
            clock.finish(took_s, worked_s + self._tree.processor_s())
        return protocol.parse_action(answer, self._decisions, self._facts.game, self._python)

    def _question(self, view: Any, legal: Sequence[int]) -> bytes:
        """Returns the message that asks for the next decision."""
        self._decisions = number = self._decisions + 1
        if self._python:
            return protocol.python_act_message(number, view, legal)
        return protocol.text_act_message(number, view, legal, self._facts.game)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; a `ChargedError` if it is at fault.

        Instead of answering, the bot may end by itself with exit status 0. Its process is ended here, so that a bot
        which keeps that from being done can be charged.
        """
        self._clock.begin(self._limits.move_ms, "move_ms", decides=False)
        try:
            protocol.parse_answer(self._ask(protocol.end_message(outcome)), "end")
        except ChargedError:
            if self._ended is None or list(self._ended.status[:1]) != [0]:
                raise
        self._end_process(0)
        if not self._spawner.alive:
            raise self._charge_for_spawner()

    def close(self) -> None:
        """Ends the process and all that it has started."""
        self._end_process(0)
        os.close(self._source)
        os.close(self._target)
        self._command.clear()
        if self._spawner.alive and self._spawner.unchanged:
            self._idle.append(self._spawner)
        elif self._spawner.alive:
            self._spawner.kill()

    def _ask(self, line: bytes) -> bytes:
        """Sends a line and returns the line that answers it; a `ChargedError` if the bot ends, or its time is up."""
        until = self._clock.until
        self._send(line, until)
        if self._input_closed:
            until = min(until, time.monotonic() + GRACE_S)
        while (size := self._rest.find(b"\n")) < 0 and len(self._rest) <= protocol.MAX_LINE:
            ready = self._wait(self._readable, until)
            if ready is None:
                raise self._charge_for_end("input") if self._input_closed else self._charge_for_delay()
            if ready != self._source:
                until = self._note_closed_input(until)
                continue
            data = os.read(self._source, CHUNK)
            if not data:
                raise self._charge_for_end("output")
            self._rest += data
        if not 0 <= size <= protocol.MAX_LINE:
            raise ChargedError("protocol", f"its answer is longer than {protocol.MAX_LINE} bytes")
        found, self._rest = self._rest[:size], self._rest[size + 1 :]
        return found

    def _send(self, line: bytes, until: float) -> None:
        """Sends a line; that the bot has closed its stdin is noticed while its answer is waited for."""
        while line:
            try:
                line = line[os.write(self._target, line) :]
            except BlockingIOError:
                if self._wait(self._writable, until) is None:
                    raise self._charge_for_delay() from None
            except BrokenPipeError:
                return

    def _wait(self, poll: select.poll, until: float) -> int | None:
        """Returns the end of the wire that is ready, or None when the time is up; a `ChargedError` without a spawner.

        The spawner stands between the bot and this process: without it nobody notices the bot's end.
        """
        while True:
            left = until - time.monotonic()
            ready = poll.poll(max(0.0, min(left, CHECK_S)) * 1000)
            if ready and ready[0][0] != self._spawner.death_fd:
                return ready[0][0]
            if ready or (left > CHECK_S and self._spawner.is_stopped()):
                self._end_process(0)
                raise self._charge_for_spawner()
            if left <= CHECK_S:
                return None

    def _note_closed_input(self, until: float) -> float:
        """Notes that the bot has closed its stdin, maybe because it ends; returns until when it may still answer."""
        self._input_closed = True
        self._readable.unregister(self._target)
        return min(until, time.monotonic() + GRACE_S)

    def _charge_for_delay(self) -> ChargedError:
        """Returns the charge against a bot that has not answered in time."""
        self._clock.note_timeout()
        late_s = self._lateness.end() if self._limits.bounds_time else 0.0
        ended = self._end_process(0, late=True)
        return self._charge_for_stop() or self._clock.timeout(ended.stopped, late_s)

    def _charge_for_end(self, closed: str) -> ChargedError:
        """Returns the charge against a bot that has closed its stdin or stdout, by how its process ended."""
        ended = self._end_process(GRACE_S)
        if charge := self._charge_for_stop():
            return charge
        if not ended.status:
            return ChargedError("crash", f"it closed its {closed}")
        status, most_kb = ended.status
        limit_mb = self._limits.memory_mb
        if status and limit_mb is not None and most_kb >= NEARLY * limit_mb * 1024:
            return ChargedError("memory", "its process died for want of memory")
        number = os.waitstatus_to_exitcode(status)
        if by := ending_signal(number):
            return ChargedError("crash", f"its process was ended by {signal_name(by)}", may_be_from_outside(number))
        return ChargedError("crash", f"its process ended with exit status {number}")

    def _charge_for_stop(self) -> ChargedError | None:
        """Returns the charge against a bot that was stopped, or whose spawner was stopped or killed; None for others.

        Somebody else may have done that.
        """
        if not self._spawner.alive:
            return self._charge_for_spawner()
        if self._ended is not None and self._ended.status and os.WIFSTOPPED(self._ended.status[0]):
            return ChargedError("crash", "its process was stopped", killed=True)
        return None

    def _charge_for_spawner(self) -> ChargedError:
        """Returns the charge against a bot whose spawner had to be ended.

        Raises:
            SystemLimitError: The system has not let the spawner start the bot's process.
        """
        if limit := self._spawner.limit():
            raise limit
        if self._spawner.was_stopped:
            return ChargedError("crash", "the process that started it was stopped", killed=True)
        return ChargedError("crash", "its process was ended by SIGKILL", killed=True)

    def _end_process(self, grace_s: float, late: bool = False) -> BotEnd:
        """Ends the process the first time that it is called, and returns how it ended; see `SpawnerClient.end`."""
        if self._ended is None:
            self._ended = self._spawner.end(grace_s, late)
        return self._ended
