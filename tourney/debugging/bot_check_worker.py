"""A process that plays matches once more, and watches one bot closely: how long it thinks, and what it leaves behind.

`tourney.debugging.bot_check` starts it as `python -m tourney.debugging.bot_check_worker`, and reads
a line of JSON a match from it.
"""

import os
import pickle
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tourney import config
from tourney.bot import Outcome, SeatFacts
from tourney.config import Tournament
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.inline import InlineBot
from tourney.match import Block
from tourney.plugins import load_game
from tourney.table import BotFactory, play

ENDING_S = 0.5
"""Threads and processes that have ended so long after a match are not held against a bot."""


class Job(NamedTuple):
    """What to play, and whom to watch."""

    tournament: Tournament
    name: str
    """The bot that is watched."""
    inline: bool
    """Whether it lives in this process, and can leave something here."""
    blocks: list[Block]


class Watched(BotHost):
    """A bot's host with somebody watching."""

    def __init__(self, inner: BotFactory) -> None:
        """`inner` gives the bot."""
        self._inner = inner
        self.in_worker = not isinstance(inner, BotHost) or inner.in_worker
        self.took_ns: list[int] = []
        self.changed: dict[str, None] = {}

    def begin(self, facts: SeatFacts, rng_seed: int) -> "_WatchedHost":
        """A new bot, watched."""
        inner = self._inner
        host: HostedBot = inner.begin(facts, rng_seed) if isinstance(inner, BotHost) else InlineBot(inner, facts)
        return _WatchedHost(host, self)


class _WatchedHost:
    def __init__(self, host: HostedBot, notes: Watched) -> None:
        self._host = host
        self._notes = notes
        self.close = host.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        before = repr(view)
        begun = time.perf_counter_ns()
        action = self._host.act(view, legal)
        self._notes.took_ns.append(time.perf_counter_ns() - begun)
        if repr(view) != before:
            self._notes.changed["the view that it was given"] = None
        return action

    def end(self, outcome: Outcome) -> None:
        self._host.end(outcome)


def main() -> None:
    """Plays the job that comes on stdin."""
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what bots print does not get among the lines
    job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the process that started this one
    makers = config.makers(job.tournament)
    for block in job.blocks:
        for match in block.matches():
            watched = Watched(makers[job.name])
            game = load_game(match.setup.game)
            before = _traces(game)
            record = play(match, game, [watched if name == job.name else makers[name] for name in match.seats])
            left = _left(before, lambda: _traces(game)) if job.inline else []  # noqa: B023 - called at once
            told = {
                "match": match.id,
                "line": record.line().decode(),
                "took_ns": watched.took_ns,
                "left": [*watched.changed, *left],
            }
            wire.write(orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))
            wire.flush()


def _traces(game: object) -> dict[str, Any]:
    """What a bot should leave as it was, by what one calls it."""
    return {
        "threads": threading.active_count(),
        "processes": Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii"),
        "open files": len(os.listdir("/proc/self/fd")),
        "the working folder": os.getcwd(),
        "the environment": dict(os.environ),
        "sys.path": list(sys.path),
        "the state of the module random": random.getstate(),
        "signal handlers": [signal.getsignal(number) for number in signal.valid_signals()],
        "the recursion limit": sys.getrecursionlimit(),
        "the game that it was given": dict(getattr(game, "__dict__", {})),  # compiled ones have none
    }


def _left(before: dict[str, Any], look: Callable[[], dict[str, Any]]) -> list[str]:
    """What is not as it was; threads and processes are given a moment to end."""
    until = time.monotonic() + ENDING_S
    after = look()
    while after != before and time.monotonic() < until:
        time.sleep(ENDING_S / 10)
        after = look()
    return [name for name in before if before[name] != after[name]]


if __name__ == "__main__":
    main()
