"""A tournament file (TOML) into a `Tournament`, or an error that names the key and the remedy.

Nothing is repaired: unknown keys, wrong types and impossible values are refused before anything is played.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from tourney import format_keys, plugins, validation
from tourney.config.entrants import check_bots, games_played
from tourney.config.schema import BotConfig, FileConfig, GameConfig
from tourney.config.tournament import Entrant, Tournament, check_anchor
from tourney.errors import ConfigError, TourneyError
from tourney.format_keys import FormatKeys
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST, Limits
from tourney.hosts.factory import host_type
from tourney.match import GameSetup
from tourney.rng import root_seed

_NAME = re.compile(r"[\w.+-]+")


def load(path: Path) -> Tournament:
    """The tournament that a file describes, with all its bots and games loaded once to see that they are there."""
    tournament = read(path)
    check_bots(tournament, path)
    return tournament


def read(path: Path) -> Tournament:
    """The same before any bot is loaded: whether they are there is left to `check_bots`."""
    return _resolved(tables(path), path)


def tables(path: Path) -> dict[str, Any]:
    """The tables of a tournament file, whatever is in them; a `ConfigError` if there is no such file, or no TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; give the path of a tournament file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text; give the path of a tournament file") from None
    return _data(text, path)


def parse(text: str, path: Path) -> Tournament:
    """The tournament that a text describes; `path` is where it is from, for messages and relative paths."""
    return resolve(_data(text, path), path)


def resolve(data: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament that the data of a tournament file describe; `path` is where they are from, as in `parse`."""
    tournament = _resolved(data, path)
    check_bots(tournament, path)
    return tournament


def games_of(bot: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """The games that a bot plays, the data of a `[[bot]]` table; None for every game. Paths are relative to `folder`.

    Raises a `TourneyError` where there is no such bot.
    """
    entrant = _entrant(validation.read(BotConfig, bot, "bot"), Limits())
    return games_played(entrant, folder)


def _data(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply; no key needs more than a few levels") from None


def _resolved(data: Mapping[str, Any], path: Path) -> Tournament:
    config = validation.read(FileConfig, data, str(path))
    try:
        return _tournament(config, path)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _tournament(config: FileConfig, path: Path) -> Tournament:
    _check_name("name", config.name)
    setups = tuple([_setup(game, i) for i, game in enumerate(config.game)])
    _refuse_twins([(c.game, c.seats, sorted(c.options.items())) for c in setups], "game")
    entrants = _entrants(config)
    _refuse_twins([entrant.name for entrant in entrants], "bot")
    for entrant in entrants:
        _check_name("bots", entrant.name)
    names = [entrant.name for entrant in entrants]
    format_keys.check(config.format, config, names, setups)
    check_anchor(config.anchor, names)
    return Tournament(
        config.name,
        root_seed(config.seed),
        config.format,
        config.deals,
        entrants,
        setups,
        config.limits.match_s,
        str(path.parent.resolve()),
        tuple([game.weight for game in config.game]),
        config.format == "swiss" and all([_fits_smaller(setup, config) for setup in setups]),
        groups=config.groups,
        challengers=config.challengers,
        rounds=config.rounds,
        seatings=config.seatings,
        anchor=config.anchor,
        max_faults=config.limits.max_faults,
        max_faults_in_row=config.limits.max_faults_in_row,
        max_fault_rate=config.limits.max_fault_rate,
    )


def _setup(game: GameConfig, index: int) -> GameSetup:
    where = f"game[{index}]"
    try:
        rules = plugins.load_game(game.name)
    except TourneyError as error:
        raise ConfigError(f"{where}.name: {error}") from None
    seats = game.seats
    if seats is None:
        if len(rules.seats) > 1:
            raise ConfigError(f"{where}: say how many seats, as in seats = {rules.seats[0]}")
        seats = rules.seats[0]
    if seats not in rules.seats:
        raise ConfigError(f"{where}.seats: {rules.no_such_seats(seats)}")
    options = rules.options(seats, game.options, f"{where}.options")
    if not isfinite(game.weight):
        raise ConfigError(f"{where}.weight: {game.weight} is no weight; take a number above 0, as in weight = 2")
    defaults = type(options)()
    names = [name for name in options.__struct_fields__ if getattr(options, name) != getattr(defaults, name)]
    return GameSetup(game.name, seats, validation.plain({name: getattr(options, name) for name in names}))


def _fits_smaller(setup: GameSetup, keys: FormatKeys) -> bool:
    """Whether the setup can be played with one seat less, in these seatings and with its options."""
    smaller = GameSetup(setup.game, setup.seats - 1, setup.options)
    rules = plugins.load_game(setup.game)
    if smaller.seats not in rules.seats:
        return False
    try:
        format_keys.check_seatings(keys.seatings, smaller)
        rules.options(smaller.seats, smaller.options)
    except ConfigError:
        return False
    return True


def _entrants(config: FileConfig) -> tuple[Entrant, ...]:
    limits = Limits(**{name: getattr(config.limits, name) for name in Limits.__struct_fields__})
    short = [Entrant(_short_name(use), use, {}, limits=limits) for use in config.bots]
    return (*short, *[_entrant(bot, limits) for bot in config.bot])


def _entrant(bot: BotConfig, limits: Limits) -> Entrant:
    own = {name: getattr(bot, name) for name in Limits.__struct_fields__ if getattr(bot, name) is not None}
    limits = msgspec.structs.replace(limits, **own)
    where = f"bot {bot.name}"
    host = bot.host or (DEFAULT_HOST if bot.command is None else PROCESS_HOST)
    try:
        kind = host_type(host)
    except TourneyError as error:
        raise ConfigError(f"{where}: host: {error}") from None
    for name in own:
        if name not in kind.enforces:
            raise ConfigError(f'{where}: {name}: host = "{host}" has no such limit; leave it out, or take another host')
    if bot.command is None:
        use = bot.use if bot.use is not None else bot.name
        return Entrant(bot.name, use, bot.options, (), host, limits, bot.reads, bot.host_options)
    if bot.use is not None:
        raise ConfigError(f"{where}: has both use and command; leave out the one or the other")
    if bot.options:
        raise ConfigError(f"{where}: options are for Python bots; give a program its settings in its command")
    if not bot.command or not bot.command[0]:
        raise ConfigError(f'{where}: command is empty; say what to start, as in command = ["./rusty", "--fast"]')
    if not kind.runs_programs:
        raise ConfigError(f'{where}: a program cannot run {host}; take host = "{PROCESS_HOST}"')
    return Entrant(bot.name, "", {}, bot.command, host, limits, bot.reads, bot.host_options)


def _short_name(use: str) -> str:
    """The entrant's name in the short form: the plugin's, or that of the file."""
    file, _, _ = use.rpartition(":")
    return Path(file).stem if file else use


def _check_name(key: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError(f'{key}: "{name}" is no name; use letters, digits and . _ + -')


def _refuse_twins(values: Sequence[Any], key: str) -> None:
    for i, value in enumerate(values):
        if value in values[:i]:
            if key == "bot":
                raise ConfigError(
                    f'bots: two are named "{value}"; give each a name of its own, as [[bot]] with name, use'
                )
            raise ConfigError(f"{key}[{i}]: is there twice; remove one")
