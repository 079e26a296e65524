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
    """One process, for one match."""

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
        self._count = 0
        self._python = False
        self._rest = b""
        self._stopped = False
        self._deaf = False
        self._status: list[int] = []
        source, theirs = os.pipe()
        ours, target = os.pipe()
        self._source, self._target = source, target
        spawner.begin(command, (ours, theirs))
        os.close(theirs)
        os.close(ours)
        os.set_blocking(target, False)
        self._readable = select.poll()
        self._readable.register(source, select.POLLIN)
        self._readable.register(target, 0)  # it is ready when nobody is at the other end
        self._writable = select.poll()
        self._writable.register(target, select.POLLOUT)

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts."""
        until = self._until(self._limits.start_ms)
        self._python = protocol.is_python(protocol.answer(self._ask(protocol.HELLO, until, "start_ms"), "hello"))
        protocol.answer(self._ask(protocol.start(self._facts, rng_seed), until, "start_ms"), "start")

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The number that the bot answers."""
        self._count = number = self._count + 1
        game = self._facts.game
        if self._python:
            line = protocol.act_in_python(number, view, legal)
        else:
            line = protocol.act_in_text(number, view, legal, game)
        answer = self._ask(line, self._until(self._limits.move_ms), "move_ms")
        return protocol.action(protocol.answer(answer, "act"), number, game, self._python)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; instead of an answer it may end by itself, with exit status 0."""
        try:
            line = self._ask(protocol.end(outcome), self._until(self._limits.move_ms), "move_ms")
        except ChargedError:
            if self._status[:1] != [0]:
                raise
        else:
            protocol.answer(line, "end")

    def close(self) -> None:
        """Ends the process and whatever it has started."""
        self._stop(0)
        os.close(self._source)
        os.close(self._target)
        self._command.clear()
        if self._spawner.alive:
            self._idle.append(self._spawner)

    def _until(self, limit_ms: int | None) -> float:
        """When the time is up, by the monotonic clock."""
        return self._match_until if limit_ms is None else min(self._match_until, time.monotonic() + limit_ms / 1000)

    def _ask(self, line: bytes, until: float, limit: str) -> bytes:
        """Sends a line and waits for one; a `ChargedError` if the bot is gone, or its time is up."""
        self._send(line, until, limit)
        if self._deaf:
            until = min(until, time.monotonic() + GRACE_S)
        while (size := self._rest.find(b"\n")) < 0 and len(self._rest) <= protocol.MAX_LINE:
            ready = self._readable.poll(max(0.0, until - time.monotonic()) * 1000)
            if not ready:
                raise self._gone("input") if self._deaf else self._late(until, limit)
            if ready[0][0] != self._source:
                until = self._close_target(until)
                continue
            data = os.read(self._source, CHUNK)
            if not data:
                raise self._gone("output")
            self._rest += data
        if not 0 <= size <= protocol.MAX_LINE:
            raise ChargedError("protocol", f"its answer is longer than {protocol.MAX_LINE} bytes")
        found, self._rest = self._rest[:size], self._rest[size + 1 :]
        return found

    def _send(self, line: bytes, until: float, limit: str) -> None:
        """Sends a line, as far as the bot listens; whether it does comes out while its answer is waited for."""
        while line:
            try:
                line = line[os.write(self._target, line) :]
            except BlockingIOError:
                if not self._writable.poll(max(0.0, until - time.monotonic()) * 1000):
                    raise self._late(until, limit) from None
            except BrokenPipeError:
                return

    def _close_target(self, until: float) -> float:
        """The bot has closed its stdin, maybe because it ends: until when to wait for an answer all the same."""
        self._deaf = True
        self._readable.unregister(self._target)
        return min(until, time.monotonic() + GRACE_S)

    def _late(self, until: float, limit: str) -> ChargedError:
        """What a bot is charged with that has not answered in time."""
        over = until == self._match_until
        return ChargedError("timeout", "its match took too long" if over else f"took longer than {limit}")

    def _gone(self, closed: str) -> ChargedError:
        """What a bot is charged with that does not listen or talk any more."""
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
        """Ends the process, once; one that is about to end by itself is given so long."""
        if not self._stopped:
            self._stopped = True
            self._status = self._spawner.end(grace_s)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
