"""Gauntlet: each challenger meets every group of the other entrants; challengers do not meet each other."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from tourney.base.errors import ConfigError, did_you_mean
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import GameSetup
from tourney.schedule.base import FixedSchedule
from tourney.schedule.seatings import Group
from tourney.standings.points import CommonTiebreak, Tiebreak


class GauntletOptions(Options, frozen=True):
    """The gauntlet's own tournament file keys."""

    challengers: tuple[str, ...] = ()
    """The names of the entrants who meet all others, at least one."""


class Gauntlet(FixedSchedule):
    """Challengers against the field: all other entrants."""

    name = "gauntlet"
    leaves_out = True
    Options = GauntletOptions

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._challengers: tuple[str, ...] = tournament.format_options.challengers

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        names, challengers = tournament.scheduled, tournament.format_options.challengers
        if not challengers:
            raise ConfigError(f'challengers: a gauntlet needs at least one, for example challengers = ["{names[0]}"]')
        for i, name in enumerate(challengers):
            if name not in names:
                raise ConfigError(f'challengers: no bot "{name}" in the tournament; {did_you_mean(name, names)}')
            if name in challengers[:i]:
                raise ConfigError(f'challengers: duplicate "{name}"')
        field = len(names) - len(challengers)
        for setup in tournament.setups:
            if field < setup.seats - 1:
                raise ConfigError(
                    f"challengers: {setup.game} needs {setup.seats - 1} other bots per challenger, got {field}; "
                    "enter more bots, or name fewer challengers"
                )

    def groups(self, setup: GameSetup) -> Iterator[Group]:
        """Each challenger with every group of the field that fills the other seats."""
        field = [name for name in self._tournament.scheduled if name not in self._challengers]
        for challenger in self._challengers:
            for others in combinations(field, setup.seats - 1):
                yield challenger, *others

    def group_count(self, setup: GameSetup) -> int:
        field = len(self._tournament.scheduled) - len(self._challengers)
        return len(self._challengers) * comb(field, setup.seats - 1)

    def describe(self) -> str:
        """The format with the names of up to three challengers, or their number."""
        names = [name for name in self._challengers if name not in self._tournament.dropped]
        return f"gauntlet of {', '.join(names) if len(names) <= 3 else f'{len(names)} challengers'}"

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The rating first, because not all entrants have met the same opponents."""
        return "rating", "points"
