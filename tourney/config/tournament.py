"""A tournament that can be played."""

from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Any

import msgspec

from tourney.errors import ConfigError, did_you_mean
from tourney.format_keys import Format, FormatKeys
from tourney.hosts.base import DEFAULT_HOST, Limits
from tourney.hosts.factory import host_type
from tourney.match import GameSetup

Weight = Annotated[float, msgspec.Meta(gt=0)]


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot whose rating is held fixed, so that the ratings of several tournaments can be compared."""

    bot: str
    rating: float


def check_anchor(anchor: Anchor | None, names: Sequence[str]) -> None:
    """Raises a `ConfigError` where the anchor is none of the entrants of these names, or its rating is no number."""
    if anchor is not None and anchor.bot not in names:
        raise ConfigError(f'anchor.bot: no bot "{anchor.bot}" is entered; {did_you_mean(anchor.bot, names)}')
    if anchor is not None and not isfinite(anchor.rating):
        raise ConfigError(f"anchor.rating: {anchor.rating} is no rating; take a number, as in rating = 1500")


class Entrant(msgspec.Struct, frozen=True):
    """A bot in a tournament, under its unique name."""

    name: str
    use: str
    """A plugin's name or FILE.py:NAME, relative to the tournament file's folder; empty for a program."""
    options: dict[str, Any]
    command: tuple[str, ...] = ()
    """The words that start a program; empty for a Python bot."""
    host: str = DEFAULT_HOST
    """The name of the host that it runs in."""
    limits: Limits = Limits()
    reads: tuple[str, ...] = ()
    """Files and folders that it needs beside its own, relative to the tournament file's folder."""
    host_options: dict[str, Any] = {}
    """The options of its host."""

    @property
    def in_worker(self) -> bool:
        """Whether the bot's code runs in the worker's process."""
        return host_type(self.host).in_worker


class Tournament(FormatKeys, frozen=True):
    """A tournament that can be played: checked, with every default filled in. It can be sent to another process."""

    name: str
    seed: int
    """The root of all its seeds."""
    format: Format
    deals: int
    """Blocks for every group of entrants that meets, in each game."""
    entrants: tuple[Entrant, ...]
    setups: tuple[GameSetup, ...]
    match_s: float
    """How long one match may take, in seconds."""
    folder: str
    """The folder of its file, which paths are relative to."""
    weights: tuple[Weight, ...] = ()
    """What each setup weighs; none given: all the same."""
    smaller_tables: bool = False
    """Whether a Swiss may have tables with a seat less, so that fewer entrants sit out."""
    anchor: Anchor | None = None
    """The bot on which the scale of the ratings is fixed; none: on the mean."""
    max_faults: int | None = None
    """An entrant with so many faults is put out."""
    max_faults_in_row: int | None = None
    """An entrant with so many faults in matches one after the other is put out."""
    max_fault_rate: float | None = None
    """The run stops where more than this share of the matches has faults, from 0 to 1."""

    @property
    def limits_faults(self) -> bool:
        """Whether anything can come of faults beyond the match in which they are made."""
        return (self.max_faults, self.max_faults_in_row, self.max_fault_rate) != (None, None, None)

    @property
    def games(self) -> tuple[str, ...]:
        """The names of its games, sorted."""
        return tuple(sorted({setup.game for setup in self.setups}))

    @property
    def in_worker(self) -> bool:
        """Whether the code of all its bots runs in the worker's process."""
        return all([entrant.in_worker for entrant in self.entrants])

    @property
    def all_weights(self) -> tuple[Weight, ...]:
        """What each setup weighs, given or not."""
        return self.weights or (1.0,) * len(self.setups)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in the order of the file."""
        return tuple([entrant.name for entrant in self.entrants])

    @property
    def match_limits_s(self) -> dict[str, float]:
        """How long a match may take while each entrant is asked, in seconds."""
        return {entrant.name: entrant.limits.match_s for entrant in self.entrants}
