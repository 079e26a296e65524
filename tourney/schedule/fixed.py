"""The base of formats whose groups are known beforehand: the same groups of entrants meet on every deal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from tourney.match import Block, GameSetup
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.seatings import Group, seating_count


class FixedSchedule(Schedule):
    """A schedule of one round, whose blocks no result changes."""

    def groups(self, setup: GameSetup) -> Iterable[Group]:
        """Returns the groups of entrants that meet in a game, in order."""
        raise NotImplementedError

    def group_count(self, setup: GameSetup) -> int:
        """Returns the number of groups that meet in a game."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """Yields the only round."""
        yield blocks_of_groups(self._tournament, lambda setup, _: self.groups(setup), 0, 0, self._tournament.deals)

    def group_counts(self, setup: GameSetup) -> Mapping[str, int]:
        """Returns in how many groups of a game each entrant is."""
        return Counter(chain.from_iterable(self.groups(setup)))

    def why_not_extendable(self) -> str | None:
        """Returns None: where all possible groups meet, another entrant adds blocks and changes none."""
        return None

    def size(self) -> ScheduleSize:
        """Returns how many blocks and matches the whole tournament has."""
        deals, which = self._tournament.deals, self._tournament.seatings
        setups = self._tournament.setups
        counts = [(self.group_count(setup), seating_count(which, setup.seats)) for setup in setups]
        return ScheduleSize(
            deals * sum([groups for groups, _ in counts]),
            deals * sum([groups * matches for groups, matches in counts]),
        )
