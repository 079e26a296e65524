"""The bot's side of the wire protocol, for Python bots in their own processes.

The bot receives the same objects as in the worker: views, legal actions, facts. Its prints go to stderr.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from io import FileIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from tourney.base.errors import TourneyError
from tourney.contracts.bot import Clock, Noted, Outcome, SeatFacts, UnavailableError
from tourney.hosts.faults import as_action, describe_answer, fault_of, formatted
from tourney.hosts.notes import plain
from tourney.hosts.process import protocol
from tourney.plugins import entry_points
from tourney.plugins.registry import load_bot, load_game

CHUNK = 1 << 16


def main() -> None:
    """Serves the bot that the first argument describes, in JSON (`host.python_bot`), for a match, or for several.

    With the second argument `examine`, it only reports whether the bot exists, and which games it plays.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # it comes from outside, and is not the bot's exception
    bot = msgspec.json.decode(sys.argv[1])
    sys.path[:] = bot["path"]
    source, target = take_wire()
    if "examine" in sys.argv[2:]:
        try:
            load(bot)
            answer: dict[str, Any] = {"games": load_bot(bot["use"], Path(bot["folder"])).games}
        except TourneyError as error:
            answer = {"error": str(error)}
        os.write(target, msgspec.json.encode(answer))
        return
    try:
        make = load(bot)
    except BaseException as error:  # a bot may raise anything while it is imported
        sys.stderr.write(f"{load_failure(error)}\n")
        sys.exit(1)
    serve(make, source, target)


def load(bot: dict[str, Any]) -> Callable[[], Any]:
    """Loads a bot and its games from their description, and returns a function that makes the bot."""
    entry_points.take(bot["entry_points"])
    for name in bot["games"]:
        game = load_game(name)
        with suppress(Exception):  # these need not be the options that will be played with
            game.options(game.seats[0], {})  # the first call takes milliseconds, which forks then save
    return load_bot(bot["use"], Path(bot["folder"])).maker(bot["options"], bot["where"])


def load_failure(error: BaseException) -> str:
    """Returns the traceback of an exception of `load`: of the bot's own exception if there is one."""
    return formatted(error.__context__ if isinstance(error, TourneyError) and error.__context__ else error)


def take_wire() -> tuple[int, int]:
    """Moves the wire from stdin and stdout to other file descriptors, so the bot's prints are not on it.

    Returns the descriptors to read messages from and to write answers to.
    """
    wire = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    renew_output()
    return wire


def renew_output() -> None:
    """Renews `sys.stdout` and `sys.stderr`: without buffers, because a signal kills the process.

    The old ones may have been made for seekable files, or by a bot that has played before.
    """
    sys.stdout = sys.__stdout__ = _unbuffered(1)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _unbuffered(2)  # type: ignore[misc]


def _unbuffered(target: int) -> TextIOWrapper:
    raw = FileIO(target, "w", closefd=False)
    return TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)


def serve(make: Callable[[], Any], source: int, target: int) -> None:
    """Answers the messages from one file descriptor on the other, until they end or the bot is done."""
    server = BotServer(make)
    reader = protocol.MessageReader()
    rest = b""
    with suppress(OSError):  # the bot has closed the wire
        while data := os.read(source, CHUNK):
            rest += data
            while rest and (parsed := reader.next_message(rest)):
                message, rest = parsed
                reply = server.answer(message)
                while reply:
                    reply = reply[os.write(target, reply) :]
                if server.done:
                    return


STARTED = b'{"type":"start","form":"python"}\n'
"""The key of the bot's form in its answer to `start`, over HTTP without `hello`."""


class BotServer:
    """One bot in one match after another, asked by messages."""

    def __init__(self, make: Callable[[], Any], is_service: bool = False) -> None:
        """Waits for the message that starts the match; `make` makes the bot then, which may ask a service."""
        self._make = make
        self._is_service = is_service
        self._bot: Any = None
        self._clock: BotClock | None = None  # where the bot's decisions have a limit of time
        self._actions = 0  # the number of actions that the game has
        self._error: BaseException | None = None  # the bot's exception; it is not asked again
        self.done = False  # whether the bot has nothing left to answer

    def answer(self, message: dict[str, Any]) -> bytes:
        """Returns the line that answers a message; if the bot raises an exception, the line reports a fault.

        Raises:
            UnavailableError: The service that the bot asks is away.
        """
        kind = message["type"]
        try:
            if kind == "act":
                return self.reply(message, self._choice(message))
            if kind == "start":
                self._start(message)
                return STARTED
            if kind == "end":
                self._end(message)
            elif kind == "reset":
                self._bot = self._clock = None
                renew_output()
            elif kind == "traceback":
                return self._traceback()
            else:
                return b'{"type":"hello","protocol":%d,"form":"python"}\n' % protocol.VERSION
        except BaseException as error:  # a bot may raise anything, even SystemExit
            if self._is_service and isinstance(error, UnavailableError):
                raise
            return self.fault(message, error)
        return b'{"type":"%b"}\n' % kind.encode()

    def _start(self, message: dict[str, Any]) -> None:
        facts = facts_of(message)
        if "clock" in message:
            self._clock = BotClock(message["clock"])
            facts = facts._replace(clock=self._clock.reading())
        self._actions = len(facts.game.names)
        self._bot = self._make()
        start = getattr(self._bot, "start", None)
        if start is not None:
            start(facts)

    def _choice(self, message: dict[str, Any]) -> Any:
        if self._clock is None:
            return self._bot.act(message["view"], message["legal"])
        self._clock.begin(message["left_ms"])
        chosen = self._bot.act(message["view"], message["legal"])
        self._clock.finish()
        return chosen

    def reply(self, message: dict[str, Any], chosen: Any) -> bytes:
        """Returns the line with the bot's choice, which may be anything."""
        if type(chosen) is not int or chosen not in message["legal"]:
            action = as_action(chosen, self._actions)
            if action is None:
                return _fault_line(message, "illegal", describe_answer(chosen))
            if type(chosen) is Noted:
                answer = {"type": "act", "decision": message["decision"], "action": action, "note": plain(chosen.note)}
                return msgspec.json.encode(answer) + b"\n"
            chosen = action
        return b'{"type":"act","decision":%d,"action":%d}\n' % (message["decision"], chosen)

    def _end(self, message: dict[str, Any]) -> None:
        end = getattr(self._bot, "end", None)
        if end is not None:
            end(Outcome(tuple(message["scores"]), tuple(message["places"])))

    def fault(self, message: dict[str, Any], error: BaseException) -> bytes:
        """Returns the line that reports the bot's exception."""
        self._error = error
        return _fault_line(message, *fault_of(error))

    def _traceback(self) -> bytes:
        self.done = True
        text = "" if self._error is None else formatted(self._error)
        return msgspec.json.encode({"type": "traceback", "text": text}) + b"\n"


def facts_of(message: dict[str, Any]) -> SeatFacts:
    """Returns the facts in a `start` message, without a clock."""
    game = load_game(message["game"])
    options = game.options(message["seats"], message["options"])
    return SeatFacts(game, options, message["seats"], message["seat"], Random(int(message["rng"], 16)))


def _fault_line(message: dict[str, Any], fault: str, detail: str) -> bytes:
    with suppress(Exception):  # the bot may have put anything in its place
        sys.stdout.flush()  # because this process may be killed at any time now
    report = {"type": message["type"], "decision": message.get("decision"), "fault": fault, "detail": detail}
    return msgspec.json.encode(report) + b"\n"


class BotClock:
    """The bot's remaining time, as its own process knows it.

    The worker sends its terms once, and the time left with each decision; from there it runs down here.
    """

    def __init__(self, terms: dict[str, Any]) -> None:
        self._now = time.process_time if terms["processor"] else time.monotonic
        self._bank_ms = terms["bank_ms"]
        self._increment_ms = terms["increment_ms"]
        self._move_ms = terms["move_ms"]
        self._left_s: float = (self._move_ms if self._bank_ms is None else self._bank_ms) / 1000
        self._begun: float | None = None  # when the decision started, in the measured time

    def reading(self) -> Clock:
        """Returns the clock that the bot reads."""
        bank_s = None if self._bank_ms is None else self._bank_ms / 1000
        move_s = None if self._move_ms is None else self._move_ms / 1000
        processor = self._now is time.process_time
        return Clock(self.left_s, bank_s, self._increment_ms / 1000, move_s, processor)

    def begin(self, left_ms: int) -> None:
        """Starts the clock for a decision, with the time left by the worker's account."""
        self._left_s = left_ms / 1000
        self._begun = self._now()

    def finish(self) -> None:
        """Stops the clock after a decision."""
        left_s = self.left_s()
        self._begun = None
        self._left_s = (self._move_ms if self._bank_ms is None else left_s * 1000 + self._increment_ms) / 1000

    def left_s(self) -> float:
        """Returns how many seconds are left now."""
        gone = 0.0 if self._begun is None else self._now() - self._begun
        return max(0.0, self._left_s - gone)
