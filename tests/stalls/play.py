"""Plays a table of bots that stall and innocent ones, and tells who is charged."""

from pathlib import Path

import orjson

from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.schedule.base import schedule

BOTS = Path(__file__).with_name("bots.py")
TABLES = {2: ("vole", {"target": 6}, 3.0), 4: ("voleur", {"target": 5}, 3.0)}
"""By the number of seats: the game, its options, and `match_s`, of which innocents need a tenth on a quiet machine."""
NEARLY_S = 0.03  # how much of `match_s` a staller leaves to the others, in seconds
SLACK_S = 0.5
"""How much longer than `match_s` a match may take where no clock is read: inline, without limits of their own."""


def lineup(host: str, seats: int, way: str, think_ms: int) -> dict[str, str]:
    """The lines of each entrant, the staller first."""
    until_s = TABLES[seats][2] - NEARLY_S + (SLACK_S if host == "inline" else 0)
    staller = f'use = "{BOTS}:Staller"\nhost = "{host}"\noptions = {{ way = "{way}", until_s = {until_s} }}'
    innocent = f'use = "{BOTS}:Innocent"\nhost = "{host}"\noptions = {{ think_ms = {think_ms} }}'
    return {"staller": staller} | {f"innocent-{number}": innocent for number in range(1, seats)}


def charged(host: str, seats: int, way: str, think_ms: int) -> set[str]:
    """The names of those who are charged at a table where one bot stalls in this way, in all seatings of a deal."""
    game, options, match_s = TABLES[seats]
    bots = lineup(host, seats, way, think_ms)
    tables = "".join([f'[[bot]]\nname = "{name}"\n{lines}\n' for name, lines in bots.items()])
    keys = ", ".join([f"{key} = {value}" for key, value in options.items()])
    text = (
        f'name = "clocks"\nseed = "clocks"\ndeals = 1\n{tables}[limits]\nmatch_s = {match_s}\n'
        f'[[game]]\nname = "{game}"\nseats = {seats}\noptions = {{ {keys} }}\n'
    )
    chosen = config.parse(text, BOTS.parent / "clocks.toml")
    with local_pool(chosen, 2) as pool:
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
    records = [orjson.loads(line) for line in lines.splitlines()]
    return {record["seats"][fault["seat"]] for record in records for fault in record["faults"]}
