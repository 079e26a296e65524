"""Formats whose meetings are known beforehand: the same groups of entrants meet on every deal."""

from collections.abc import Iterable, Iterator

from tourney.match import Block, Contest
from tourney.schedule.contract import Schedule, Size, laid_out
from tourney.schedule.seatings import seating_count


class Fixed(Schedule):
    """One round of blocks that no result changes."""

    def groups(self, contest: Contest) -> Iterable[tuple[str, ...]]:
        """The groups of entrants that meet in a game, in order."""
        raise NotImplementedError

    def group_count(self, contest: Contest) -> int:
        """How many groups those are."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The one round."""
        yield laid_out(self._tournament, self.groups)

    def lone(self) -> str | None:
        """Nothing, if groups are all that there are: an entrant more adds blocks, and changes none."""
        return None

    def size(self) -> Size:
        """How many blocks and matches the whole tournament has."""
        whole = self._tournament
        counts = [
            (self.group_count(contest), seating_count(whole.seatings, contest.seats)) for contest in whole.contests
        ]
        return Size(
            whole.deals * sum([groups for groups, _ in counts]),
            whole.deals * sum([groups * matches for groups, matches in counts]),
        )
