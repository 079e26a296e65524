"""The keys of a tournament file, table by table."""

from typing import Annotated, Any

import msgspec

from tourney.config.tournament import Anchor, Weight
from tourney.format_keys import Format, FormatKeys

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
Whole = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
"""The bound keeps what is reckoned with them within what JSON and the system's calls can take."""
Seconds = Annotated[float, msgspec.Meta(gt=0, le=10**12)]


class BotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[bot]]` table."""

    name: Name
    use: str | None = None
    options: dict[str, Any] = {}
    command: tuple[str, ...] | None = None
    host: str | None = None
    host_options: dict[str, Any] = {}
    reads: tuple[str, ...] = ()
    move_ms: Whole | None = None
    start_ms: Whole | None = None
    match_s: Seconds | None = None
    memory_mb: Whole | None = None


class GameConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    seats: int | None = None
    options: dict[str, Any] = {}
    weight: Weight = 1.0


class LimitsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `[limits]` table: what holds for every bot that has nothing of its own."""

    move_ms: Whole | None = None
    start_ms: Whole | None = None
    match_s: Seconds = 120.0
    memory_mb: Whole | None = None
    max_faults: Whole | None = None
    max_faults_in_row: Whole | None = None
    max_fault_rate: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None


class FileConfig(FormatKeys, frozen=True, forbid_unknown_fields=True):
    """The keys of a tournament file."""

    name: Name
    seed: int | str
    game: Annotated[list[GameConfig], msgspec.Meta(min_length=1)]
    format: Format = "round-robin"
    deals: Whole = 10
    bots: tuple[str, ...] = ()
    bot: tuple[BotConfig, ...] = ()
    limits: LimitsConfig = LimitsConfig()
    anchor: Anchor | None = None
