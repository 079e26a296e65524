"""The tournament file of a gate, from what the command line says."""

import tomllib
from collections.abc import Mapping, Sequence
from os.path import relpath
from pathlib import Path
from typing import Any

import click
import orjson

from tourney import config, plugins
from tourney.errors import ConfigError
from tourney.hosts.base import PROCESS_HOST

Table = dict[str, Any]


def tournament_text(bots: Sequence[Table], games: Sequence[Table], limits: Table | None, **keys: Any) -> str:
    """The text of the file that describes the mirror."""
    lines = [*_pairs(keys)]
    for name, tables in (("bot", bots), ("game", games)):
        for table in tables:
            lines += ["", f"[[{name}]]", *_pairs(table)]
    if limits:
        lines += ["", "[limits]", *_pairs(limits)]
    return "\n".join([*lines, ""])


def games_of(given: Sequence[str], options: Sequence[str]) -> list[Table]:
    """The `[[game]]` tables of `--game NAME` or `--game NAME:SEATS`, each with its `--option GAME.KEY=VALUE`."""
    tables = [_game(text) for text in given]
    for option in options:
        at, sign, value = option.partition("=")
        name, dot, key = at.partition(".")
        if not (sign and dot and name and key):
            raise click.UsageError(f"--option {option}: write GAME.KEY=VALUE, as in vole.target=11")
        meant = [table for table in tables if table["name"] == name]
        if not meant:
            raise click.UsageError(f"--option {option}: there is no --game {name}")
        for table in meant:
            table.setdefault("options", {})[key] = _value(value)
    return tables


def _game(text: str) -> Table:
    name, colon, seats = text.partition(":")
    takes = plugins.load_game(name).seats
    if colon and not seats.isdecimal():
        raise click.UsageError(f"--game {text}: give the number of seats after the colon, as in {name}:{takes[0]}")
    if not colon and len(takes) > 1:
        raise click.UsageError(f"--game {text}: say how many seats, as in {name}:{takes[0]}")
    return {"name": name, "seats": int(seats) if colon else takes[0]}


def bots_of(uses: Sequence[str], known: Mapping[str, Table], inline: bool) -> list[Table]:
    """The `[[bot]]` tables of NEW, OLD and the field, each with a name of its own; `known` are a file's, by name.

    A bot in a file runs in a process of its own, so that two versions do not mix, unless all are to run `inline`.
    """
    tables = [_bot(use, known, inline) for use in uses]
    if tables[0]["name"] == tables[1]["name"]:
        for table, suffix in zip(tables, ("new", "old"), strict=False):
            table["name"] += f"-{suffix}"
    taken: list[str] = []
    for table in tables:
        while table["name"] in taken:
            table["name"] += "-field"
        taken.append(table["name"])
    return tables


def read_file(path: Path) -> tuple[list[Table], dict[str, Table], Table]:
    """What a gate takes from a tournament file: its games, its `[[bot]]` tables by name, its limits."""
    data = config.tables(path)
    games, bots, limits = data.get("game", []), data.get("bot", []), data.get("limits", {})
    if not (_are_tables(games) and _are_tables(bots) and isinstance(limits, dict)):
        raise ConfigError(f"{path}: [[game]], [[bot]] and [limits] are tables; write them so")
    return games, {bot["name"]: _moved(bot, path.parent) for bot in bots if isinstance(bot.get("name"), str)}, limits


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all([isinstance(item, dict) for item in value])


def _moved(bot: Table, folder: Path) -> Table:
    """The table, with paths seen from here."""
    use, command = bot.get("use", bot["name"]), bot.get("command")
    file, _, attribute = use.rpartition(":") if isinstance(use, str) else ("", "", "")
    if file:
        return bot | {"use": f"{relpath(folder / file)}:{attribute}"}
    if isinstance(command, list):
        return bot | {"command": [_seen_from_here(word, folder) for word in command]}
    return bot


def _seen_from_here(word: Any, folder: Path) -> Any:
    """A word of a command; one with a slash that is a file of the folder gets its path."""
    return f"./{relpath(folder / word)}" if isinstance(word, str) and "/" in word and (folder / word).exists() else word


def _bot(use: str, known: Mapping[str, Table], inline: bool) -> Table:
    if use in known:
        return dict(known[use])
    file, _, _ = use.rpartition(":")
    if not file:
        return {"name": use, "use": use}
    return {"name": Path(file).stem, "use": use} | ({} if inline else {"host": PROCESS_HOST})


def _value(text: str) -> Any:
    """A value as TOML reads it; anything else is text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError, RecursionError):
        return text


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_toml(value)}" for key, value in table.items()]


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _toml(key)


def _toml(value: Any) -> str:
    """The value as TOML in one line; texts and numbers read there as in JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_pairs(value))} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join([_toml(item) for item in value])}]"
    return orjson.dumps(value).decode()
