"""Instant run-off: eliminates the entrant with the fewest points, and counts again (docs/standings.md)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

from tourney.contracts.game import places_by
from tourney.standings.counts import Finish, OutcomeCounts, merged
from tourney.standings.points import Tiebreak, full_units, units, weighted_mean


def runoff_tiebreaks(counts: OutcomeCounts, weights: Sequence[Fraction]) -> tuple[Tiebreak, Tiebreak]:
    """The order of elimination as a ranking criterion, and the share of the points in the last count."""
    places = runoff(counts, weights)
    last = max([order for order, _ in places.values()], default=0)
    entries = {name: places.get(name, (None, None)) for name in counts.names}
    labels = {
        name: "" if order is None else "winner" if order == last else str(order) for name, (order, _) in entries.items()
    }
    orders = {name: order for name, (order, _) in entries.items()}
    shares = {name: share for name, (_, share) in entries.items()}
    return (
        Tiebreak("runoff_order", "run-off", "instant run-off (1 was eliminated first)", orders, labels),
        Tiebreak("runoff_percent", "", "points % in the run-off's last count", shares),
    )


def runoff(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[str, tuple[int, Fraction]]:
    """For each entrant that has played, the order of elimination (1 for the first), and the last share of the points.

    Entrants with the same share are eliminated together. Over several games, a share is the weighted mean over the
    games where the entrant has met another remaining one; if there are none, it stays the same.
    """
    games = [_GameCount(merged(batches)) for batches in counts.batches()]
    shares: dict[int, Fraction] = {}  # of the remaining bots
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
    """The points in one game, counted among the remaining bots."""

    def __init__(self, game: Mapping[Finish, int]) -> None:
        self._finishes: dict[int, list[tuple[Finish, int]]] = {}  # of each bot
        self._won: dict[int, int] = {}  # by each bot, in units
        self._matches: dict[int, int] = {}
        self._out: set[int] = set()
        most = max([len(finish.bots) for finish in game], default=2)
        self._unit = lcm(*[full_units(seats) for seats in range(2, most + 1)])  # per point; divisible for every table
        for finish, count in game.items():
            self._add(finish, count)
            for bot in dict.fromkeys(finish.bots):
                self._finishes.setdefault(bot, []).append((finish, count))

    def share(self, bot: int) -> Fraction | None:
        matches = self._matches.get(bot, 0)
        return Fraction(self._won[bot], self._unit * matches) if matches else None

    def remove(self, bot: int) -> set[int]:
        """Counts a bot's matches again without it, and returns their bots."""
        finishes = self._finishes.get(bot, [])
        for finish, count in finishes:
            self._add(finish, -count)
        self._out.add(bot)
        for finish, count in finishes:
            self._add(finish, count)
        return {other for finish, _ in finishes for other in finish.bots}

    def _add(self, finish: Finish, count: int) -> None:
        """Adds matches with the remaining bots' places among themselves; nothing for fewer than two bots."""
        seated = [(bot, place) for bot, place in zip(*finish, strict=True) if bot not in self._out]
        if len({bot for bot, _ in seated}) < 2:
            return
        unit = self._unit // full_units(len(seated))
        for (bot, _), won in zip(seated, _units_of(tuple([place for _, place in seated])), strict=True):
            self._won[bot] = self._won.get(bot, 0) + count * unit * won
            self._matches[bot] = self._matches.get(bot, 0) + count


@lru_cache(maxsize=1 << 12)
def _units_of(places: tuple[int, ...]) -> tuple[int, ...]:
    """The points in units of seats with these places, among others or by themselves."""
    return units(places_by([-place for place in places]))
