"""Formats whose meetings are known beforehand: the same groups of entrants meet on every deal."""

from collections.abc import Iterable, Iterator

from tourney.match import Block, GameSetup
from tourney.schedule.base import Schedule, Size, laid_out
from tourney.schedule.seatings import seating_count


class Fixed(Schedule):
    """One round of blocks that no result changes."""

    def groups(self, setup: GameSetup) -> Iterable[tuple[str, ...]]:
        """The groups of entrants that meet in a game, in order."""
        raise NotImplementedError

    def group_count(self, setup: GameSetup) -> int:
        """How many groups those are."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The one round."""
        yield laid_out(self._tournament, self.groups)

    def why_not_extendable(self) -> str | None:
        """Nothing, if groups are all that there are: an entrant more adds blocks, and changes none."""
        return None

    def size(self) -> Size:
        """How many blocks and matches the whole tournament has."""
        whole = self._tournament
        counts = [(self.group_count(setup), seating_count(whole.seatings, setup.seats)) for setup in whole.setups]
        return Size(
            whole.deals * sum([groups for groups, _ in counts]),
            whole.deals * sum([groups * matches for groups, matches in counts]),
        )
