"""Tries a tournament out: every entrant plays two matches or more of each game; nothing is written."""

from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

import msgspec

from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, GameSetup
from tourney.contracts.rng import derive
from tourney.journal.times import Times
from tourney.runner.workers import Workers
from tourney.schedule.base import schedule
from tourney.schedule.seatings import Group


class TriedFaults(NamedTuple):
    """The faults of one entrant."""

    number: int
    first: Fault
    setup: GameSetup
    """What was played when it made the first."""


class DryRun(NamedTuple):
    """What was found."""

    matches: int
    """How many matches were played."""
    seconds: float
    """How long the whole tournament may take."""
    times: Times
    faults: dict[str, TriedFaults]
    """By entrant, in the order of the file."""


def try_out(tournament: Tournament, workers: Workers) -> DryRun:
    """Plays the matches, game by game, on deals that the tournament does not have."""
    played, weighted, seconds = 0, 0, 0.0
    found: dict[str, TriedFaults] = {}
    with workers.pool(tournament) as pool:
        for _ in pool.play(iter(())):  # until the workers have loaded the bots
            pass
        for setup in tournament.setups:
            blocks = list(_blocks(tournament, setup, played))
            began = monotonic()
            for some in pool.play(iter(blocks)):
                for match in () if some is None else some.played():
                    for fault in match.faults:
                        name = match.seats[fault.seat]
                        before = found.get(name, TriedFaults(0, fault, setup))
                        found[name] = before._replace(number=before.number + 1)
            played += len(blocks)
            alone = schedule(msgspec.structs.replace(tournament, setups=(setup,), weights=())).most_matches
            at_once = min(workers.count, len(blocks))
            seconds += alone * (monotonic() - began) * at_once / len(blocks) / workers.count
            weighted += alone
    most = schedule(tournament).most_matches
    faults = {name: found[name] for name in tournament.names if name in found}
    return DryRun(played, seconds * most / weighted, pool.times, faults)


def _blocks(tournament: Tournament, setup: GameSetup, first: int) -> Iterator[Block]:
    """Blocks of one match, in which every entrant sits twice, and some once more where they do not fill the tables."""
    for number, group in enumerate(_groups(tournament.names, setup.seats), first):
        yield Block(number, setup, derive(tournament.seed, "dry run", setup.game, number), (group,))


def _groups(names: Group, seats: int) -> Iterator[Group]:
    for start in range(0, 2 * len(names), seats):
        again = start >= len(names) and not len(names) % seats  # then others meet, or in other seats
        yield tuple([names[(start + again + seat) % len(names)] for seat in range(seats)])
