"""The tournament file of a gate or a comparison: a mirror of two bots, with optional opponents."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from os.path import exists, relpath
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import tomli_w

from tourney.base.errors import ConfigError
from tourney.config.entrants import examine_bots, with_classes
from tourney.config.loader import combinations, of_text, read_text, short_name, tables
from tourney.config.tournament import FaultLimits, Tournament
from tourney.contracts.rng import secret_seed
from tourney.hosts.base import PROCESS_HOST
from tourney.plugins import registry
from tourney.plugins.bot_classes import PickledBot

Table: TypeAlias = dict[str, Any]


def command_words(command: str) -> list[str]:
    """The words of a command line, by the rules of the shell; a `ConfigError` if its quotes are open."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"{command}: not a command line ({error}); fix its quotes") from None


class GateFile(NamedTuple):
    """The parts of a tournament file that a gate uses."""

    games: Sequence[Table]  # the `[[game]]` tables
    bots: Mapping[str, Table]  # the `[[bot]]` tables by name
    limits: Table
    defaults: Table
    parallel: Any = None

    @property
    def bot_limits(self) -> Table:
        """The limits of bots alone, without the consequences of faults."""
        return {key: value for key, value in self.limits.items() if key not in FaultLimits.__struct_fields__}

    @property
    def keys(self) -> Table:
        """The other keys of the file."""
        others = {"defaults": self.defaults or None, "parallel": self.parallel}
        return {key: value for key, value in others.items() if value is not None}


class PlannedMirror(NamedTuple):
    """A playable `mirror` tournament, with its file's text and its run folder."""

    tournament: Tournament
    text: str
    path: Path

    @classmethod
    def of_tables(
        cls, kind: str, bots: Sequence[Table], games: Sequence[Table], limits: Table,
        seed: int | str | Callable[[Path], int | str], deals: int, out: Path | None,
        pickled: Mapping[str, PickledBot] = {}, keys: Mapping[str, Any] = {},
    ) -> Self:  # fmt: skip
        """The mirror of the bots in these `[[bot]]` tables: the new one, the old one, and their opponents.

        `kind` is the prefix of the run's name, `keys` are more keys of the file, and `seed` may depend on the folder.
        """
        name = re.sub("[ =]", "-", f"{kind}-{bots[0]['name']}-vs-{bots[1]['name']}")
        path = out or Path("results") / name
        seed = seed(path) if callable(seed) else seed
        own = {"name": name[:60], "seed": seed, "format": "mirror", "deals": deals}
        text = tournament_text(bots, games, limits, **own, **keys)
        tournament = with_classes(of_text(text, Path(kind)), pickled)
        return cls(examine_bots(tournament, Path(kind)), text, path)


def drawn_seed(path: Path, resumes: bool) -> int | str:
    """A new secret seed, or the seed of the run in a folder if it is resumed."""
    file = path / "tournament.toml"
    seed: int | str = tables(read_text(file), file).get("seed", "") if resumes else secret_seed()
    return seed


def tournament_text(bots: Sequence[Table], games: Sequence[Table], limits: Table, **keys: Any) -> str:
    """The text of a tournament file with these tables and further keys."""
    try:
        return tomli_w.dumps(keys | {"bot": bots, "game": games} | ({"limits": limits} if limits else {}))
    except (RecursionError, TypeError, ValueError) as error:
        raise ConfigError(f"bots, games or limits: {error}; use other values") from None


def bot_tables(
    uses: Sequence[str], known: Mapping[str, Table], host: str | None, defaults: Mapping[str, Any] = {}
) -> list[Table]:
    """The `[[bot]]` tables of NEW, OLD and the opponents, with unique names; `known` are a file's, by name.

    A bot in a file runs in `host`, the default host, or its own process, so that two versions do not mix.
    """
    host = host or defaults.get("host", PROCESS_HOST)
    bots = [_bot(use, known, host) for use in uses]
    if bots[0]["name"] == bots[1]["name"]:
        for bot, suffix in zip(bots, ("new", "old"), strict=False):
            bot["name"] += f"-{suffix}"
    taken: list[str] = []
    for bot in bots:
        while bot["name"] in taken:
            bot["name"] += "-field"
        taken.append(bot["name"])
    return bots


def _bot(use: str, known: Mapping[str, Table], host: str) -> Table:
    registry.refuse_blank(use)
    if use in known:
        return {key: value for key, value in known[use].items() if key != "null"}  # a gate has two bots and its field
    is_installed = not registry.file_and_name(use)[0]
    return {"name": short_name(use), "use": use} | ({} if is_installed else {"host": host})


def game_table(text: str) -> Table:
    """The `[[game]]` table of NAME or NAME:SEATS."""
    name, colon, seats = text.partition(":")
    takes = registry.load_game(name).seats
    if colon and not (seats.isdecimal() and len(seats) < 10):
        raise ConfigError(f"{text}: expected a number of seats after the colon, such as {name}:{takes[0]}")
    if not colon and len(takes) > 1:
        raise ConfigError(f"{text}: missing number of seats; for example {name}:{takes[0]}")
    return {"name": name, "seats": int(seats) if colon else takes[0]}


def read_file(path: Path) -> GateFile:
    """The parts of a tournament file that a gate uses, with paths relative to the working directory."""
    return of_tables(tables(read_text(path), path), path, Path())


def of_tables(data: Mapping[str, Any], path: Path, base: Path) -> GateFile:
    """The parts of a file's tables that a gate uses, with paths relative to `base`."""
    games, bots = data.get("game", []), data.get("bot", [])
    limits, defaults = data.get("limits", {}), data.get("defaults", {})
    for given in (games, bots, [limits, defaults]):
        if not (isinstance(given, list) and all([isinstance(each, dict) for each in given])):
            raise ConfigError(f"{path}: [[game]], [[bot]], [limits] and [defaults] must be tables")
    entered = [each for bot in bots if isinstance(bot.get("name"), str) for each in combinations(bot)]
    named = {bot["name"]: _moved(bot, path.parent, base) for bot in entered}
    return GateFile(games, named, limits, _moved_reads(defaults, path.parent, base), data.get("parallel"))


def _moved(bot: Table, folder: Path, base: Path) -> Table:
    bot = _moved_reads(bot, folder, base)
    use, command = bot.get("use", bot["name"]), bot.get("command")
    file, attribute = registry.file_and_name(use) if isinstance(use, str) else ("", "")
    if file:
        return bot | {"use": f"{relpath(folder / file, base)}:{attribute}"}
    if isinstance(command, list):
        files = [isinstance(word, str) and "/" in word and exists(folder / word) for word in command]
        moved = [
            f"./{relpath(folder / word, base)}" if file else word for word, file in zip(command, files, strict=True)
        ]
        return bot | {"command": moved}
    return bot


def _moved_reads(table: Table, folder: Path, base: Path) -> Table:
    reads = table.get("reads")
    if not (isinstance(reads, list) and all([isinstance(each, str) for each in reads])):
        return table
    return table | {"reads": [relpath(folder / each, base) for each in reads]}
