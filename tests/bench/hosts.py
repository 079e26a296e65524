"""Measures the cost of a decision in each host."""

import os
import shutil
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Game, Options
from tourney.hosts.base import BotSpec, create_host
from tourney.hosts.clocks import MatchTime, Timekeeper
from tourney.hosts.limits import Limits
from tourney.plugins.registry import load_game

WIRE = Path(__file__).parent.parent.parent / "bots" / "wire"
DECISIONS = 5000
UNLIMITED = Limits()
LIMITED = Limits(move_ms=60_000)  # a limit on the time of decisions, which none of these reaches


def costs() -> dict[str, float]:
    """Returns the microseconds of a decision in each host, for a bot that is asked in matches of vole."""
    first = BotSpec("first", "first", {}, (), "process", folder=Path(), games=("vole",))
    here, *others = sorted(os.sched_getaffinity(0))
    other = others[0] if others else here
    inline = msgspec.structs.replace(first, host="inline")
    found = {
        "inline": cost(inline, (here, here), UNLIMITED),
        "process, worker's core": cost(first, (here, here), UNLIMITED),
        "process, another core": cost(first, (here, other), UNLIMITED),
        "inline, limited": cost(inline, (here, here), LIMITED),
        "process, worker's core, limited": cost(first, (here, here), LIMITED),
    }
    for name, words in (("Python", (sys.executable, "random_bot.py")), ("Node", ("node", "first_bot.js"))):
        if shutil.which(words[0]) is not None:
            program = BotSpec(name, "", {}, words, "process", folder=WIRE, games=("vole",))
            found[f"program in {name}, worker's core"] = cost(program, (here, here), UNLIMITED)
    return found


def cost(spec: BotSpec, cores: tuple[int, int], limits: Limits) -> float:
    """Returns the microseconds of a decision, without the table's own work.

    `cores` are the worker's and the bot's.
    """
    game = load_game("vole")
    options = game.options(2, {})
    questions = _questions(game, options)
    facts = SeatFacts(game, options, 2, 0, Random(1))
    before = os.sched_getaffinity(0)
    host = create_host(msgspec.structs.replace(spec, limits=limits), None)
    try:
        os.sched_setaffinity(0, {cores[1]})  # a bot's process stays on the core that the worker is on when it starts
        (clock,) = MatchTime([limits], Timekeeper()).clocks
        facts = facts._replace(clock=clock.reading())
        bot = host.begin(facts, 1, clock if host.needs_clock else None)
        os.sched_setaffinity(0, {cores[0]})
        start = time.perf_counter()
        for view, legal in questions:
            bot.act(view, legal)
        seconds = time.perf_counter() - start
        bot.close()
    finally:
        os.sched_setaffinity(0, before)
        host.close()
    return seconds / DECISIONS * 1e6


def _questions(game: Game, options: Options) -> list[tuple[Any, tuple[int, ...]]]:
    """Returns what seat 0 is asked in random matches, one after the other: views, each with the legal actions."""
    found: list[tuple[Any, tuple[int, ...]]] = []
    rng = Random(5)
    while len(found) < DECISIONS:
        state = game.start(2, options, rng.getrandbits(64))
        while state.seat is not None:
            legal = state.legal()
            if state.seat == 0:
                found.append((state.view(0), tuple(legal)))
            state.apply(rng.choice(legal))
    return found[:DECISIONS]
