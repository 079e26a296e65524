"""The JSON Schema of tournament files, for completion and checks in editors, which support draft 7."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

import msgspec
import orjson

from tourney.base.errors import PluginError
from tourney.base.validation import field_docs
from tourney.config.loader import BotDefaults, BotTable, GameTable, TournamentFile
from tourney.config.tournament import FaultLimits
from tourney.hosts.limits import Limits
from tourney.plugins import registry

DRAFT = "http://json-schema.org/draft-07/schema#"
_PLACE = "#/definitions/"


def schema_text() -> str:
    """The schema of tournament files as indented JSON."""
    return orjson.dumps(tournament_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def tournament_schema() -> dict[str, Any]:
    """The schema of tournament files, with the keys of the installed formats."""
    game, bot = _joined("Game", [GameTable]), _joined("Bot", [BotTable, Limits])
    limits = _joined("Limits", [Limits, FaultLimits])
    defaults = _joined("Defaults", [BotDefaults, Limits])
    tables = {"game": tuple[game, ...], "bot": tuple[bot, ...], "limits": limits, "defaults": defaults}  # type: ignore[valid-type]
    file = _joined("Tournament", [TournamentFile, *_format_options()], tables)
    _, components = msgspec.json.schema_components([file], ref_template=_PLACE + "{name}")
    definitions: dict[str, Any] = msgspec.to_builtins(components)
    top = definitions.pop("Tournament")
    return {"$schema": DRAFT, **top, "title": "A tournament of tourney", "definitions": definitions}


def _format_options() -> list[type[msgspec.Struct]]:
    every = []
    for name in registry.format_names():
        with suppress(PluginError, TypeError):  # reported on playing; editors can do without it
            options = registry.load_format(name).Options
            msgspec.json.schema(options)
            every.append(options)
    return every


def _joined(name: str, kinds: Sequence[type[msgspec.Struct]], types: Mapping[str, Any] = {}) -> type[Any]:
    """A struct with the fields of several, described by their docstrings; `types` overrides field types."""
    held: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    descriptions: dict[str, str | None] = {}  # where kinds say it differently, the first one stands
    for kind in kinds:
        docs = {key: text for each in reversed(kind.__mro__) for key, text in field_docs(each).items()}
        for field in msgspec.structs.fields(kind):
            key, of_type, default = field.encode_name, types.get(field.encode_name, field.type), field.default
            if field.default_factory is not msgspec.NODEFAULT:
                default = msgspec.field(default_factory=field.default_factory)
            held[key] = of_type if held.get(key, of_type) == of_type else Any
            # where they differ, it depends on the format
            defaults[key] = default if defaults.get(key, default) == default else msgspec.UNSET
            descriptions.setdefault(key, docs.get(field.name))
    fields = [
        (key, Annotated[of_type, msgspec.Meta(description=descriptions[key])], defaults[key])
        for key, of_type in held.items()
    ]
    return msgspec.defstruct(name, fields, forbid_unknown_fields=True, kw_only=True)
