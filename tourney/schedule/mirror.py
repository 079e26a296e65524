"""Mirror: two entrants, the first two of the file, are compared on the same deals in the same seats.

Without others in the file they meet: on each deal they share the table, half of the seats each, and then change places.
Of an odd number of seats one of the two has one more, and in the mirror the other. With others, the field, they do not
meet: on each deal the one and then the other sits in every seat of a table with the same company.

Which seats are whose, and who of the field is company, is drawn anew for every deal.
"""

from collections.abc import Iterator

from tourney.match import Block, GameSetup
from tourney.rng import shuffle, stream
from tourney.schedule.base import Schedule, Size, deal_seed
from tourney.schedule.seatings import Group, rotations


class Mirror(Schedule):
    """The first two entrants, compared."""

    name = "mirror"

    @property
    def _field(self) -> Group:
        return self._tournament.names[2:]

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The one round: deal by deal, game by game."""
        yield self._blocks()

    def size(self) -> Size:
        """How many blocks and matches the whole tournament has."""
        whole = self._tournament
        matches = [2 * setup.seats if self._field else 2 for setup in whole.setups]
        return Size(whole.deals * len(matches), whole.deals * sum(matches))

    def describe(self) -> str:
        """The format, with the two that are compared."""
        new, old = self._tournament.names[:2]
        return f"mirror of {new} and {old}"

    def _blocks(self) -> Iterator[Block]:
        whole, number = self._tournament, 0
        new, old = whole.names[:2]
        for deal in range(whole.deals):
            for setup in whole.setups:
                seed = deal_seed(whole, setup, deal)
                if self._field:
                    company = self._company(setup, seed)
                    seatings = rotations((new, *company)) + rotations((old, *company))
                else:
                    seatings = _halves(new, old, setup, seed)
                yield Block(number, setup, seed, seatings)
                number += 1

    def _company(self, setup: GameSetup, seed: int) -> Group:
        """Those of the field who fill the table, in their order around it; each again if they are too few."""
        order = list(self._field)
        shuffle(order, stream(seed, "company"))
        return tuple([order[i % len(order)] for i in range(setup.seats - 1)])


def _halves(new: str, old: str, setup: GameSetup, seed: int) -> tuple[Group, Group]:
    """A table of the two, and its mirror."""
    drawn = list(range(setup.seats))
    shuffle(drawn, stream(seed, "halves"))
    half = set(drawn[: setup.seats // 2])
    seats = range(setup.seats)
    return tuple([new if seat in half else old for seat in seats]), tuple(
        [old if seat in half else new for seat in seats]
    )
