"""Instant run-off: the entrant with the fewest points goes out, and the rest is counted again among themselves.

docs/standings.md says how matches with several seats are counted.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

from tourney.contracts.game import places_by
from tourney.standings.counts import Finish, OutcomeCounts, merged
from tourney.standings.points import Tiebreak, full_units, units, weighted_mean


def runoff_tiebreaks(counts: OutcomeCounts, weights: Sequence[Fraction]) -> tuple[Tiebreak, Tiebreak]:
    """The order of going out as a criterion to rank by, and the share of the points in the last count."""
    places = runoff(counts, weights)
    last = max([order for order, _ in places.values()], default=0)
    entries = {name: places.get(name, (None, None)) for name in counts.names}
    labels = {
        name: "" if order is None else "winner" if order == last else str(order) for name, (order, _) in entries.items()
    }
    orders = {name: order for name, (order, _) in entries.items()}
    shares = {name: share for name, (_, share) in entries.items()}
    return (
        Tiebreak("runoff_order", "run-off", "instant run-off, in which 1 went out first", orders, labels),
        Tiebreak("runoff_percent", "", "points % of the last count of the run-off", shares),
    )


def runoff(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[str, tuple[int, Fraction]]:
    """For each entrant that has played, the order of going out (1 for the first), and the last share of the points.

    Whoever has the lowest share of the points goes out; several that share it go out together. Then the matches are
    counted again among those who remain, until all of them have the same share. Over several games, a share is the
    weighted mean over those in which the entrant has met another who remains; if there is none, it stays as it was.
    """
    games = [_GameCount(merged(batches)) for batches in counts.batches()]
    shares: dict[int, Fraction] = {}  # of those who remain
    left: dict[str, tuple[int, Fraction]] = {}
    order = 0
    changed = set(range(len(counts.names)))
    while True:
        for bot in sorted(changed):
            own = [(weight, game.share(bot)) for weight, game in zip(weights, games, strict=True)]
            mean = weighted_mean([(weight, share) for weight, share in own if share is not None])
            if mean is not None:
                shares[bot] = mean
        if not shares:
            return left
        order += 1
        lowest = min(shares.values())
        changed = set()
        for bot in [bot for bot, share in shares.items() if share == lowest]:
            left[counts.names[bot]] = order, shares.pop(bot)
            changed = changed.union(*[game.remove(bot) for game in games])
        changed &= shares.keys()


class _GameCount:
    """The points in one game, counted among the bots that remain."""

    def __init__(self, game: Mapping[Finish, int]) -> None:
        self._finishes: dict[int, list[tuple[Finish, int]]] = {}  # of each bot
        self._won: dict[int, int] = {}  # by each bot, in units
        self._matches: dict[int, int] = {}
        self._out: set[int] = set()
        most = max([len(finish.bots) for finish in game], default=2)
        self._unit = lcm(*[full_units(seats) for seats in range(2, most + 1)])  # of a point; divides at every table
        for finish, count in game.items():
            self._add(finish, count)
            for bot in dict.fromkeys(finish.bots):
                self._finishes.setdefault(bot, []).append((finish, count))

    def share(self, bot: int) -> Fraction | None:
        """The share of the points that a bot has won from the others that remain; None if it met none."""
        matches = self._matches.get(bot, 0)
        return Fraction(self._won[bot], self._unit * matches) if matches else None

    def remove(self, bot: int) -> set[int]:
        """Counts the matches of a bot again without it, and returns who sat there."""
        finishes = self._finishes.get(bot, [])
        for finish, count in finishes:
            self._add(finish, -count)
        self._out.add(bot)
        for finish, count in finishes:
            self._add(finish, count)
        return {other for finish, _ in finishes for other in finish.bots}

    def _add(self, finish: Finish, count: int) -> None:
        """Adds matches as their places are among the bots that remain; with fewer than two of them, nothing."""
        seated = [(bot, place) for bot, place in zip(*finish, strict=True) if bot not in self._out]
        if len({bot for bot, _ in seated}) < 2:
            return
        unit = self._unit // full_units(len(seated))
        for (bot, _), won in zip(seated, _units_of(tuple([place for _, place in seated])), strict=True):
            self._won[bot] = self._won.get(bot, 0) + count * unit * won
            self._matches[bot] = self._matches.get(bot, 0) + count


@lru_cache(maxsize=1 << 12)
def _units_of(places: tuple[int, ...]) -> tuple[int, ...]:
    """The points in units of seats that took these places, among others or by themselves."""
    return units(places_by([-place for place in places]))
