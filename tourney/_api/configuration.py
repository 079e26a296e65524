"""Tournaments and bots as Python programs give them: dictionaries, paths, classes."""

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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

HERE = Path("config")
"""What messages call a configuration that is no file; its paths are relative to the working folder."""
CLASS_USE = "give its name, FILE.py:NAME, its class, or a dictionary with name and use"


class GivenTournament(NamedTuple):
    """A tournament that can be played."""

    tournament: Tournament
    text: str
    """The text of its file."""
    classes: dict[str, PickledBot]
    """The bots that are sent to the workers as classes, by the name of the entrant."""


def read_config(given: ConfigGiven) -> GivenTournament:
    """Reads a tournament.

    Raises:
        ConfigError: It is refused.
        PluginError: A class cannot be sent to workers.
    """
    classes: dict[str, PickledBot] = {}
    if isinstance(given, Mapping):
        path, text = HERE, _toml(_without_classes(given, classes))
    else:
        path = Path(fspath(given))
        text = config.read_text(path)
    tournament = config.with_classes(config.of_text(text, path), classes)
    config.examine_bots(tournament, path)
    return GivenTournament(tournament, text, classes)


def _without_classes(given: Mapping[str, Any], classes: dict[str, PickledBot]) -> dict[str, Any]:
    """Returns the keys of a tournament with names in the place of classes, which are added to `classes`.

    Where `bots` holds more than names, all become `[[bot]]` tables, so that they stay in their order.
    """
    keys = dict(given)
    bots, tables = keys.get("bots", []), keys.get("bot", [])
    if isinstance(bots, list | tuple) and isinstance(tables, list | tuple):
        if not all([isinstance(bot, str) for bot in bots]):
            tables, keys["bots"] = [*bots, *tables], []
        keys["bot"] = [bot_table(bot, classes) for bot in tables]
    return keys


def bot_table(bot: BotGiven, classes: dict[str, PickledBot]) -> dict[str, Any]:
    """Returns the `[[bot]]` table of a bot; a class is pickled and added to `classes`.

    Raises:
        ConfigError: It is no bot.
        PluginError: The class cannot be sent to workers.
    """
    if isinstance(bot, str):
        return {"name": short_name(bot), "use": bot}
    table: dict[str, Any] = dict(bot) if isinstance(bot, Mapping) else {"use": bot}
    kind = table.get("use")
    if isinstance(kind, type):
        name = table.setdefault("name", kind.__name__)
        table = {"name": name} | table | {"use": bot_classes.use_of(kind)}
        classes[name] = bot_classes.pickled(kind)
    elif not isinstance(bot, Mapping):
        its_class = f"; a bot object plays one match, so give its class {type_name(bot)}" if hasattr(bot, "act") else ""
        raise ConfigError(f"bots: {type_name(bot)} is no bot{its_class or f'; {CLASS_USE}'}")
    return table


def _toml(keys: Mapping[str, Any]) -> str:
    try:
        return tomli_w.dumps(keys)
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        why = in_one_line(error)
        raise ConfigError(f"{HERE}: cannot be written as TOML ({why}); give texts, numbers, lists and such") from None
