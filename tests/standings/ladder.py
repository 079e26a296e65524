"""Measures ladders against round-robins: how many matches until all neighbours are decided, and how many wrongly.

`python -m tests.standings.ladder play GAME SEATS ENTRANTS [--runs N]` plays tournaments between bots that play as
`steady` does in a share of their decisions, from none to all in even steps, and at random in the others.

`python -m tests.standings.ladder simulate SPREAD SEATS ENTRANTS [--runs N]` draws the strengths from a normal
distribution with that standard deviation in Elo points, anew in each run, and then the results. At 0 all bots are
equal, and every order is wrong.

Both print a line for the ladder, and one for a round-robin that ends when its neighbours are decided by the same rule,
asked whenever a quarter more deals were played; `--groups` says how many groups meet in it on every deal. `--sure`,
`--equal-elo` and `--max-matches` are the ladder's keys.
"""

import argparse
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import chain, count
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple, TypeAlias

from msgspec import to_builtins
from msgspec.structs import replace

from tests.schedule import drawn
from tests.standings.simulate import counts_of, luck, player
from tourney import config
from tourney.config import Tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import blocks_of_groups
from tourney.schedule.ladder import Ladder, LadderOptions, Neighbours, neighbours
from tourney.schedule.round_robin import RoundRobin, RoundRobinOptions
from tourney.standings.ratings import ELO_PER_NAT, Ratings

Places: TypeAlias = Callable[[Block], list[tuple[int, ...]]]
"""Plays a block, and returns the places of each of its matches."""

FIRST_DEALS = 20
"""After how many deals a round-robin is asked for the first time."""


class Result(NamedTuple):
    """How a tournament ended."""

    matches: int
    sure: int
    """How many pairs of neighbours are said to be in their order."""
    wrong: int
    """How many of them are not."""
    equal: int
    """How many pairs are called equal."""
    undecided: int


def result(tournament: Tournament, matches: int, pairs: list[Neighbours], equals: bool) -> Result:
    """Returns the result by the ladder's keys; true strengths rise in the order of the file, or are all equal."""
    options: LadderOptions = tournament.format_options
    verdicts = [pair.verdict(options.sure, options.equal_elo) for pair in pairs]
    wrong = [
        equals or pair.upper < pair.lower for pair, verdict in zip(pairs, verdicts, strict=True) if verdict == "sure"
    ]
    return Result(matches, len(wrong), sum(wrong), verdicts.count("equal"), verdicts.count(None))


def ladder(tournament: Tournament, places: Places, equals: bool = False) -> Result:
    """Plays a ladder to its end."""
    plan, matches = Ladder(tournament), 0
    for block in chain.from_iterable(plan.rounds()):
        for seats, each in zip(block.seatings, places(block), strict=True):
            plan.note(block.number, seats, each)
            matches += 1
    return result(tournament, matches, plan.neighbours(), equals)


def round_robin(tournament: Tournament, places: Places, equals: bool = False, groups: int | None = None) -> Result:
    """Plays a round-robin between the entrants of a ladder until all neighbours are decided by the ladder's keys."""
    options: LadderOptions = tournament.format_options
    plan = RoundRobin(replace(tournament, format="round-robin", format_options=RoundRobinOptions(groups), deals=1))
    matches, ask, results = 0, FIRST_DEALS, []
    for deals in count(1):
        for block in blocks_of_groups(tournament, lambda setup, _: plan.groups(setup), len(results), deals - 1, 1):
            results.append((block, places(block)))
            matches += len(block.seatings)
        if deals == ask:
            ratings = Ratings(counts_of(tournament, results).batches(), [Fraction(1)])
            ended = result(tournament, matches, neighbours(ratings, dict.fromkeys(ratings.bots, deals)), equals)
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


def real(game: str, seats: int, entrants: int, seed: int, options: LadderOptions) -> tuple[Tournament, Places]:
    """Returns a tournament of a game between mixtures of `steady` and `random`, and what plays it."""
    mixture = '{{name = "bot-{}", use = "coverage_bots.py:Mixture", options = {{share = {}}}}}'
    bots = ", ".join([mixture.format(i, i / (entrants - 1)) for i in range(entrants)])
    text = f'name = "ladder"\nseed = {seed}\nbot = [{bots}]\n[[game]]\nname = "{game}"\nseats = {seats}\n'
    given = replace(config.parse(text, Path(__file__)), format="ladder", format_options=options)
    play = player(given)
    return given, lambda block: [record.places for record in play(block)]


def line(name: str, results: list[Result]) -> str:
    """Returns the results of some runs in a line."""
    sums = [sum(column) for column in zip(*results, strict=True)]
    return (
        f"{name}: {len(results)} runs, {fmean([each.matches for each in results]):.0f} matches each; pairs: "
        f"{sums[1]} sure, {sums[2]} of them wrong, {sums[3]} equal, {sums[4]} undecided"
    )


def main() -> None:
    """Plays or simulates the tournaments, and prints a line for each format."""
    parser = argparse.ArgumentParser(prog="python -m tests.standings.ladder", description=__doc__)
    parser.add_argument("kind", choices=("play", "simulate"))
    parser.add_argument("what", help="the game, or the spread in Elo points")
    parser.add_argument("seats", type=int)
    parser.add_argument("entrants", type=int)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--round-robins", type=int, help="default: as many as runs")
    parser.add_argument("--groups", type=int)
    parser.add_argument("--sure", type=float, default=LadderOptions().sure)
    parser.add_argument("--equal-elo", type=float, default=LadderOptions().equal_elo)
    parser.add_argument("--max-matches", type=int, default=10**7)
    given = parser.parse_args()
    options = LadderOptions(given.sure, given.equal_elo, given.max_matches)
    round_robins = given.runs if given.round_robins is None else given.round_robins
    make = partial(simulated, float(given.what)) if given.kind == "simulate" else partial(real, given.what)
    equals = given.kind == "simulate" and float(given.what) == 0
    meet = partial(round_robin, groups=given.groups)
    for name, runs, run in (("ladder", given.runs, ladder), ("round-robin", round_robins, meet)):
        fields = [make(given.seats, given.entrants, seed, options) for seed in range(runs)]
        if fields:
            print(line(name, [run(*field, equals) for field in fields]), flush=True)


if __name__ == "__main__":
    main()
