"""Mirror: compares the first two entrants on the same deals in the same seats (docs/formats.md)."""

from collections.abc import Iterator, Sequence

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.match import Block, GameSetup, distinct_names
from tourney.contracts.rng import derive, shuffle, stream
from tourney.schedule.base import Schedule, ScheduleSize
from tourney.schedule.seatings import Group, fillers, rotations


class Mirror(Schedule):
    """The first two entrants, compared."""

    name = "mirror"
    raisable = ("deals",)

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        if len(tournament.names) < 2:
            raise ConfigError(f"bots: a mirror needs at least 2 bots, got {len(tournament.names)}")
        if tournament.seatings != "rotations":
            raise ConfigError("seatings: not supported in a mirror")

    @property
    def _field(self) -> Group:
        return self._tournament.names[2:]

    def block_names(self, seats: Sequence[str]) -> Group:
        return distinct_names((*self._tournament.names[:2], *seats))

    def size(self) -> ScheduleSize:
        deals, setups = self._tournament.deals, self._tournament.setups
        matches = [2 * setup.seats if self._field else 2 for setup in setups]
        return ScheduleSize(deals * len(matches), deals * sum(matches))

    def describe(self) -> str:
        return "mirror of {} and {}".format(*self._tournament.names)

    def what_follows(self) -> str | None:
        return "On every deal the other seats are drawn from the field." if self._field else None

    def rounds(self) -> Iterator[Iterator[Block]]:
        yield self._blocks()

    def _blocks(self) -> Iterator[Block]:
        number = 0
        new, old = self._tournament.names[:2]
        for deal in range(self._tournament.deals):
            for setup in self._tournament.setups:
                seed = derive(self._tournament.seed, "deal", setup.game, deal)
                if self._field:
                    others = fillers(self._field, setup.seats - 1, stream(seed, "company"))
                    seatings = rotations((new, *others)) + rotations((old, *others))
                else:
                    seatings = _mirrored(new, old, setup, seed)
                yield Block(number, setup, seed, seatings)
                number += 1


def _mirrored(new: str, old: str, setup: GameSetup, seed: int) -> tuple[Group, Group]:
    drawn = list(range(setup.seats))
    shuffle(drawn, stream(seed, "halves"))
    half = drawn[: setup.seats // 2]
    first = tuple([new if seat in half else old for seat in range(setup.seats)])
    return first, tuple([old if name == new else new for name in first])
