"""Reads tournaments and bots from dictionaries, paths and classes."""

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import tomli_w

from tourney import config
from tourney.base.errors import ConfigError, type_name
from tourney.config import Tournament
from tourney.config.loader import short_name
from tourney.plugins import bot_classes
from tourney.plugins.bot_classes import PickledBot
from tourney.plugins.failures import in_one_line

BotGiven: TypeAlias = str | type[Any] | Mapping[str, Any]
"""A bot: a plugin's name or FILE.py:NAME, a class, or the keys of a `[[bot]]` table."""
ConfigGiven: TypeAlias = Mapping[str, Any] | str | PathLike[str]
"""A tournament: the keys of a tournament file, or the path of one."""

HERE = Path("config")  # the name of dictionaries in messages
CLASS_USE = "use a plugin's name, FILE.py:NAME, a class, or a dictionary with name and use"


def read_config(given: ConfigGiven) -> tuple[Tournament, str, Path]:
    """A tournament with unexamined bots, its file's text, and its path for messages."""
    classes: dict[str, PickledBot] = {}
    if isinstance(given, Mapping):
        path = HERE
        keys = _without_classes(given, classes)
        try:
            text = tomli_w.dumps(keys)
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ConfigError(
                f"{HERE}: cannot be written as TOML ({in_one_line(error)}); use texts, numbers, lists and dictionaries"
            ) from None
    else:
        path = Path(fspath(given))
        text = config.read_text(path)
    return config.with_classes(config.of_text(text, path), classes), text, path


def _without_classes(given: Mapping[str, Any], classes: dict[str, PickledBot]) -> dict[str, Any]:
    """Replaces classes by names, and adds them to `classes`."""
    keys = dict(given)
    bots, tables = keys.get("bots", []), keys.get("bot", [])
    if isinstance(bots, list | tuple) and isinstance(tables, list | tuple):
        if not all([isinstance(bot, str) for bot in bots]):  # then all become tables, in their order
            tables, keys["bots"] = [*bots, *tables], []
        keys["bot"] = [bot_table(bot, classes) for bot in tables]
    return keys


def bot_table(bot: BotGiven, classes: dict[str, PickledBot]) -> dict[str, Any]:
    """The `[[bot]]` table of a bot; a class is pickled and added to `classes`."""
    if isinstance(bot, str):
        return {"name": short_name(bot), "use": bot}
    table: dict[str, Any] = dict(bot) if isinstance(bot, Mapping) else {"use": bot}
    kind = table.get("use")
    if isinstance(kind, str):
        table.setdefault("name", short_name(kind))
    elif isinstance(kind, type):
        name = table.setdefault("name", kind.__name__)
        table = {"name": name} | table | {"use": bot_classes.use_of(kind)}
        classes[name] = bot_classes.pickled(kind)
    elif not isinstance(bot, Mapping):
        one_match = f"use the class {type_name(bot)}, because an object plays only one match"
        remedy = one_match if hasattr(bot, "act") else CLASS_USE
        raise ConfigError(f"bots: {type_name(bot)} is not a bot; {remedy}")
    return table
