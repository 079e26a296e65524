"""What a decision costs in each host."""

import os
import shutil
import sys
import time
from pathlib import Path
from random import Random

from tourney.bot import SeatFacts
from tourney.hosts.base import BotHost, BotSpec, Limits
from tourney.hosts.factory import create_host
from tourney.hosts.inline import InlineBot
from tourney.plugins import load_game

WIRE = Path(__file__).parent.parent.parent / "bots" / "wire"
ASKED = 5000


def costs() -> dict[str, float]:
    """Microseconds that a decision takes in each host, for a bot that is asked at the start of vole."""
    first = BotSpec("first", "process", "first", {}, (), Path(), ("vole",))
    here, *others = sorted(os.sched_getaffinity(0))
    other = others[0] if others else here
    inline = first._replace(host="inline")
    found = {
        "inline": asked(inline, (here, here)),
        "process, worker's core": asked(first, (here, here)),
        "process, another core": asked(first, (here, other)),
    }
    for name, words in (("Python", (sys.executable, "random_bot.py")), ("Node", ("node", "first_bot.js"))):
        if shutil.which(words[0]) is not None:
            program = BotSpec(name, "process", "", {}, words, WIRE, ("vole",))
            found[f"program in {name}, worker's core"] = asked(program, (here, here))
    return found


def asked(spec: BotSpec, cores: tuple[int, int]) -> float:
    """Microseconds that a decision takes, the table's own work left out: worker and bot on these cores."""
    game = load_game("vole")
    options = game.options(2, {})
    state = game.start(2, options, 5)
    view, legal = state.view(0), state.legal()
    facts = SeatFacts(game, options, 2, 0, Random(1))
    before = os.sched_getaffinity(0)
    chosen = create_host(spec, Limits(), None)
    try:
        os.sched_setaffinity(0, {cores[1]})  # a bot's process stays where the worker is when it is started
        host = chosen.begin(facts, 1) if isinstance(chosen, BotHost) else InlineBot(chosen, facts)
        os.sched_setaffinity(0, {cores[0]})
        begun = time.perf_counter()
        for _ in range(ASKED):
            host.act(view, legal)
        seconds = time.perf_counter() - begun
        host.close()
    finally:
        os.sched_setaffinity(0, before)
        if isinstance(chosen, BotHost):
            chosen.close()
    return seconds / ASKED * 1e6
