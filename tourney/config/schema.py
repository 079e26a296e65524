"""The tables of a tournament file, key by key.

A format's own keys stand beside those of `TournamentFile`, and are declared by the format (its `Options`). Keys that
entrants and tournaments take over as they are have their declaration there: `TournamentKeys`, `Limits`, `FaultLimits`.
"""

from typing import Annotated, Any, TypeAlias

import msgspec

from tourney.config.tournament import MOST_GAMES, Name, TournamentKeys, Weight

PathText: TypeAlias = Annotated[str, msgspec.Meta(max_length=4096)]
"""A text with a path in it, which is no longer than the system takes."""
Word: TypeAlias = Annotated[str, msgspec.Meta(max_length=131_071)]
"""A word of a command, which is no longer than the system takes."""


class BotTable(msgspec.Struct, frozen=True):
    """A `[[bot]]` table, without the bot's own limits."""

    name: Name
    use: PathText | None = None
    options: dict[str, Any] = {}
    command: Annotated[tuple[Word, ...], msgspec.Meta(max_length=1000)] | None = None
    host: str | None = None
    host_options: dict[str, Any] = {}
    reads: Annotated[tuple[PathText, ...], msgspec.Meta(max_length=1000)] = ()


class GameTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    seats: int | None = None
    options: dict[str, Any] = {}
    weight: Weight = 1.0


class TournamentFile(TournamentKeys, frozen=True, kw_only=True):
    """The keys of a tournament file, whatever its format."""

    seed: int | str
    game: Annotated[tuple[GameTable, ...], msgspec.Meta(min_length=1, max_length=MOST_GAMES)]
    bots: tuple[PathText, ...] = ()
    bot: tuple[dict[str, Any], ...] = ()
    """The keys of each are those of `BotTable` and of `Limits`."""
    limits: dict[str, Any] = msgspec.field(default_factory=dict)
    """The keys are those of `Limits`, for every bot that has none of its own, and of `FaultLimits`."""
