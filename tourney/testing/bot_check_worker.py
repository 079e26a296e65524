"""The watcher of a bot check: plays matches, and reports how long the bot thinks and what it leaves behind.

`tourney.testing.bot_check` starts it as `python -m tourney.testing.bot_check_worker`, sends it a job, and reads a
line of JSON for each match.
"""

import os
import pickle
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import orjson

from tourney import config
from tourney.base import streams
from tourney.config import Tournament
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.match import Block
from tourney.hosts import linux, prints
from tourney.hosts.base import Act, BotHost, HostedBot
from tourney.hosts.clocks import SeatClock, Timekeeper
from tourney.hosts.faults import Tracebacks
from tourney.hosts.timing import DecisionTimes, timed
from tourney.plugins.registry import load_game
from tourney.table.table import play
from tourney.testing.elsewhere import end_with_stdin

ENDING_S = 0.5
"""How long a bot's threads and processes may take to end after a match, in seconds."""


class WatchJob(NamedTuple):
    """What to play, and which bot to watch."""

    tournament: Tournament
    name: str
    """The entrant whose bots are watched."""
    in_worker: bool
    """Whether its bots run in this process, where they may leave something behind."""
    blocks: list[Block]


class WatchedHost(BotHost):
    """A host that notes what its bots change."""

    def __init__(self, inner: BotHost, times_ns: list[int]) -> None:
        """Wraps the host that makes the bots; `times_ns` takes the times of decisions for which no clock is read."""
        self._inner = inner
        self._times_ns = times_ns
        self.limits = inner.limits
        self.tracebacks = inner.tracebacks
        self.in_worker = inner.in_worker
        self.changed: dict[str, None] = {}
        """What the bots have changed that they were given, as an ordered set."""

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> "_WatchedBot":
        """Makes a bot that is watched."""
        bot = self._inner.begin(facts, rng_seed, clock)
        return _WatchedBot(bot, timed(bot.act, self._times_ns) if clock is None else bot.act, self)


class _WatchedBot:
    def __init__(self, bot: HostedBot, act: Act, notes: WatchedHost) -> None:
        self._bot = bot
        self._act = act
        self._notes = notes
        self.close = bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        before = repr(tuple(view))
        action = self._act(view, legal)
        if repr(tuple(view)) != before:
            self._notes.changed["the view that it was given"] = None
        return action

    def end(self, outcome: Outcome) -> None:
        self._bot.end(outcome)


def main() -> None:
    """Plays the job that is read from stdin, and writes a report for each match."""
    streams.secure()
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what bots print must not get between the reports
    prints.install()
    job: WatchJob = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the process that started this one
    threading.Thread(target=end_with_stdin, args=(os.dup(0),), daemon=True).start()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    tracebacks = Tracebacks()
    factories = config.create_hosts(job.tournament, tracebacks=tracebacks)
    keeper = Timekeeper()
    for block in job.blocks:
        for match in block.matches():
            watched = WatchedHost(factories[job.name], keeper.times_of(job.name))
            game = load_game(match.setup.game)
            before = _environment(game)
            hosts = [watched if name == job.name else factories[name] for name in match.seats]
            record = play(match, game, hosts, keeper=keeper)
            left = _leftovers(before, lambda: _environment(game)) if job.in_worker else []  # noqa: B023 - called at once
            report = {
                "match": match.id,
                "line": record.line().decode(),
                "times": msgspec.to_builtins(keeper.take()[1].get(job.name, DecisionTimes()), str_keys=True),
                "left": [*watched.changed, *left],
                "traceback": "".join([raised.text for raised in tracebacks.take()[:1]]),
            }
            wire.write(orjson.dumps(report, option=orjson.OPT_APPEND_NEWLINE))
            wire.flush()


def _environment(game: object) -> dict[str, Any]:
    """Returns everything that a bot must leave as it was, by its name in reports."""
    return {
        "threads": threading.active_count(),
        "processes": linux.own_children(),
        "open files": len(linux.open_files()),
        "the working folder": os.getcwd(),
        "the environment": dict(os.environ),
        "sys.path": list(sys.path),
        "the state of the module random": random.getstate(),
        "signal handlers": [signal.getsignal(number) for number in signal.valid_signals()],
        "the recursion limit": sys.getrecursionlimit(),
        "the game that it was given": dict(getattr(game, "__dict__", {})),  # compiled ones have none
    }


def _leftovers(before: dict[str, Any], look: Callable[[], dict[str, Any]]) -> list[str]:
    """Lists what is not as it was before, after giving threads and processes time to end."""
    until = time.monotonic() + ENDING_S
    after = look()
    while after != before and time.monotonic() < until:
        time.sleep(ENDING_S / 10)
        after = look()
    return [name for name in before if before[name] != after[name]]


if __name__ == "__main__":
    main()
