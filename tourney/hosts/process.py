"""The process host: one process a bot and match, asked by JSON lines over its stdin and stdout.

The worker writes a line and waits for the answer. The process itself is started and ended by a spawner
(`tourney.hosts.spawner`).
"""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import orjson

from tourney.bot import Outcome, SeatFacts
from tourney.hosts import linux, protocol
from tourney.hosts.base import BotHost, Limits
from tourney.hosts.fault_kinds import ChargedError

LOAD_S = 60.0
"""A Python bot may take so long to be loaded, once a worker."""
GRACE_S = 1.0
"""So long a bot that does not listen or talk any more may take to end, before it counts as one that goes on."""
KEEPER_S = 10.0
"""A keeper that does not answer for so long is ended."""
CHUNK = 1 << 13
BY_SIGNAL = 128
"""An exit status above is how shells and sandboxes tell of a signal, its number added."""
KILLERS = (signal.SIGKILL, signal.SIGTERM)
"""Signals that may come from somebody else."""
NEARLY = 0.8
"""A process that is killed with so much of its memory in use has died of that."""


class Launch(NamedTuple):
    """How the process of a bot is started."""

    argv: Sequence[str]
    env: Mapping[str, str] | None
    """None: that of this process."""
    cwd: str
    clear: Callable[[], None] = lambda: None
    """To be called when the process has ended."""


class Process(BotHost):
    """The bots of one entrant, each in a process of its own."""

    is_apart = True

    def __init__(
        self,
        launch: Callable[[], Launch],
        limits: Limits,
        log: Path | None,
        python: dict[str, Any] | None = None,
    ) -> None:
        """Starts nothing yet.

        `launch` says how to start a process, for each one anew. `python` is what `serve.load` is told, for a Python bot
        that may be loaded once and forked for each match. `log` is the file that the bots' stderr goes to, None for
        that of this process.
        """
        self._launch = launch
        self._limits = limits
        path = None if log is None else str(log.absolute())
        self._order = {"python": python, "memory_mb": limits.memory_mb, "log": path}
        self._idle: list[_Keeper] = []

    def begin(self, facts: SeatFacts, rng_seed: int) -> "_Bot":
        """A new process, told the facts."""
        while self._idle and not self._idle[-1].is_well():
            self._idle.pop().kill()
        keeper = self._idle.pop() if self._idle else _Keeper(self._order)
        bot = _Bot(keeper, self._idle, self._launch(), facts, self._limits)
        try:
            bot.start(rng_seed)
        except BaseException:
            bot.close()
            raise
        return bot

    def close(self) -> None:
        """Ends the keepers."""
        while self._idle:
            self._idle.pop().kill()


class _Bot:
    """One process, for one match."""

    def __init__(
        self, keeper: "_Keeper", idle: "list[_Keeper]", launch: Launch, facts: SeatFacts, limits: Limits
    ) -> None:
        self._keeper = keeper
        self._idle = idle
        self._launch = launch
        self._facts = facts
        self._limits = limits
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
        keeper.begin(launch, (ours, theirs))
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
        self._launch.clear()
        if self._keeper.alive:
            self._idle.append(self._keeper)

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
        if not self._keeper.alive:
            return ChargedError("crash", "its process was ended by SIGKILL", killed=True)
        if not self._status:
            return ChargedError("crash", f"it closed its {closed}")
        status, most_kb = self._status
        limit_mb = self._limits.memory_mb
        if status and limit_mb is not None and most_kb >= NEARLY * limit_mb * 1024:
            return ChargedError("memory", "its process died for want of memory")
        number = os.waitstatus_to_exitcode(status)
        by = -number if number < 0 else number - BY_SIGNAL
        if by > 0:
            return ChargedError("crash", f"its process was ended by {_signal(by)}", by in KILLERS)
        return ChargedError("crash", f"its process ended with exit status {number}")

    def _stop(self, grace_s: float) -> None:
        """Ends the process, once; one that is about to end by itself is given so long."""
        if not self._stopped:
            self._stopped = True
            self._status = self._keeper.end(grace_s)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


class _Keeper:
    """A keeper's process, as the worker sees it."""

    pids: ClassVar[set[int]] = set()

    def __init__(self, order: dict[str, Any]) -> None:
        """Starts it, and waits until it has loaded the bot; a `ChargedError` if that goes wrong."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", "tourney.hosts.spawner", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.alive = True
        self.pids.add(self._process.pid)
        self._control.send(orjson.dumps(order))
        match self._receive(LOAD_S):
            case b"ready":
                return
            case b"cannot be loaded":
                fault = ChargedError("error", "cannot be loaded")
            case b"":
                fault = ChargedError("crash", "its process died while it was loaded", killed=True)
            case _:
                fault = ChargedError("timeout", "took too long to be loaded")
        self.kill()
        raise fault

    def is_well(self) -> bool:
        """Whether it is there, and has nothing to say."""
        return not select.select([self._control], [], [], 0)[0]

    def begin(self, launch: Launch, wire: tuple[int, int]) -> None:
        """Starts a process of the bot with these as its stdin and stdout."""
        told = {"argv": launch.argv, "env": None if launch.env is None else dict(launch.env), "cwd": launch.cwd}
        with suppress(BrokenPipeError):  # it was killed; so is the process that it would have started
            socket.send_fds(self._control, [orjson.dumps(told)], wire)

    def end(self, grace_s: float) -> list[int]:
        """Ends that process with all that it has started.

        Its wait status and largest memory in kilobytes, if it has ended by itself within that time.
        """
        reply = None
        with suppress(BrokenPipeError):
            self._control.send(str(round(grace_s * 1000)).encode())
            reply = self._receive(grace_s + KEEPER_S)
        if not reply:
            self.kill()
            return []
        status: list[int] = orjson.loads(reply)
        return status

    def kill(self) -> None:
        """Ends the keeper, and with it what it has started."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self._control.close()
        self.pids.discard(self._process.pid)
        linux.end_orphans(frozenset(self.pids))

    def _receive(self, seconds: float) -> bytes | None:
        """The next message; empty if there will be none, None if it does not come in time."""
        self._control.settimeout(seconds)
        try:
            return self._control.recv(CHUNK)
        except TimeoutError:
            return None
        except ConnectionResetError:
            return b""
