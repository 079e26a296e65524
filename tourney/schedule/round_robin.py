"""Round-robin: groups of entrants of the game's seat count meet on every deal.

Every group, if there are few; else a balanced choice, see `tourney.schedule.balanced_groups`.
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import combinations
from math import comb

from tourney.format_keys import group_step
from tourney.match import GameSetup
from tourney.schedule.balanced_groups import balanced_groups
from tourney.schedule.fixed import Fixed

MOST_GROUPS = 2500
"""More groups than these meet only if the tournament file says so: every pair of 71 entrants, every five of 14."""


class RoundRobin(Fixed):
    """Every group of entrants, or a balanced choice of groups."""

    name = "round-robin"

    def group_count(self, setup: GameSetup) -> int:
        """What `groups` says; else every group, or the largest number up to `MOST_GROUPS` that can be balanced."""
        if self._tournament.groups is not None:
            return self._tournament.groups
        entrants = len(self._tournament.entrants)
        every = comb(entrants, setup.seats)
        if every <= MOST_GROUPS:
            return every
        step = group_step(entrants, setup.seats)
        return max(step, MOST_GROUPS // step * step)

    def groups(self, setup: GameSetup) -> Iterable[tuple[str, ...]]:
        """The groups that meet in a game, in the order of the file."""
        chosen = self._chosen.get(setup.seats)
        return combinations(self._names, setup.seats) if chosen is None else chosen

    def describe(self) -> str:
        """The format, and how many groups were chosen of how many, where not all meet."""
        names = self._tournament.names
        chosen = [
            f"{self.group_count(setup)} of {comb(len(names), setup.seats)}"
            for setup in self._tournament.setups
            if not self._meets_all(setup)
        ]
        return f"round-robin of {', '.join(chosen)} groups" if chosen else "round-robin"

    def why_not_extendable(self) -> str | None:
        """Where groups are chosen, an entrant more changes the choice."""
        for setup in self._tournament.setups:
            if not self._meets_all(setup):
                every = comb(len(self._tournament.entrants), setup.seats)
                return (
                    f"{self.group_count(setup)} of {every} groups of {setup.game} are chosen, and an entrant more "
                    f"changes the choice (all would meet with groups = {every})"
                )
        return None

    def _meets_all(self, setup: GameSetup) -> bool:
        return self.group_count(setup) == comb(len(self._tournament.entrants), setup.seats)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self._tournament.names

    @cached_property
    def _chosen(self) -> dict[int, list[tuple[str, ...]]]:
        """The chosen groups by the number of seats; they are the same on every deal."""
        names, seed = self._names, self._tournament.seed
        counts = {c.seats: self.group_count(c) for c in self._tournament.setups if not self._meets_all(c)}
        return {
            seats: [tuple([names[i] for i in group]) for group in balanced_groups(len(names), seats, count, seed)]
            for seats, count in counts.items()
        }
