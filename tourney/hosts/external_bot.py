"""A bot in a process of its own, for one match: asked by JSON lines over the process's stdin and stdout.

The worker writes a line and waits for the answer. The process itself is started and ended by a spawner.
"""

import os
import select
import signal
import time
from collections.abc import Sequence
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts import protocol
from tourney.hosts.base import Limits
from tourney.hosts.fault_kinds import ChargedError
from tourney.hosts.retries import ending_signal, may_be_from_outside
from tourney.hosts.spawner_client import BotCommand, SpawnerClient

GRACE_S = 1.0
"""How long a bot that neither listens nor talks any more may take to end, before it counts as one that goes on."""
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
        limits: Limits,
        measured_mb: int | None,
    ) -> None:
        """Starts the process.

        `idle` takes the spawner back in the end. `measured_mb` is the limit of memory that the accounts of the process
        are compared with; None where there is none, or where the accounts do not show it.
        """
        self._spawner = spawner
        self._idle = idle
        self._command = command
        self._facts = facts
        self._limits = limits
        self._measured_mb = measured_mb
        self._match_until = time.monotonic() + limits.match_s
        self._decisions = 0
        self._python = False
        self._rest = b""
        self._stopped = False
        self._input_closed = False
        self._status: list[int] = []
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

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault."""
        until = self._until(self._limits.start_ms)
        hello = protocol.parse_answer(self._ask(protocol.HELLO, until, "start_ms"), "hello")
        self._python = protocol.chooses_python(hello)
        started = self._ask(protocol.start_message(self._facts, rng_seed), until, "start_ms")
        protocol.parse_answer(started, "start")

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        self._decisions = number = self._decisions + 1
        game = self._facts.game
        if self._python:
            line = protocol.python_act_message(number, view, legal)
        else:
            line = protocol.text_act_message(number, view, legal, game)
        answer = protocol.parse_answer(self._ask(line, self._until(self._limits.move_ms), "move_ms"), "act")
        return protocol.parse_action(answer, number, game, self._python)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; a `ChargedError` if it is at fault.

        Instead of answering, the bot may end by itself with exit status 0.
        """
        try:
            line = self._ask(protocol.end_message(outcome), self._until(self._limits.move_ms), "move_ms")
        except ChargedError:
            if self._status[:1] != [0]:
                raise
        else:
            protocol.parse_answer(line, "end")

    def close(self) -> None:
        """Ends the process and all that it has started."""
        self._stop(0)
        os.close(self._source)
        os.close(self._target)
        self._command.clear()
        if self._spawner.alive:
            self._idle.append(self._spawner)

    def _until(self, limit_ms: int | None) -> float:
        """Returns when the time for a call is up, by the monotonic clock; the time of the match bounds it."""
        return self._match_until if limit_ms is None else min(self._match_until, time.monotonic() + limit_ms / 1000)

    def _ask(self, line: bytes, until: float, limit: str) -> bytes:
        """Sends a line and returns the line that answers it; a `ChargedError` if the bot ends, or its time is up."""
        self._send(line, until, limit)
        if self._input_closed:
            until = min(until, time.monotonic() + GRACE_S)
        while (size := self._rest.find(b"\n")) < 0 and len(self._rest) <= protocol.MAX_LINE:
            ready = self._readable.poll(max(0.0, until - time.monotonic()) * 1000)
            if not ready:
                raise self._charge_for_end("input") if self._input_closed else self._charge_for_delay(until, limit)
            if ready[0][0] != self._source:
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

    def _send(self, line: bytes, until: float, limit: str) -> None:
        """Sends a line; that the bot has closed its stdin is noticed while its answer is waited for."""
        while line:
            try:
                line = line[os.write(self._target, line) :]
            except BlockingIOError:
                if not self._writable.poll(max(0.0, until - time.monotonic()) * 1000):
                    raise self._charge_for_delay(until, limit) from None
            except BrokenPipeError:
                return

    def _note_closed_input(self, until: float) -> float:
        """Notes that the bot has closed its stdin, maybe because it ends; returns until when it may still answer."""
        self._input_closed = True
        self._readable.unregister(self._target)
        return min(until, time.monotonic() + GRACE_S)

    def _charge_for_delay(self, until: float, limit: str) -> ChargedError:
        """Returns the charge against a bot that has not answered in time."""
        over = until == self._match_until
        return ChargedError("timeout", "its match took too long" if over else f"took longer than {limit}")

    def _charge_for_end(self, closed: str) -> ChargedError:
        """Returns the charge against a bot that has closed its stdin or stdout, by how its process ended."""
        self._stop(GRACE_S)
        if not self._spawner.alive:
            return ChargedError("crash", "its process was ended by SIGKILL", killed=True)
        if not self._status:
            return ChargedError("crash", f"it closed its {closed}")
        status, most_kb = self._status
        limit_mb = self._measured_mb
        if status and limit_mb is not None and most_kb >= NEARLY * limit_mb * 1024:
            return ChargedError("memory", "its process died for want of memory")
        number = os.waitstatus_to_exitcode(status)
        if by := ending_signal(number):
            return ChargedError("crash", f"its process was ended by {_signal(by)}", may_be_from_outside(number))
        return ChargedError("crash", f"its process ended with exit status {number}")

    def _stop(self, grace_s: float) -> None:
        """Ends the process, the first time it is called; it has `grace_s` seconds to end by itself."""
        if not self._stopped:
            self._stopped = True
            self._status = self._spawner.end(grace_s)


def _signal(number: int) -> str:
    """Returns the name of the signal of that number."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
