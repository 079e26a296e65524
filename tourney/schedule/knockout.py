"""Knockout: a seeded bracket with byes; the better half of every table goes on until one table is left, the final.

Entrants are seeded in the order of the file. In each round the lowest seeds fill the tables, the best against the
last, and the others have a bye; those who go on from a table take over its best seeds, in the order in which they came
in. For two seats that is the usual bracket: seeds 1 and 2 can meet in the final only, and byes are in the first round.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from tourney.config import Tournament
from tourney.schedule.adaptive import Adaptive, Table
from tourney.schedule.round_results import RoundResults
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak


class Stage(NamedTuple):
    """The shape of a round."""

    byes: int
    """So many of the best seeds rest."""
    going_on: tuple[int, ...]
    """How many go on from each table."""


def stages(entrants: int, seats: int) -> list[Stage]:
    """The rounds of a knockout, the final last. `entrants` is `seats` or more.

    Half of a table goes on (for an odd number of seats one less than stay behind). Where the numbers do not come out
    for a full final, more go on from the last table of a round.
    """
    found = []
    while entrants > seats:
        stage = _stage(entrants, seats)
        found.append(stage)
        entrants = stage.byes + sum(stage.going_on)
    return [*found, Stage(0, (1,))]


def _stage(entrants: int, seats: int) -> Stage:
    half = seats // 2
    goal = seats  # the largest number, below that of the entrants, from which all tables can be full to the final
    while (larger := goal + goal // half * (seats - half)) < entrants:
        goal = larger
    out = entrants - goal
    tables = min(-(-out // (seats - half)), entrants // seats)
    last = max(half, seats - (out - (tables - 1) * (seats - half)))
    return Stage(entrants - tables * seats, (half,) * (tables - 1) + (last,))


class Knockout(Adaptive):
    """Who loses is out."""

    name = "knockout"

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._stages = stages(len(tournament.entrants), self._seats)
        self._alive = list(tournament.names)  # by seed, the best first
        self._last: dict[str, tuple[int, Fraction]] = {}  # of those who are out: their last round, and share in it

    def table_sizes(self) -> Sequence[Sequence[int]]:
        """The number of entrants at each table of each round."""
        return [(self._seats,) * len(stage.going_on) for stage in self._stages]

    def pair(self, number: int) -> list[Table]:
        """The tables of a round, dealt to and fro by seed; of two seats: the best meets the last, and so on inwards."""
        byes, going_on = self._stages[number]
        tables: list[list[str]] = [[] for _ in going_on]
        to_and_fro = [*range(len(tables)), *reversed(range(len(tables)))]
        for i, name in enumerate(self._alive[byes:]):
            tables[to_and_fro[i % len(to_and_fro)]].append(name)
        return [tuple(table) for table in tables]

    def close(self, tables: Sequence[Table], results: RoundResults) -> None:
        """Those with the larger shares of the points go on; where shares are equal, the better seeds."""
        seeds = {name: seed for seed, name in enumerate(self._alive)}
        kept = dict(list(enumerate(self._alive))[: self._stages[self._round].byes])
        for table, count in zip(tables, self._stages[self._round].going_on, strict=True):
            shares = results.shares(table)
            best = sorted(table, key=lambda name: (-shares[name], seeds[name]))[:count]
            free = sorted([seeds[name] for name in table])
            kept |= dict(zip(free, best, strict=False))
            self._last |= {name: (self._round, shares[name]) for name in table if name not in best}
        self._alive = [kept[seed] for seed in sorted(kept)]

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """By the round that each has reached; of those who went out in the same, by how they did in it."""
        reached = {name: self._last[name][0] if name in self._last else self._round for name in self._tournament.names}
        shares = {name: self._last[name][1] if name in self._last else None for name in reached}
        words = {name: self._word(number) for name, number in reached.items()}
        return (
            Tiebreak("reached", "reached", "round reached", {name: Fraction(n) for name, n in reached.items()}, words),
            Tiebreak("last_meeting_percent", "", "points % of the last meeting", shares),
            "points",
        )

    def _word(self, reached: int) -> str:
        """What to call the round with that number; the one after the final is the winner's."""
        beyond = reached - len(self._stages)
        return {0: "winner", -1: "final"}.get(beyond, f"round {reached + 1}")
