"""The bot's side of the wire protocol, for Python bots: asks the bot what the table asks.

The bot has the same objects in its hands as in the worker: views, legal actions, facts. What it prints goes to stderr.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import orjson

from tourney.bot import Outcome, SeatFacts
from tourney.errors import ConfigError, TourneyError
from tourney.hosts import protocol
from tourney.hosts.fault_kinds import as_action, kind_of, raised
from tourney.plugins import load_bot, load_game

CHUNK = 1 << 16


def load(told: dict[str, Any]) -> Callable[[], Any]:
    """What makes the bot that is told as `use`, `folder`, `options`; loads its `games` as well."""
    for name in told["games"]:
        game = load_game(name)
        with suppress(ConfigError):
            game.options(game.seats[0], {})  # the first time takes milliseconds, which a fork need not take again
    return load_bot(told["use"], Path(told["folder"])).maker(told["options"], told["where"])


def main() -> None:
    """Serves the bot that the first argument tells, in JSON: a process of its own for one match.

    With a second argument, it only says whether there is such a bot, and which games it plays.
    """
    told = orjson.loads(sys.argv[1])
    sys.path[:] = told["path"]
    source, target = private_wire()
    if len(sys.argv) > 2:
        os.write(target, orjson.dumps(examined(told)))
    else:
        serve(load(told), source, target)


def examined(told: dict[str, Any]) -> dict[str, Any]:
    """The bot's games (None: every game), or an error in one line."""
    try:
        load(told)
        return {"games": load_bot(told["use"], Path(told["folder"])).games}
    except TourneyError as error:
        return {"error": str(error)}


def private_wire() -> tuple[int, int]:
    """Takes the wire away from stdin and stdout, so that nothing that the bot prints gets on it."""
    wire = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return wire


def serve(make: Callable[[], Any], source: int, target: int) -> None:
    """Answers the messages that come from the one file descriptor on the other, until there are no more."""
    server = _Server(make)
    rest = b""
    with suppress(OSError):  # the bot has closed the wire
        while data := os.read(source, CHUNK):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                reply = server.answer(orjson.loads(line))
                while reply:
                    reply = reply[os.write(target, reply) :]
                if server.out:
                    return


class _Server:
    """One bot in one match."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._bot: Any = None
        self._count = 0
        self.out = False

    def answer(self, message: dict[str, Any]) -> bytes:
        """The line that answers the message; a fault where the bot raises something."""
        kind = message["type"]
        try:
            if kind == "act":
                return self._act(message)
            if kind == "start":
                self._start(message)
            elif kind == "end":
                self._end(message)
            else:
                return b'{"type":"hello","protocol":%d,"form":"python"}\n' % protocol.VERSION
        except BaseException as error:  # a bot may raise anything, SystemExit too
            return self._fault(kind, message, *raised(error))
        return b'{"type":"%b"}\n' % kind.encode()

    def _start(self, message: dict[str, Any]) -> None:
        game = load_game(message["game"])
        self._count = len(game.names)
        options = game.options(message["seats"], message["options"])
        facts = SeatFacts(game, options, message["seats"], message["seat"], Random(int(message["rng"], 16)))
        self._bot = self._make()
        begin = getattr(self._bot, "start", None)
        if begin is not None:
            begin(facts)

    def _act(self, message: dict[str, Any]) -> bytes:
        legal = tuple(message["legal"])
        chosen = self._bot.act(protocol.view_of(message["view"]), legal)
        if type(chosen) is not int or chosen not in legal:
            action = as_action(chosen, self._count)
            if action is None:
                return self._fault("act", message, "illegal", kind_of(chosen))
            chosen = action
        return b'{"type":"act","decision":%d,"action":%d}\n' % (message["decision"], chosen)

    def _end(self, message: dict[str, Any]) -> None:
        end = getattr(self._bot, "end", None)
        if end is not None:
            end(Outcome(tuple(message["scores"]), tuple(message["places"])))

    def _fault(self, kind: str, message: dict[str, Any], fault: str, detail: str) -> bytes:
        """Tells of a fault; the bot is out then."""
        self.out = True
        found = {"type": kind, "decision": message.get("decision"), "fault": fault, "detail": detail}
        return orjson.dumps(found, option=orjson.OPT_APPEND_NEWLINE)
