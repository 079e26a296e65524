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
    """Its name in the tournament: letters, digits and `. _ + -`."""
    use: PathText | None = None
    """A plugin's name, FILE.py:NAME or FOLDER:NAME; by default the name itself."""
    options: dict[str, Any] = {}
    """The bot's own options; `tourney bots NAME` lists them."""
    command: Annotated[tuple[Word, ...], msgspec.Meta(max_length=1000)] | None = None
    """The words that start a program, in place of `use`."""
    host: str | None = None
    """Where it runs: by default `inline`, in the worker; a program in `process`, a process of its own."""
    host_options: dict[str, Any] = {}
    """The host's own options."""
    reads: Annotated[tuple[PathText, ...], msgspec.Meta(max_length=1000)] = ()
    """Files and folders that it needs beside those that `use` or `command` names."""
    keep: bool = False
    """Whether its process is kept for several matches, which it may remember; for hosts that give it one."""


class GameTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    """The name of a game; `tourney games` lists them."""
    seats: int | None = None
    """How many seats play; needed where the game has several numbers of seats."""
    options: dict[str, Any] = {}
    """The game's own options; `tourney games NAME` lists them."""
    weight: Weight = 1.0
    """How much the game counts among several."""


class TournamentFile(TournamentKeys, frozen=True, kw_only=True):
    """The keys of a tournament file, whatever its format."""

    seed: int | str
    """A number, or a text of any length, from which all chance is derived."""
    game: Annotated[tuple[dict[str, Any], ...], msgspec.Meta(min_length=1, max_length=MOST_GAMES)]
    """The games that are played."""
    bots: tuple[PathText, ...] = ()
    """The bots that need no more than their name: plugins, FILE.py:NAME or FOLDER:NAME."""
    bot: tuple[dict[str, Any], ...] = ()
    """The bots that need more than their name."""
    limits: dict[str, Any] = msgspec.field(default_factory=dict)
    """Limits for every bot that has none of its own, and what becomes of faults."""
