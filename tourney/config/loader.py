"""Reads a tournament file (TOML) into a `Tournament`, or raises an error that names the key and the remedy.

Nothing is repaired: unknown keys, wrong types and impossible values are refused before anything is played.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from tourney.base import validation
from tourney.base.errors import ConfigError, PluginError, TourneyError, did_you_mean
from tourney.config.entrants import examine_bots, games_played
from tourney.config.tables import BotTable, GameTable, TournamentFile
from tourney.config.tournament import (
    MOST_BOTS,
    Entrant,
    FaultLimits,
    Seatings,
    Tournament,
    TournamentKeys,
    validate_seatings,
    validate_tournament,
)
from tourney.contracts.match import GameSetup
from tourney.contracts.rng import root_seed
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST, host_type
from tourney.hosts.limits import ENFORCED, Limits
from tourney.plugins import registry
from tourney.plugins.game_failures import reading_options


def game_setup(game: GameTable, where: str) -> GameSetup:
    """Returns the game of a `[[game]]` table, with those of its options that differ from their defaults."""
    try:
        rules = registry.load_game(game.name)
    except TourneyError as error:
        raise ConfigError(f"{where}.name: {error}") from None
    seats = game.seats
    if seats is None:
        if len(rules.seats) > 1:
            raise ConfigError(f"{where}: say how many seats, as in seats = {rules.seats[0]}")
        seats = rules.seats[0]
    if seats not in rules.seats:
        raise ConfigError(f"{where}.seats: {rules.no_such_seats(seats)}")
    with reading_options(rules):
        options = rules.options(seats, game.options, f"{where}.options")
        defaults = type(options)()
    if not isfinite(game.weight):
        raise ConfigError(f"{where}.weight: {game.weight} is no weight; take a number above 0, as in weight = 2")
    names = [name for name in options.__struct_fields__ if getattr(options, name) != getattr(defaults, name)]
    return GameSetup(game.name, seats, validation.plain({name: getattr(options, name) for name in names}))


NEEDS_LINUX = "this limit needs Linux; leave it out here, or play on Linux"
"""What is said of a limit that no host can keep on this system."""
MAX_BYTES = 2 * 1024 * 1024
"""The length of the longest tournament file that is read."""
MAX_COMMAND = 100_000
"""The length of the longest command of a program, in bytes; the system takes no word that is much longer."""


def load(path: Path) -> Tournament:
    """Returns the tournament of a file, after each of its games and bots was loaded once."""
    tournament = read(path)
    examine_bots(tournament, path)
    return tournament


def read(path: Path) -> Tournament:
    """Returns the tournament of a file without a look at its bots, which `examine_bots` examines."""
    return of_text(read_text(path), path)


def of_text(text: str, path: Path) -> Tournament:
    """Returns the tournament of the text of a file without a look at its bots, as `read` does."""
    return _resolved(_data(text, path), path)


def tables(path: Path) -> dict[str, Any]:
    """Returns the tables of a tournament file, whatever is in them."""
    return _data(read_text(path), path)


def read_text(path: Path) -> str:
    """Returns the text of a tournament file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{path}: is larger than {MAX_BYTES} bytes; give the path of a tournament file")
        return content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text; give the path of a tournament file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConfigError(f"{path}: {why}; give the path of a tournament file") from None


def parse(text: str, path: Path) -> Tournament:
    """Returns the tournament of a text, as `load` does; messages and relative paths take `path` for its file."""
    return resolve(_data(text, path), path)


def resolve(data: Mapping[str, Any], path: Path) -> Tournament:
    """Returns the tournament of the tables of a file, as `load` does; `path` is the path of the file."""
    tournament = _resolved(data, path)
    examine_bots(tournament, path)
    return tournament


def games_of(bot: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """Returns the games that the bot of a `[[bot]]` table plays; None means every game."""
    return games_played(_entrant(bot, {}, "bot", ""), folder)


def _data(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except ValueError:
        raise ConfigError(f"{path}: has a number of thousands of digits; take a smaller one") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply; no key needs more than a few levels") from None


def _resolved(data: Mapping[str, Any], path: Path) -> Tournament:
    try:
        return _tournament(data, str(path.parent.resolve()))
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _tournament(data: Mapping[str, Any], folder: str) -> Tournament:
    validation.refuse_extremes(data)
    if not isinstance(data.get("game"), list):  # what is missing may stand under a key that nobody knows
        _refuse_unknown_keys(data)
    for key in ("game", "bot"):
        if isinstance(data.get(key), dict):
            raise ConfigError(f"{key}: [{key}] is a single table; write [[{key}]], in double brackets")
    file = validation.read(TournamentFile, validation.keys_of(TournamentFile, data), "")
    games = [validation.read(GameTable, game, "", f"game[{i}]") for i, game in enumerate(file.game)]
    options = _format_options(file.format, data)
    kinds = (Limits, FaultLimits)
    limits, fault_limits = validation.read_shared(kinds, file.limits, "", "limits")
    limits.validate("limits")
    setups = tuple([game_setup(game, f"game[{i}]") for i, game in enumerate(games)])
    entrants = _entrants(file, limits)
    tournament = Tournament(
        **{key: getattr(file, key) for key in TournamentKeys.__struct_fields__},
        seed=root_seed(file.seed),
        format_options=options,
        entrants=entrants,
        setups=setups,
        weights=tuple([game.weight for game in games]),
        match_s=limits.match_s,
        fault_limits=fault_limits,
        fits_fewer_seats=registry.load_format(file.format).plays_smaller_groups
        and all([_fits_fewer_seats(setup, file.seatings) for setup in setups]),
        folder=folder,
    )
    validate_tournament(tournament)
    return tournament


def _format_options(name: str, data: Mapping[str, Any]) -> Any:
    """Returns the options of the format of that name, read from its own keys of a tournament file."""
    try:
        kind = registry.load_format(name)
    except PluginError as error:
        raise ConfigError(f"format: {error}") from None
    shared, own = TournamentFile.__struct_fields__, kind.Options.__struct_fields__
    if both := [key for key in own if key in shared]:
        raise PluginError(f'format "{name}": every tournament has a key "{both[0]}"; rename that of the format')
    given = {key: value for key, value in data.items() if key not in shared}
    for key in given:
        if key not in own:
            owners = _owners(key)
            if not owners:
                raise ConfigError(f'no key "{key}"; {did_you_mean(key, (*shared, *own))}')
            formats = " or ".join([f'"{owner}"' for owner in owners])
            raise ConfigError(f'{key}: belongs to format = {formats}, not to "{name}"; leave it out')
    return validation.read(kind.Options, given, "")


def _refuse_unknown_keys(data: Mapping[str, Any]) -> None:
    """Refuses a key that belongs to no format."""
    shared = TournamentFile.__struct_fields__
    for key in data:
        if key not in shared and not _owners(key):
            raise ConfigError(f'no key "{key}"; {did_you_mean(key, shared)}')


def _owners(key: str) -> list[str]:
    """Returns the names of the formats that have a key of that name."""
    return [name for name in registry.format_names() if key in _own_keys(name)]


def _own_keys(name: str) -> Sequence[str]:
    """Returns the keys that belong to a format alone; none if the format cannot be loaded."""
    try:
        keys: Sequence[str] = registry.load_format(name).Options.__struct_fields__
    except PluginError:
        return ()
    return keys


def _fits_fewer_seats(setup: GameSetup, seatings: Seatings) -> bool:
    """Returns whether the setup can be played with one seat fewer, in these seatings and with its options."""
    fewer = GameSetup(setup.game, setup.seats - 1, setup.options)
    rules = registry.load_game(setup.game)
    if fewer.seats not in rules.seats:
        return False
    try:
        validate_seatings(seatings, fewer)
        with reading_options(rules):
            rules.options(fewer.seats, fewer.options)
    except ConfigError:
        return False
    return True


def _entrants(file: TournamentFile, limits: Limits) -> tuple[Entrant, ...]:
    if len(file.bots) + len(file.bot) > MOST_BOTS:
        raise ConfigError(f"bots: {len(file.bots) + len(file.bot)} are more than {MOST_BOTS}; enter fewer")
    short = [Entrant(short_name(use), use, {}, limits=limits) for use in file.bots]
    for entrant in short[:1]:  # all of them have the same host
        _refuse_unenforced(entrant.name, DEFAULT_HOST, {}, file.limits)
    return (*short, *[_entrant(bot, file.limits, "", f"bot[{i}]") for i, bot in enumerate(file.bot)])


def _entrant(data: Mapping[str, Any], limits: Mapping[str, Any], where: str, table: str) -> Entrant:
    """Returns the entrant of a `[[bot]]` table; `limits` is the `[limits]` table."""
    bot, _ = validation.read_shared((BotTable, Limits), data, where, table)
    own = validation.keys_of(Limits, data)
    merged = validation.read(Limits, {**validation.keys_of(Limits, limits), **own}, where, table)
    merged.validate(table)
    where = f"bot {bot.name}"
    validation.refuse_large_numbers(bot.options, f"{where}: options")
    validation.refuse_large_numbers(bot.host_options, f"{where}: host_options")
    host = bot.host or (DEFAULT_HOST if bot.command is None else PROCESS_HOST)
    try:
        kind = host_type(host)
    except TourneyError as error:
        raise ConfigError(f"{where}: host: {error}") from None
    _refuse_unenforced(bot.name, host, own, limits)
    if bot.keep and not kind.keeps:
        raise ConfigError(
            f'{where}: keep: host = "{host}" has no process of the bot to keep; take host = "{PROCESS_HOST}", or leave '
            "it out"
        )
    if not kind.has_bots and (bot.use is not None or bot.command is not None):
        raise ConfigError(f'{where}: host = "{host}" has no bots; leave out use and command, or take another host')
    if not kind.has_bots:
        use, command = "", ()
    elif bot.command is None:
        use, command = bot.use if bot.use is not None else bot.name, ()
    else:
        _validate_program(bot, where)
        use, command = "", bot.command
        if not kind.runs_programs:
            raise ConfigError(f'{where}: a program cannot run {host}; take host = "{PROCESS_HOST}"')
    return Entrant(bot.name, use, bot.options, command, host, bot.host_options, merged, bot.reads, bot.keep)


def _refuse_unenforced(name: str, host: str, own: Mapping[str, Any], shared: Mapping[str, Any]) -> None:
    """Refuses a limit that would not hold in the host of a bot: one of its own, or one of `[limits]`."""
    enforced = host_type(host).enforces
    for key in own:
        if key not in enforced:
            if key not in ENFORCED:
                raise ConfigError(f"bot {name}: {key}: {NEEDS_LINUX}")
            raise ConfigError(f'bot {name}: {key}: host = "{host}" has no such limit; {_other_host(key)}leave it out')
    for key in validation.keys_of(Limits, shared):
        if key not in ENFORCED:
            raise ConfigError(f"limits.{key}: {NEEDS_LINUX}")
        if key not in enforced:
            raise ConfigError(
                f'limits.{key}: bot {name} has host = "{host}", which has no such limit; {_other_host(key)}'
                "give the limit to the other bots alone"
            )


def _other_host(limit: str) -> str:
    """Returns the part of a remedy that names a host which has the limit."""
    if limit not in host_type(PROCESS_HOST).enforces:
        return ""
    return f'take host = "{PROCESS_HOST}" in its [[bot]] table, or '


def _validate_program(bot: BotTable, where: str) -> None:
    """Validates the table of a bot that is a program."""
    if bot.use is not None:
        raise ConfigError(f"{where}: has both use and command; leave out the one or the other")
    if bot.options:
        raise ConfigError(f"{where}: options are for Python bots; give a program its settings in its command")
    if not bot.command or not bot.command[0]:
        raise ConfigError(f'{where}: command is empty; say what to start, as in command = ["./rusty", "--fast"]')
    if sum([len(os.fsencode(word)) + 1 for word in bot.command]) > MAX_COMMAND:
        raise ConfigError(f"{where}: command has more than {MAX_COMMAND} bytes; put what is so long into a file")


def short_name(use: str) -> str:
    """Returns the entrant's name where only `use` is given: the plugin's name, or that of the file or folder."""
    file, name = registry.file_and_name(use)
    return Path(file).name.removesuffix(".py") if file else name.rpartition(":")[2]
