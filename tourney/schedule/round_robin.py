"""Round-robin: groups of entrants of the game's seat count meet on every deal.

All groups meet if there are few; otherwise a balanced choice of them, see `tourney.schedule.balanced_groups`.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Annotated

import msgspec

from tourney.config import Tournament
from tourney.errors import ConfigError
from tourney.game import Options
from tourney.match import GameSetup
from tourney.schedule.balanced_groups import balanced_groups, group_step
from tourney.schedule.fixed import FixedSchedule
from tourney.schedule.seatings import Group
from tourney.wording import counted

MOST_GROUPS = 2500
"""How many groups meet at most if the tournament file does not say: all pairs of 71 entrants, all fives of 14."""


class RoundRobinOptions(Options, frozen=True):
    """The round-robin's own keys of a tournament file."""

    groups: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How many groups of entrants meet in each game; None: all, or as many as `MOST_GROUPS` allows."""


class RoundRobin(FixedSchedule):
    """All groups of entrants, or a balanced choice of them."""

    name = "round-robin"
    Options = RoundRobinOptions

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates the seats and the seatings, and that the number of groups can be balanced."""
        super().validate(tournament)
        options: RoundRobinOptions = tournament.format_options
        if options.groups is not None:
            for setup in tournament.setups:
                _validate_groups(options.groups, len(tournament.names), setup)

    def group_count(self, setup: GameSetup) -> int:
        """Returns what `groups` says; else all groups, or the largest number up to `MOST_GROUPS` that is balanced."""
        options: RoundRobinOptions = self._tournament.format_options
        if options.groups is not None:
            return options.groups
        entrants = len(self._tournament.entrants)
        every = comb(entrants, setup.seats)
        if every <= MOST_GROUPS:
            return every
        step = group_step(entrants, setup.seats)
        return max(step, MOST_GROUPS // step * step)

    def groups(self, setup: GameSetup) -> Iterable[Group]:
        """Returns the groups that meet in a game, each in the order of the file."""
        chosen = self._chosen.get(setup.seats)
        return combinations(self._names, setup.seats) if chosen is None else chosen

    def group_counts(self, setup: GameSetup) -> Mapping[str, int]:
        """Returns in how many groups of a game each entrant is."""
        if not self._all_meet(setup):
            return super().group_counts(setup)
        return dict.fromkeys(self._names, comb(len(self._names) - 1, setup.seats - 1))

    def describe(self) -> str:
        """Returns the format; where not all groups meet, with their number and that of all groups."""
        names = self._tournament.names
        chosen = [
            f"{self.group_count(setup)} of {comb(len(names), setup.seats)}"
            for setup in self._tournament.setups
            if not self._all_meet(setup)
        ]
        return f"round-robin of {', '.join(chosen)} groups" if chosen else "round-robin"

    def why_not_extendable(self) -> str | None:
        """Returns a reason where not all groups meet: another entrant changes which do."""
        for setup in self._tournament.setups:
            if not self._all_meet(setup):
                every = comb(len(self._tournament.entrants), setup.seats)
                return (
                    f"{self.group_count(setup)} of {every} groups of {setup.game} are chosen, and an entrant more "
                    f"changes the choice (all would meet with groups = {every})"
                )
        return None

    def _all_meet(self, setup: GameSetup) -> bool:
        return self.group_count(setup) == comb(len(self._tournament.entrants), setup.seats)

    @cached_property
    def _names(self) -> Group:
        return self._tournament.names

    @cached_property
    def _chosen(self) -> dict[int, list[Group]]:
        """The chosen groups by the number of seats; they are the same on every deal."""
        names, seed, setups = self._names, self._tournament.seed, self._tournament.setups
        counts = {setup.seats: self.group_count(setup) for setup in setups if not self._all_meet(setup)}
        return {
            seats: [tuple([names[i] for i in group]) for group in balanced_groups(len(names), seats, count, seed)]
            for seats, count in counts.items()
        }


def _validate_groups(groups: int, entrants: int, setup: GameSetup) -> None:
    most, step = comb(entrants, setup.seats), group_step(entrants, setup.seats)
    where = f"groups: {setup.game} with {setup.seats} seats and {entrants} bots"
    if groups > most:
        raise ConfigError(f"{where} has only {counted(most, 'group')}, not {groups}; take fewer, or leave it out")
    if groups % step:
        near = [number for number in (groups // step * step, groups // step * step + step) if 0 < number <= most]
        raise ConfigError(
            f"{where}: in {groups} groups not every bot can play equally often; take {' or '.join(map(str, near))}"
        )
