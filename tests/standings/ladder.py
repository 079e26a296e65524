"""Ladders against round-robins: how many matches until all neighbours are decided, and how many wrongly."""

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, count
from random import Random
from typing import NamedTuple, TypeAlias

from msgspec import to_builtins
from msgspec.structs import replace

from tests.schedule import drawn
from tests.standings.simulate import counts_of, luck
from tourney.config import Tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import blocks_of_groups
from tourney.schedule.ladder import Ladder, LadderOptions, Neighbours, neighbours
from tourney.schedule.round_robin import RoundRobin, RoundRobinOptions
from tourney.standings.ratings import ELO_PER_NAT, Ratings

Places: TypeAlias = Callable[[Block], list[tuple[int, ...]]]
"""Plays a block, and returns the places of each of its matches."""

FIRST_DEALS = 20  # after how many deals a round-robin is asked for the first time


class Result(NamedTuple):
    """How a tournament ended."""

    matches: int
    wrong: int  # how many pairs of neighbours are said to be in an order that is not theirs
    undecided: int


def result(tournament: Tournament, matches: int, pairs: list[Neighbours]) -> Result:
    """Returns the result by the ladder's keys; true strengths rise in the order of the file."""
    options: LadderOptions = tournament.format_options
    verdicts = [pair.verdict(options.sure, options.equal_elo) for pair in pairs]
    wrong = [pair.upper < pair.lower for pair, verdict in zip(pairs, verdicts, strict=True) if verdict == "sure"]
    return Result(matches, sum(wrong), verdicts.count(None))


def ladder(tournament: Tournament, places: Places) -> Result:
    """Plays a ladder to its end."""
    plan, matches = Ladder(tournament), 0
    for block in chain.from_iterable(plan.rounds()):
        for seats, each in zip(block.seatings, places(block), strict=True):
            plan.note(block.number, seats, each)
            matches += 1
    return result(tournament, matches, plan.neighbours())


def round_robin(tournament: Tournament, places: Places) -> Result:
    """Plays a round-robin between the entrants of a ladder until all neighbours are decided by the ladder's keys."""
    options: LadderOptions = tournament.format_options
    plan = RoundRobin(replace(tournament, format="round-robin", format_options=RoundRobinOptions(None), deals=1))
    matches, ask, results = 0, FIRST_DEALS, []
    for deals in count(1):
        for block in blocks_of_groups(tournament, lambda setup, _: plan.groups(setup), len(results), deals - 1, 1):
            results.append((block, places(block)))
            matches += len(block.seatings)
        if deals == ask:
            ratings = Ratings(counts_of(tournament, results).batches(), [Fraction(1)])
            ended = result(tournament, matches, neighbours(ratings, dict.fromkeys(ratings.bots, deals)))
            if not ended.undecided or matches >= options.max_matches:
                return ended
            ask += max(1, deals // 4)
    raise AssertionError


def simulated(spread: float, seats: int, entrants: int, seed: int, options: LadderOptions) -> tuple[Tournament, Places]:
    """Returns a tournament without a game, and what draws its results (Plackett-Luce)."""
    given = drawn.tournament(entrants, [seats], 10, seed, "ladder", **to_builtins(options))
    rng = Random(seed)
    strengths = dict(zip(given.names, sorted([rng.gauss(0, spread / ELO_PER_NAT) for _ in given.names]), strict=True))
    return given, lambda block: [
        places_by([strengths[name] + luck(rng) for name in seated]) for seated in block.seatings
    ]
