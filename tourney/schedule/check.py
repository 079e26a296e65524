"""Check: on each deal, the first entrant sits in every seat in turn, among copies of the second, and then in all seats.

The games are played one after another. A timeout of the first entrant ends its game, and the second such game the
check.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, GameSetup
from tourney.contracts.rng import derive
from tourney.schedule.base import Schedule, ScheduleSize
from tourney.schedule.seatings import Group

MOST_TIMEOUTS = 2
"""The number of games with a timeout after which the check stops."""


class _Planned(NamedTuple):
    """A match without its number, which depends on those left out."""

    setup: GameSetup
    seed: int
    seatings: tuple[Group]


class Check(Schedule):
    """The first entrant, tried at each game."""

    name = "check"
    adapts = True
    may_end_early = True

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.late: list[GameSetup] = []
        """The games that the first entrant ended by a timeout."""
        self._rest = self._matches()
        self._number = 0
        self._next = next(self._rest, None)

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        if len(tournament.names) < 2:
            raise ConfigError(f"bots: a check needs 2 bots, got {len(tournament.names)}")

    @property
    def setup(self) -> GameSetup | None:
        """The game of the next match; None if there is none."""
        return None if self._next is None else self._next.setup

    def _matches(self) -> Iterator[_Planned]:
        name, other = self._tournament.names[:2]
        for setup in self._tournament.setups:
            seats = range(setup.seats)
            alone = [tuple([name if seat == own else other for seat in seats]) for own in seats]
            for deal in range(self._tournament.deals):
                seed = derive(self._tournament.seed, "deal", setup.game, deal)
                for seating in (*alone, (name,) * setup.seats):
                    yield _Planned(setup, seed, (seating,))

    def rounds(self) -> Iterator[Iterator[Block]]:
        while self._next is not None:
            number = self._number
            yield iter([Block(number, *self._next)])
            assert self._number > number, "the record of the previous match is missing"

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        late = [seats[fault.seat] for fault in faults if fault.kind == "timeout"]
        if self._next is not None and self._tournament.names[0] in late:
            self.late.append(self._next.setup)
        is_over = len(self.late) == MOST_TIMEOUTS
        self._number += 1
        self._next = None if is_over else next((each for each in self._rest if each.setup not in self.late), None)

    def size(self) -> ScheduleSize:
        matches = self._tournament.deals * sum([setup.seats + 1 for setup in self._tournament.setups])
        return ScheduleSize(matches, matches)

    def is_over(self, matches: int) -> bool:
        return self._next is None
