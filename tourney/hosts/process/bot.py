"""A bot in its own process, for one match: asked by JSON lines over the process's stdin and stdout.

The worker writes a line and waits for the answer. A spawner starts and kills the process.
"""

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from tourney.base.errors import HelperLostError, SystemLimitError, named_limit, one_line
from tourney.contracts.bot import Noted, Outcome, SeatFacts
from tourney.contracts.match import FaultKind
from tourney.hosts import awake
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import ChargedError
from tourney.hosts.linux import ending_signal, signal_name
from tourney.hosts.process import protocol
from tourney.hosts.process.spawner_client import LOAD_S, NOT_LOADED_IN_TIME, BotEnd, SpawnerClient

CHUNK = 1 << 13
GRACE_S = 1.0
"""How long a bot that neither listens nor talks may sleep before it ends, or else counts as still running.
While it computes or is on its way out, which takes long on a busy machine, it has more time."""
RESET_S = 10.0
TRACEBACK_S = 5.0
NEARLY = 0.8  # the share of its memory limit from which a killed process counts as killed by it
LOOK_S = 0.2  # the longest time between two looks at how much processor time a bot has used
LEAST_S = 0.005  # the shortest


class ExternalBot:
    """One bot in its own process, for one match."""

    def __init__(
        self, process: "BotProcess", facts: SeatFacts, clock: SeatClock,
        take_back: Callable[["BotProcess", bool], None], wants_traceback: Callable[[FaultKind], bool],
        explained: Callable[[str], str],
    ) -> None:  # fmt: skip
        """Takes the process.

        `take_back` receives the process at the end, and whether it can play another match; `wants_traceback` decides
        whether to keep the traceback of a fault of that kind; `explained` adds the cause that the host knows.
        """
        self._take_back, self._wants_traceback, self._explained = take_back, wants_traceback, explained
        self._process, self._facts = process, facts
        self._limits = clock.limits
        self._clock = clock
        self._tree = process.tree
        self._decisions = 0
        self._questions = protocol.QuestionWriter()
        self._reusable = False

    def reset(self) -> None:
        """Makes a kept bot forget its last match, on no clock; a `ChargedError` if that fails."""
        self._tree.resume()
        protocol.parse_answer(self._ask(protocol.RESET, awake.begin() + RESET_S), "reset")

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault.

        Until it has answered the greeting it is being started and loaded, on a separate clock: that takes long on a
        busy machine, and does not count for the match.
        """
        start_ms = self._limits.start_ms
        if not self._process.greeted:
            if start_ms is None or self._process.keep:  # only a kept bot's first match has to wait
                self._greet(self._clock.begin_alone(max(LOAD_S, self._limits.match_s), NOT_LOADED_IN_TIME))
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
        try:
            line = self._ask(protocol.HELLO, until)
        except ChargedError as error:
            if error.kind == "timeout" and self._process.is_program:  # many write into a buffer
                wrote = "half a line" if self._process.rest else "nothing"
                error.detail += f" (read hello, wrote {wrote}: does it flush stdout?)"
            raise
        if not self._process.keep:
            self._clock.note_start(self._process.began)
        hello = protocol.parse_answer(line, "hello")
        self._process.python = protocol.chooses_python(hello)
        self._process.greeted = True

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        line = self._question(view, legal)
        clock = self._clock
        until = clock.begin(self._limits.move_ms, "move_ms", decides=True)
        answer = self._parsed(self._ask(line, until), "act")
        clock.finish()
        return protocol.parse_choice(answer, self._decisions, self._facts.game, self._process.python)

    def _question(self, view: Any, legal: Sequence[int]) -> bytes:
        self._decisions = number = self._decisions + 1
        facts = self._facts
        if self._process.python:
            return self._questions.act_message(number, view, legal, facts.clock)
        return protocol.text_act_message(number, view, legal, facts.game, facts.clock)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; a `ChargedError` if it is at fault.

        Instead of answering, the bot may end by itself with exit status 0. Unless its process is kept, it is killed
        here, so a bot that prevents that can be charged.
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

    def close(self) -> None:
        """Kills the process and everything that it has started, or leaves it to the next match."""
        self._take_back(self._process, self._reusable)

    def _parsed(self, line: bytes, kind: str) -> dict[str, Any]:
        """Returns the answer to a message of that type; a `ChargedError` if it is not one, or reports a fault."""
        try:
            return protocol.parse_answer(line, kind)
        except ChargedError as error:
            if self._process.python and error.kind in protocol.REPORTABLE and self._wants_traceback(error.kind):
                error.traceback = self._explained(self._traceback())
            self._process.end(0)
            raise

    def _traceback(self) -> str:
        self._clock.begin(None, "", decides=False)  # not part of a decision
        self._tree.resume()
        try:
            return protocol.parse_traceback(self._ask(protocol.TRACEBACK, awake.begin() + TRACEBACK_S))
        except ChargedError:  # the bot may do anything while its exception is formatted
            return ""

    def _ask(self, line: bytes, until: float) -> bytes:
        """Sends a line and returns the line that answers it; a `ChargedError` if the bot ends, or its time is up."""
        process = self._process
        self._send(line, until)
        if process.input_closed:
            until = min(until, awake.now() + GRACE_S)
        while (size := process.rest.find(b"\n")) < 0 and len(process.rest) <= protocol.MAX_LINE:
            ready = self._wait(process.readable, until)
            if ready is None:
                raise self._charge_for_end("input") if process.input_closed else self._charge_for_delay()
            if ready != process.source:
                process.input_closed = True
                process.readable.unregister(process.target)
                until = min(until, awake.now() + GRACE_S)
                continue
            data = os.read(process.source, CHUNK)
            if not data:
                raise self._charge_for_end("output")
            process.rest += data
        if not 0 <= size <= protocol.MAX_LINE:
            raise ChargedError("protocol", f"answer is longer than {protocol.MAX_LINE} bytes")
        answer, process.rest = process.rest[:size], process.rest[size + 1 :]
        return answer

    def _send(self, line: bytes, until: float) -> None:
        """Sends a line; a closed stdin of the bot is noticed while waiting for its answer."""
        while line:
            try:
                line = line[os.write(self._process.target, line) :]
            except BlockingIOError:
                if self._wait(self._process.writable, until) is None:
                    raise self._charge_for_delay() from None
            except BrokenPipeError:
                return

    def _wait(self, poll: "select.poll", until: float) -> int | None:
        ready: list[tuple[int, int]] = []
        while not ready:
            wait_s = max(0.0, min(until - awake.look(), awake.SLICE_S))
            ready = poll.poll(wait_s * 1000)
            if awake.look(wait_s) >= until and not ready:
                return None
        if ready[0][0] == self._process.spawner.fileno():
            self._process.end(0)  # raises, as the spawner is gone
        return ready[0][0]

    def _charge_for_delay(self) -> ChargedError:
        self._clock.note_timeout()
        charge = self._clock.timeout(self._used_s())
        self._process.end(0)
        return charge

    def _used_s(self) -> float | None:
        return None

    def _charge_for_end(self, closed: str) -> ChargedError:
        ended = self._process.end(GRACE_S)
        if not ended.status:
            return ChargedError("crash", f"process closed its {closed}")
        status, most_kb = ended.status
        limit_mb = self._limits.memory_mb
        if status and limit_mb is not None and most_kb >= NEARLY * limit_mb * 1024:
            return ChargedError("memory", "process ran out of memory")
        number = os.waitstatus_to_exitcode(status)
        if ended.failure is not None and not ending_signal(number):
            what = "the sandbox of a bot cannot be set up"
            raise named_limit(ended.failure, what) or SystemLimitError(f"{what}: {one_line(ended.failure)}")
        if by := ending_signal(number):
            return ChargedError("crash", f"process killed by {signal_name(by)}")
        return ChargedError("crash", f"process ended with exit status {number}")


class TimedExternalBot(ExternalBot):
    """One bot in its own process, for one match, with time limits for its decisions.

    Its processes are stopped while it is not asked. So they take no time from the others between its decisions, and all
    the processor time that they have used belongs to its own decisions.
    """

    _processor_s: float = 0.0  # what its processes had used in all when it was last asked
    _look_s: float = 0.0  # until the next look at its processor time, while waiting for it

    def start(self, rng_seed: int) -> None:
        super().start(rng_seed)
        self._tree.suspend()
        if self._limits.bounds_processor:
            self._processor_s = self._tree.processor_s()

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        line = self._question(view, legal)
        clock = self._clock
        until = clock.begin(self._limits.move_ms, "move_ms", decides=True)
        self._tree.resume()
        if clock.processor_left_s is not None:
            self._plan_look(clock.processor_left_s)
        answer = self._ask(line, until)
        took_s = clock.gone_s()
        self._tree.suspend()
        used_s = 0.0
        if clock.processor_left_s is not None:
            used_s = self._used_s() or 0.0
            if used_s > clock.processor_left_s:
                clock.note_timeout()
                raise clock.processor_timeout(used_s)
            self._processor_s += used_s
        clock.finish(took_s, used_s)
        chosen = self._parsed(answer, "act")
        return protocol.parse_choice(chosen, self._decisions, self._facts.game, self._process.python)

    def end(self, outcome: Outcome) -> None:
        self._tree.resume()
        super().end(outcome)

    def _traceback(self) -> str:
        self._clock.processor_left_s = None  # processor time no longer counts
        return super()._traceback()

    def _wait(self, poll: "select.poll", until: float) -> int | None:
        while self._clock.processor_left_s is not None:
            look_at = awake.now() + self._look_s
            ready = super()._wait(poll, min(until, look_at))
            if ready is not None or look_at >= until:
                return ready
            used_s = self._used_s() or 0.0
            left_s = self._clock.processor_left_s - used_s
            if left_s < 0:
                self._clock.note_timeout()
                self._process.end(0)
                raise self._clock.processor_timeout(used_s)
            self._plan_look(left_s)
        return super()._wait(poll, until)

    def _plan_look(self, left_s: float) -> None:
        self._look_s = min(LOOK_S, max(LEAST_S, left_s / self._tree.cores()))

    def _used_s(self) -> float | None:
        if self._clock.processor_left_s is None:
            return None
        return max(0.0, self._tree.processor_s() - self._processor_s)


class BotProcess:
    """A bot's process, and the wire to it."""

    def __init__(self, spawner: SpawnerClient, words: Sequence[str], keep: bool, is_program: bool) -> None:
        """Starts the process, for several matches if `keep`."""
        self.spawner, self.keep, self.is_program = spawner, keep, is_program
        self.tree = spawner.tree
        self.began = time.monotonic()  # when the process was started, by the monotonic clock
        self.greeted = False
        self.python = False  # whether the bot has chosen the Python form of the protocol
        self.rest = b""  # what the bot has sent beyond the last answer
        self.input_closed = False
        self.ended: BotEnd | None = None  # how the process ended; None before
        source, theirs = os.pipe()
        ours, target = os.pipe()
        self.source, self.target = source, target
        spawner.start(words, (ours, theirs))
        os.close(theirs)
        os.close(ours)
        os.set_blocking(target, False)
        self.readable = select.poll()  # waits until the bot has answered, or closed the wire
        self.readable.register(source, select.POLLIN)
        self.readable.register(target, 0)
        self.writable = select.poll()  # waits until the bot can receive more
        self.writable.register(target, select.POLLOUT)
        for poll in (self.readable, self.writable):
            poll.register(spawner.fileno(), select.POLLIN)  # a process forked by the bot may hold its pipes

    def end(self, grace_s: float) -> BotEnd:
        """Kills the process on the first call, and returns how it ended; see `SpawnerClient.end`."""
        if self.ended is None:
            self.ended = self.spawner.end(grace_s)
        return self.ended

    def close(self) -> SpawnerClient:
        """Kills the process and everything that it has started; returns the spawner, which may also have ended."""
        if self.spawner.alive:
            with suppress(HelperLostError, SystemLimitError):
                self.end(0)
        os.close(self.source)
        os.close(self.target)
        return self.spawner
