"""Pairing of the next round of a league, and of a ladder that decides the first places.

Pure functions of facts about the present bots: no files, no clocks, no sets. All deciding numbers are rounded to
`DIGITS`, so no mathematics library changes a table. docs/formats.md explains this to users, with figures.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import ceil, erf, exp, sqrt
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.contracts.game import Options
from tourney.contracts.rng import shuffle
from tourney.schedule.seatings import Group
from tourney.standings.ratings import DIGITS, PRIOR_SD

PLACEMENT_TABLES = 3
"""The maximum number of tables per round for a bot in placement."""
PLACEMENT_DEALS = 60
"""A bot is in placement until it has played this many deals: its order among nearby bots matters in any case."""
SHARE = 3
"""No bot sits at more tables of a round than this many times its even share, rounded up."""
FLOOR = 4
"""An undecided bot sits at a table in at least one of this many consecutive rounds, if there are enough tables."""
WINDOW = 12
"""Only pairs with fewer bots than this between them, or with one of the first places, are considered."""

SURE_STEPS = (0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)
"""The probabilities to which all neighbours are brought one after another; `sure` is at most the last."""

Sure: TypeAlias = Annotated[float, msgspec.Meta(ge=0.5, le=SURE_STEPS[-1])]
EqualElo: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1000)]
Verdict: TypeAlias = Literal["sure", "equal"]
"""The order of two bots is known, or their difference is known to be small."""


class Player(NamedTuple):
    """A bot in the league, before a round."""

    name: str
    elo: float
    """Its rating; the field's mean if it has not played."""
    deals: int
    """The number of deals it has played; 0 makes it a newcomer."""
    waited: int
    """Consecutive rounds without a seat: 0 if it sat in the last one, or is new."""
    author: str = ""
    """Bots of one author are siblings, which do not meet; bots without an author have no siblings."""

    @property
    def owner(self) -> tuple[str, ...]:
        """Equal for siblings, and for no others."""
        return (self.author,) if self.author else ("", self.name)


class SettleGoal(Options, frozen=True):
    """The orders that matter, and when they are decided: tournament file keys of a ladder and a league."""

    settle: Annotated[str, msgspec.Meta(pattern=r"^(order|best|top:[1-9][0-9]{0,3})$")] = "order"
    """The orders that matter: all of them, the best bot, or the order of the best N: `"top:5"`."""
    sure: Sure = 0.99
    """The probability with which an order must be known, from 0 to 1."""
    equal_elo: EqualElo = 10.0
    """Bots whose ratings surely differ by no more than this, in Elo points, are called equal."""

    def places(self, players: int) -> int:
        """How many places must be decided, from the first."""
        kind, _, number = self.settle.partition(":")
        return {"order": players, "best": 1}.get(kind) or int(number)


class Pair(NamedTuple):
    """Two bots whose order matters."""

    upper: str
    lower: str
    difference: float
    error: float

    def above(self) -> float:
        """The probability that the upper bot is stronger."""
        return _below(self.difference, self.error)

    def verdict(self, aim: SettleGoal) -> Verdict | None:
        """The verdict on the pair; None if undecided."""
        if self.above() >= aim.sure:
            return "sure"
        return "equal" if self._equal(aim) >= aim.sure else None

    def doubt(self, aim: SettleGoal) -> float:
        """The probability that the pair's most likely verdict, an order or equality, is wrong."""
        return round(1 - max(self.above(), self._equal(aim)), DIGITS)

    def _equal(self, aim: SettleGoal) -> float:
        """The probability that they differ by no more than `equal_elo`."""
        if not (self.difference or self.error):
            return 1.0
        high, low = aim.equal_elo - self.difference, -aim.equal_elo - self.difference
        return round(_below(high, self.error) - _below(low, self.error), DIGITS)

    def worth(self) -> float:
        """By how much a match lowers the uncertainty of their order, up to a constant factor (docs/statistics.md)."""
        if not self.error:
            return 0.0
        expected = 1 / (1 + 10 ** (-self.difference / 400))
        square = exp(-((self.difference / self.error) ** 2))
        return round(square * self.error**2 * expected * (1 - expected), DIGITS)


class Meeting(NamedTuple):
    """A group that meets in a round."""

    group: Group
    """In a drawn order."""
    newcomer: str | None = None
    """The bot in placement at this table, if any."""


Error: TypeAlias = Callable[[str, str], float]
"""The standard error of a rating difference, in Elo points; infinite if unknown."""
Met: TypeAlias = Callable[[str, str], int]
"""The number of tables where two bots have met."""


def undecided(players: Sequence[Player], error: Error, aim: SettleGoal) -> list[Pair]:
    """The pairs whose order matters and is unknown, from the top, without newcomers' pairs."""
    ranked = [player for player in _ranked(players) if player.deals]
    places, pairs = aim.places(len(players)), []
    best: dict[Any, str] = {}  # of each author; where all orders matter, all
    for player in ranked:
        best.setdefault(player.name if aim.settle == "order" else player.owner, player.name)
    contenders, placed = {*best.values()}, {*islice(best.values(), places)}
    for rank, upper in enumerate(ranked):
        reach = len(ranked) if upper.name in placed and places < len(ranked) else rank + 1 + WINDOW
        for lower in ranked[rank + 1 : reach]:
            matters = upper.name in placed and lower.name in contenders
            if (matters or min(upper.deals, lower.deals) < PLACEMENT_DEALS) and upper.owner != lower.owner:
                pair = _pair(upper, lower, error)
                if pair.verdict(aim) is None:
                    pairs.append(pair)
    return pairs


def pairs_of_first(players: Sequence[Player], error: Error, aim: SettleGoal) -> list[Pair]:
    """The pairs of each decided place with all bots below, from the top."""
    ranked = _ranked(players)
    first = enumerate(ranked[: aim.places(len(ranked))], 1)
    return [_pair(upper, lower, error) for rank, upper in first for lower in ranked[rank:]]


def tables_of(pairs: Iterable[Pair], ranked: Sequence[str], seats: int) -> list[list[str]]:
    """Tables at which the pairs meet, in order; free seats go to the bots nearest to a table's first."""
    groups: list[list[str]] = []
    for pair in pairs:
        both = {pair.upper, pair.lower}
        if any([both.issubset(table) for table in groups]):
            continue
        halves = [table for table in groups if len(table) < seats and both.intersection(table)]
        if not halves:
            groups.append([pair.upper, pair.lower])
        else:
            halves[0].extend([name for name in (pair.upper, pair.lower) if name not in halves[0]])
    places = {name: place for place, name in enumerate(ranked)}
    for table in groups:
        place = places[table[0]]
        around = ranked[max(0, place - 2 * seats) : place + 2 * seats]
        near = sorted(around, key=lambda name, place=place: abs(places[name] - place))  # type: ignore[misc]
        table.extend([name for name in near if name not in table][: seats - len(table)])
    return list({tuple(sorted(table)): table for table in groups if len(table) == seats}.values())


def _pair(upper: Player, lower: Player, error: Error) -> Pair:
    known = round(min(error(upper.name, lower.name), PRIOR_SD), DIGITS)
    return Pair(upper.name, lower.name, round(upper.elo - lower.elo, DIGITS), known)


def next_round(
    players: Sequence[Player], error: Error, met: Met, aim: SettleGoal, seats: int, tables: int, rng: Random
) -> list[Meeting]:
    """The tables of the next round, at most `tables`; none if every order that matters is known.

    Newcomers come first, then the bots waiting longest, then the pairs with the most informative tables.
    """
    pairs = undecided(players, error, aim)
    if len(players) < seats or not (pairs or any([not player.deals for player in players])):
        return []
    drawn = list(players)
    shuffle(drawn, rng)
    return _Round(drawn, pairs, met, seats, tables, rng).meetings


class _Round:
    def __init__(
        self, drawn: Sequence[Player], pairs: Sequence[Pair], met: Met, seats: int, tables: int, rng: Random
    ) -> None:
        self._ranked = _ranked(drawn)
        self._ranks = {player.name: rank for rank, player in enumerate(self._ranked)}
        self._owners = {player.name: player.owner for player in drawn}
        self._met, self._seats, self._rng = met, seats, rng
        share = ceil(SHARE * seats * tables / len(drawn))
        self._most = {  # maximum number of tables for each
            player.name: min(share, PLACEMENT_TABLES) if player.deals < PLACEMENT_DEALS else share for player in drawn
        }
        self._sat: Counter[str] = Counter()
        self._groups: dict[tuple[str, ...], None] = {}
        self.meetings: list[Meeting] = []
        self._worth: dict[str, dict[str, float]] = {player.name: {} for player in self._ranked}
        for pair in pairs:
            self._worth[pair.upper][pair.lower] = self._worth[pair.lower][pair.upper] = pair.worth()
        established = [player for player in self._ranked if player.deals]
        newcomers = sorted([player for player in drawn if not player.deals], key=lambda player: -player.waited)
        if established:
            most = max(1, tables // 2) if pairs else tables
            self._place(established, [player.name for player in newcomers], most)
        else:
            self._begin([player.name for player in drawn], tables)
        self._seat_waiting(tables)
        for pair in sorted(pairs, key=lambda pair: -self._telling(pair.upper, pair.lower)):
            if len(self.meetings) == tables:
                break
            self._seat_pair(pair.upper, pair.lower, tables)

    def _begin(self, names: list[str], tables: int) -> None:
        """If no bot has played: each sits once, then once more with others, if there are enough tables."""
        for turn in (0, 1):
            circle = names[turn:] + names
            for first in range(0, len(names), self._seats):
                group: list[str] = []
                for name in islice(circle, first, None):
                    if self._may_join(name, group):
                        group.append(name)
                        if len(group) == self._seats:
                            break
                self._add(group, None, tables)

    def _place(self, established: Sequence[Player], newcomers: Sequence[str], most: int) -> None:
        """Newcomers meet established bots spread over the table: one of each band, in turn."""
        turns = min([most // max(1, len(newcomers)) or 1, *[self._most[name] for name in newcomers]])
        bands = turns * (self._seats - 1)
        for turn in range(turns):
            for number, newcomer in enumerate(newcomers):
                group = [newcomer]
                for band in range((turn + number) % turns, bands, turns):
                    first, after = (len(established) * edge // bands for edge in (band, band + 1))
                    free = [each for each in established[first : max(after, first + 1)] if self._free(each.name)]
                    known = sorted(free, key=lambda each: (self._sat[each.name], -each.deals))
                    group += [each.name for each in known if self._may_join(each.name, group)][:1]
                self._add(self._filled(group), newcomer, most)

    def _seat_waiting(self, tables: int) -> None:
        """Seats undecided bots that have waited longest with the most informative opponent, or else the nearest."""
        for player in sorted(self._ranked, key=lambda player: -player.waited):
            name, worth = player.name, self._worth[player.name]
            if player.waited >= FLOOR - 1 and worth and not self._sat[name]:
                others = sorted(worth, key=lambda other: -self._telling(name, other))
                for other in [*others, *self._nearest([name])]:
                    if self._seat_pair(name, other, tables):
                        break

    def _telling(self, one: str, other: str) -> float:
        """The information from a table of two, divided by the root of their number of meetings."""
        return round(self._worth[one].get(other, 0.0) / sqrt(1 + self._met(one, other)), DIGITS)

    def _seat_pair(self, one: str, other: str, tables: int) -> bool:
        if not (self._free(one) and self._free(other)):
            return False
        return self._add(self._filled([one, other]), None, tables)

    def _filled(self, group: list[str]) -> list[str]:
        """The group, its free seats taken by the most informative bots near it; empty if there are too few."""
        if len(group) == self._seats:
            return group
        nearest = self._nearest(group)
        near, others = nearest[:WINDOW], nearest[WINDOW:]
        while near and len(group) < self._seats:
            best = max(near, key=lambda name: round(sum([self._telling(name, member) for member in group]), DIGITS))
            group.append(best)
            near = [name for name in near if self._may_join(name, [best])]
            near = near or [name for name in others if self._may_join(name, group)][:1]
        return group if len(group) == self._seats else []

    def _nearest(self, group: Sequence[str]) -> list[str]:
        rank = self._ranks[group[0]]
        free = [name for name in self._ranks if self._free(name) and self._may_join(name, group)]
        return sorted(free, key=lambda name: abs(self._ranks[name] - rank))

    def _may_join(self, name: str, group: Sequence[str]) -> bool:
        """Whether the group has neither the bot nor a sibling."""
        return self._owners[name] not in [self._owners[each] for each in group]

    def _free(self, name: str) -> bool:
        return self._sat[name] < self._most[name]

    def _add(self, group: Sequence[str], newcomer: str | None, tables: int) -> bool:
        key = tuple(sorted(group))
        if not group or len(self.meetings) >= tables or key in self._groups:
            return False
        self._groups[key] = None
        self._sat.update(group)
        seated = list(group)
        shuffle(seated, self._rng)
        self.meetings.append(Meeting(tuple(seated), newcomer))
        return True


def _ranked(players: Sequence[Player]) -> list[Player]:
    return sorted(players, key=lambda player: -round(player.elo, DIGITS))


def _below(value: float, error: float) -> float:
    if not error:
        return 0.5 if not value else float(value > 0)
    return round((1 + erf(value / error / sqrt(2))) / 2, DIGITS)
