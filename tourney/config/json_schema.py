"""The JSON Schema of tournament files, by which editors complete and check them.

It is made from the structs that read the files, and from the options of the formats, games, bots and hosts that are
installed. What is played is valid by it; the converse need not hold, since it knows only what single tables say. It is
of draft 7, which editors know.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec
import orjson

from tourney import plugins
from tourney.config.schema import BotTable, GameTable, TournamentFile
from tourney.config.tournament import FaultLimits, Scaling
from tourney.docstrings import field_docs
from tourney.errors import PluginError
from tourney.game import Options
from tourney.hosts.limits import Limits
from tourney.validation import plain

JsonSchema: TypeAlias = dict[str, Any]
P = TypeVar("P")

DRAFT = "http://json-schema.org/draft-07/schema#"
_PLACE = "#/definitions/"


def schema_text() -> str:
    """Returns the schema of tournament files as indented JSON."""
    return orjson.dumps(tournament_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def tournament_schema() -> JsonSchema:
    """Returns the schema of tournament files, with whatever is installed."""
    formats = {name: each.Options for name, each in _loaded(plugins.format_names(), plugins.load_format).items()}
    games = _loaded(plugins.game_names(), plugins.load_game)
    hosts = {name: each.Options for name, each in _loaded(plugins.host_names(), plugins.load_host).items()}
    found = _loaded(plugins.bot_names(), lambda name: plugins.load_bot(name, Path()))
    bots = {name: bot.options or Options for name, bot in found.items()}
    kinds = [*formats.values(), *[game.Options for game in games.values()], *hosts.values(), *bots.values()]
    structs = _Structs([TournamentFile, GameTable, BotTable, Limits, FaultLimits, Scaling, *kinds])
    keys, required = structs.keys(TournamentFile), structs.required(TournamentFile)
    keys["format"]["enum"] = list(formats)
    keys["bots"]["items"] = _one_of_or_other(bots) | keys["bots"]["items"]
    keys["game"]["items"] = _game_table(structs, games)
    keys["bot"]["items"] = _bot_table(structs, bots, hosts)
    keys["limits"] |= _table(structs.keys(Limits) | structs.keys(FaultLimits) | structs.keys(Scaling))
    own = {name: structs.keys(options) for name, options in formats.items()}
    owners = {key: [name for name in own if key in own[name]] for keys in own.values() for key in keys}
    keys |= {key: _any_of([own[name][key] for name in names]) for key, names in owners.items()}
    rules = [_only_for(key, names, list(formats), keys["format"]["default"]) for key, names in owners.items()]
    schema = {"$schema": DRAFT, "title": "A tournament of tourney"} | _table(keys, required, rules)
    return schema | {"definitions": structs.definitions(schema)}


def _loaded(names: Iterable[str], load: Callable[[str], P]) -> dict[str, P]:
    """Returns the plugins of these names that can be loaded."""
    found = {}
    for name in names:
        try:
            found[name] = load(name)
        except PluginError:  # whoever plays with it is told; an editor can do without it
            continue
    return found


def _table(keys: Mapping[str, JsonSchema], required: Sequence[str] = (), rules: Sequence[Any] = ()) -> JsonSchema:
    """Returns the schema of a table with these keys and no others; `rules` are schemas that all have to hold."""
    head = {"type": "object", "properties": dict(keys), "additionalProperties": False}
    return head | ({"required": list(required)} if required else {}) | ({"allOf": list(rules)} if rules else {})


def _game_table(structs: "_Structs", games: Mapping[str, Any]) -> JsonSchema:
    """Returns the schema of a `[[game]]` table: which seats and options it may have depends on the game."""
    keys = structs.keys(GameTable)
    known: JsonSchema = {"enum": list(games)}
    provided = [{"pattern": f"^{re.escape(prefix)}:."} for prefix in plugins.provider_names()]
    keys["name"] |= {"anyOf": [known, *provided]} if provided else known
    rules = []
    for name, game in games.items():
        its = {"seats": {"enum": list(game.seats)}, "options": structs.table(game.Options)}
        needed = {"required": ["seats"]} if len(game.seats) > 1 else {}
        rules.append({"if": _is("name", name), "then": {"properties": its} | needed})
    return _table(keys, structs.required(GameTable), rules)


def _bot_table(structs: "_Structs", bots: Mapping[str, Any], hosts: Mapping[str, Any]) -> JsonSchema:
    """Returns the schema of a `[[bot]]` table: which options it may have depends on the bot and on its host."""
    keys = structs.keys(BotTable) | structs.keys(Limits)
    keys["use"] |= _one_of_or_other(bots)
    keys["host"]["enum"] = list(hosts)
    rules: list[JsonSchema] = [{"not": {"required": ["use", "command"]}}]
    for name, options in bots.items():
        by_name = _is("name", name) | {"not": {"anyOf": [{"required": ["use"]}, {"required": ["command"]}]}}
        its = {"properties": {"options": structs.table(options)}}
        rules.append({"if": {"anyOf": [_is("use", name), by_name]}, "then": its})
    for name, options in hosts.items():
        rules.append({"if": _is("host", name), "then": {"properties": {"host_options": structs.table(options)}}})
    return _table(keys, structs.required(BotTable), rules)


def _is(key: str, value: str) -> JsonSchema:
    return {"properties": {key: {"const": value}}, "required": [key]}


def _only_for(key: str, owners: Sequence[str], formats: Sequence[str], default: str) -> JsonSchema:
    """Returns the rule that a key stands in files of its formats only."""
    others = [name for name in formats if name not in owners]
    other = {"properties": {"format": {"enum": others}}} | ({} if default in others else {"required": ["format"]})
    return {"if": other, "then": {"properties": {key: False}}}


def _one_of_or_other(names: Iterable[str]) -> JsonSchema:
    """Returns the schema of a text for which these names are proposed, and any other is allowed."""
    return {"anyOf": [{"enum": list(names)}, {"type": "string"}]}


def _any_of(schemas: Sequence[JsonSchema]) -> JsonSchema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


class _Structs:
    """The schemas of structs as msgspec makes them, without null, which TOML has not, and with their docstrings."""

    def __init__(self, kinds: Iterable[type[Any]]) -> None:
        every = [each for each in dict.fromkeys(_with_nested(kinds)) if _has_schema(each)]
        places, found = msgspec.json.schema_components(every, ref_template=_PLACE + "{name}")
        self._schemas: dict[type[Any], JsonSchema] = {}
        self._names: dict[str, type[Any]] = {}
        for kind, place in zip(every, places, strict=True):
            schema = plain(found[place["$ref"].removeprefix(_PLACE)])
            docs = {name: text for each in reversed(kind.__mro__) for name, text in field_docs(each).items()}
            for key, value in schema["properties"].items():
                schema["properties"][key] = _without_null(value) | ({"description": docs[key]} if key in docs else {})
            self._schemas[kind] = schema
            self._names[place["$ref"].removeprefix(_PLACE)] = kind

    def keys(self, kind: type[Any]) -> dict[str, JsonSchema]:
        """Returns the schemas of a struct's fields."""
        found: dict[str, JsonSchema] = self._schemas[kind]["properties"] if kind in self._schemas else {}
        return {key: dict(value) for key, value in found.items()}

    def required(self, kind: type[Any]) -> list[str]:
        """Returns the names of the fields without a default."""
        found: list[str] = self._schemas[kind]["required"]
        return found

    def table(self, kind: type[Any]) -> JsonSchema:
        """Returns the schema of a struct; of one for which there is none, that of any table."""
        if kind not in self._schemas:
            return {"type": "object"}
        closed = {"additionalProperties": not kind.__struct_config__.forbid_unknown_fields}
        return _table(self.keys(kind), self.required(kind)) | closed

    def definitions(self, schema: JsonSchema) -> dict[str, JsonSchema]:
        """Returns the definitions that a schema refers to, and those that they refer to, by name."""
        found: dict[str, JsonSchema] = {}
        new = [name for name in self._names if _refers(schema, name)]
        while new:
            found |= {name: self.table(self._names[name]) for name in new}
            new = [name for name in self._names if name not in found and _refers(found, name)]
        return found


def _with_nested(kinds: Iterable[Any]) -> Iterator[type[Any]]:
    """Yields the structs among these types, and those that their fields hold."""
    for kind in kinds:
        yield from _with_nested(get_args(kind))
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield kind
            yield from _with_nested(get_type_hints(kind).values())


def _refers(schema: Mapping[str, Any], name: str) -> bool:
    return f'"{_PLACE}{name}"' in orjson.dumps(schema).decode()


def _has_schema(kind: type[Any]) -> bool:
    try:
        msgspec.json.schema(kind)
    except Exception:  # a plugin's struct may hold what JSON cannot
        return False
    return True


def _without_null(schema: JsonSchema) -> JsonSchema:
    found = {key: value for key, value in schema.items() if key != "default" or value is not None}
    if "anyOf" in found:
        left = [each for each in found.pop("anyOf") if each != {"type": "null"}]
        found |= left[0] if len(left) == 1 else {"anyOf": left}
    if "$ref" in found:  # beside which nothing else counts
        found["allOf"] = [{"$ref": found.pop("$ref")}]
    return found
