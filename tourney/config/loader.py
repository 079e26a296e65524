"""Reads a tournament file (TOML) into a `Tournament`, or raises an error that names the key and the remedy.

Nothing is repaired: unknown keys, wrong types and impossible values are refused before anything is played.
"""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from itertools import product
from math import isfinite, prod
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from tourney.base import validation
from tourney.base.errors import ConfigError, PluginError, TourneyError, did_you_mean
from tourney.base.validation import Text
from tourney.config.entrants import examine_bots, games_played
from tourney.config.names import setting_name, value_text
from tourney.config.tournament import (
    MOST_BOTS,
    FaultLimits,
    Name,
    Seatings,
    Tournament,
    TournamentKeys,
    Weight,
    validate_seatings,
    validate_tournament,
)
from tourney.contracts.match import GameSetup
from tourney.contracts.rng import root_seed
from tourney.hosts.base import DEFAULT_HOST, HTTP_HOST, PROCESS_HOST, BotHost, Entrant, Sweep, host_type
from tourney.hosts.limits import ENFORCED, Limits
from tourney.plugins import registry
from tourney.plugins.failures import reading_options

MAX_BYTES = 2 * 1024 * 1024
"""The size of the largest tournament file that is read."""
PathText: TypeAlias = Annotated[Text, msgspec.Meta(max_length=4096)]
Word: TypeAlias = Annotated[Text, msgspec.Meta(max_length=100_000)]
"""An argument of a command, no longer than the system allows."""


class BotDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """What `[defaults]` says for every bot that does not say otherwise, without limits."""

    host: str | None = None
    """Where it runs: by default `inline`, in the worker; a program in `process`, a process of its own."""
    reads: Annotated[tuple[PathText, ...], msgspec.Meta(max_length=1000)] = ()
    """Files and folders that it needs beside those that `use` or `command` names."""
    keep: bool = False
    """Whether its process is kept for several matches, which it may remember; for hosts that give it one."""


class BotTable(BotDefaults, frozen=True, kw_only=True):
    """A `[[bot]]` table, without the bot's own limits."""

    name: Name
    """Its name in the tournament: letters, digits and `. _ + -`."""
    use: PathText | None = None
    """A plugin's name, FILE.py:NAME or FOLDER:NAME; by default the name itself."""
    display: Annotated[Text, msgspec.Meta(max_length=100)] = ""
    """Whose it is, as pages tell everybody: a team, say."""
    options: dict[str, Any] = {}
    """The bot's own options; `tourney bots NAME` lists them."""
    sweep: dict[str, Annotated[tuple[bool | int | float | str, ...], msgspec.Meta(min_length=1)]] = {}
    """Options with the values to try: it is entered with each combination, as `NAME greed=0.2 depth=1`."""
    command: Annotated[tuple[Word, ...], msgspec.Meta(max_length=1000)] | None = None
    """The words that start a program, in place of `use`."""
    host_options: dict[str, Any] = {}
    """The host's own options."""
    url: Annotated[Text, msgspec.Meta(min_length=1)] | None = None
    """The address of a server that speaks the wire protocol over HTTP, in place of `use`."""
    headers: dict[str, Text] = {}
    """What is sent to the server with each message; `env:NAME` stands for an environment variable."""
    retries: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """How often the server is asked again after an answer that is illegal or cannot be read."""
    repeats: bool | None = None
    """Whether the bot answers the same when it is asked the same again; by default, bots that ask a service do not."""
    null: bool = False
    """Whether it is entered once more, as `NAME-null`: how far the two come apart is how much luck there is."""


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
    game: Annotated[tuple[dict[str, Any], ...], msgspec.Meta(min_length=1, max_length=1000)]
    """The games that are played."""
    bots: tuple[PathText, ...] = ()
    """The bots that need no more than their name: plugins, FILE.py:NAME or FOLDER:NAME."""
    bot: tuple[dict[str, Any], ...] = ()
    """The bots that need more than their name."""
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)
    """Host, `reads`, `keep` and limits of every bot that does not say otherwise."""
    limits: dict[str, Any] = msgspec.field(default_factory=dict)
    """Limits for every bot that has none of its own, and what becomes of faults."""


def read_text(path: Path) -> str:
    """The text of a tournament file."""
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


def tables(text: str, path: Path) -> dict[str, Any]:
    """The tables of the text of a tournament file, whatever they hold."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML that can be read: {error}") from None


def read(path: Path) -> Tournament:
    """The tournament of a file, without a look at its bots, which `examine_bots` takes."""
    return of_text(read_text(path), path)


def of_text(text: str, path: Path) -> Tournament:
    """The tournament of the text of a file, as `read` reads it; relative paths and messages go by `path`."""
    return of_tables(tables(text, path), path)


def parse(text: str, path: Path) -> Tournament:
    """The tournament of the text of a file, after each of its games and bots was loaded once."""
    return resolve(tables(text, path), path)


def resolve(data: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament of the tables of a file, after each of its games and bots was loaded once."""
    return examine_bots(of_tables(data, path), path)


def games_of(bot: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """The names of the games that the bot of a `[[bot]]` table plays; None means every game."""
    return games_played(_entrant(bot, _Shared(), "bot", ""), folder)


def of_tables(data: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament of the tables of a file, as `read` reads it."""
    try:
        return _tournament(data, str(path.parent.resolve()))
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _tournament(data: Mapping[str, Any], folder: str) -> Tournament:
    _refuse_unknown_keys(data)  # first: what is missing may be misspelt
    for key in ("game", "bot"):
        if isinstance(data.get(key), dict):
            raise ConfigError(f"{key}: [{key}] is a single table; write [[{key}]], in double brackets")
    file = validation.read(TournamentFile, validation.keys_of(TournamentFile, data), "")
    games = [validation.read(GameTable, game, "", f"game[{i}]") for i, game in enumerate(file.game)]
    options = _format_options(file.format, data)
    own, fault_limits = validation.read_shared((Limits, FaultLimits), file.limits, "", "limits")
    own.validate("limits")
    shared = _shared(file)
    limits = validation.read(Limits, shared.limits, "")
    setups = tuple([game_setup(game, f"game[{i}]") for i, game in enumerate(games)])
    tournament = Tournament(
        **{key: getattr(file, key) for key in TournamentKeys.__struct_fields__},
        seed=root_seed(file.seed),
        format_options=options,
        entrants=_entrants(file, shared, limits),
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


def _refuse_unknown_keys(data: Mapping[str, Any]) -> None:
    """Refuses a key that no tournament and no format has."""
    shared = TournamentFile.__struct_fields__
    for key in data:
        if key not in shared and not _owners(key):
            own = _format(str(data.get("format", "round-robin"))).Options.__struct_fields__
            raise ConfigError(f'no key "{key}"; {did_you_mean(key, (*shared, *own))}')


def _format(name: str) -> type[Any]:
    try:
        return registry.load_format(name)
    except PluginError as error:
        raise ConfigError(f"format: {error}") from None


def _format_options(name: str, data: Mapping[str, Any]) -> Any:
    """The options of the format of that name, from its own keys of a tournament file."""
    kind = _format(name)
    shared, own = TournamentFile.__struct_fields__, kind.Options.__struct_fields__
    if both := [key for key in own if key in shared]:
        raise PluginError(f'format "{name}": every tournament has a key "{both[0]}"; rename that of the format')
    given = {key: value for key, value in data.items() if key not in shared}
    for key in given:
        if key not in own:
            formats = " or ".join([f'"{owner}"' for owner in _owners(key)])
            raise ConfigError(f'{key}: belongs to format = {formats}, not to "{name}"; leave it out')
    return validation.read(kind.Options, given, "")


def _owners(key: str) -> list[str]:
    """The names of the formats that have a key of that name, of those that can be loaded."""
    owners = []
    for name in registry.format_names():
        with suppress(PluginError):
            owners += [name] * (key in registry.load_format(name).Options.__struct_fields__)
    return owners


def game_setup(game: GameTable, where: str) -> GameSetup:
    """The game of a `[[game]]` table, with those of its options that differ from their defaults."""
    try:
        rules = registry.load_game(game.name)
    except TourneyError as error:
        raise ConfigError(f"{where}.name: {error}") from None
    if game.seats is None and len(rules.seats) > 1:
        raise ConfigError(f"{where}: say how many seats, as in seats = {rules.seats[0]}")
    seats = rules.seats[0] if game.seats is None else game.seats
    if seats not in rules.seats:
        raise ConfigError(f"{where}.seats: {rules.no_such_seats(seats)}")
    with reading_options(rules):
        options = rules.options(seats, game.options, f"{where}.options")
        defaults = type(options)()
    if not isfinite(game.weight):
        raise ConfigError(f"{where}.weight: {game.weight} is not finite; give a number above 0, as in weight = 2")
    names = [name for name in options.__struct_fields__ if getattr(options, name) != getattr(defaults, name)]
    return GameSetup(game.name, seats, validation.plain({name: getattr(options, name) for name in names}))


def _fits_fewer_seats(setup: GameSetup, seatings: Seatings) -> bool:
    """Whether the setup can be played with one seat fewer, in these seatings and with its options."""
    rules, seats = registry.load_game(setup.game), setup.seats - 1
    if seats not in rules.seats:
        return False
    try:
        validate_seatings(seatings, GameSetup(setup.game, seats, setup.options))
        with reading_options(rules):
            rules.options(seats, setup.options)
    except ConfigError:
        return False
    return True


class _Shared(NamedTuple):
    """What a file says for all bots."""

    defaults: BotDefaults = BotDefaults()
    limits: Mapping[str, Any] = {}
    table: Mapping[str, str] = {}  # in which table each of the limits is


def _shared(file: TournamentFile) -> _Shared:
    defaults, limits = validation.read_shared((BotDefaults, Limits), file.defaults, "", "defaults")
    limits.validate("defaults")
    keys: dict[str, Any] = {}
    table: dict[str, str] = {}
    for name, given in (("limits", file.limits), ("defaults", file.defaults)):
        for key, value in validation.keys_of(Limits, given).items():
            if key in keys:
                raise ConfigError(f"defaults.{key}: is in [limits], too; remove one of them")
            keys[key], table[key] = value, name
    return _Shared(defaults, keys, table)


def _entrants(file: TournamentFile, shared: _Shared, limits: Limits) -> tuple[Entrant, ...]:
    """The entrants of a file; `limits` are those of a bot without its own."""
    entered = len(file.bots) + sum([_number_entered(bot) for bot in file.bot])
    if entered > MOST_BOTS:
        raise ConfigError(f"bots: {entered} are more than {MOST_BOTS}; enter fewer")
    defaults, host = shared.defaults, shared.defaults.host or DEFAULT_HOST
    for use in file.bots[:1]:  # all of them have the same host
        if not _checked_host(short_name(use), host, defaults.keep, {}, shared).has_bots:
            raise ConfigError(f'defaults.host: "{host}" has no bots; use another host')
    short = [
        Entrant(short_name(use), use, {}, (), host, {}, limits, defaults.reads, defaults.keep) for use in file.bots
    ]
    entrants = [*short]
    for i, bot in enumerate(file.bot):
        entrant = _entrant(bot, shared, "", f"bot[{i}]")
        if "sweep" in bot:
            settings = [_entrant(each, shared, "", f"bot[{i}]") for each in combinations(bot)]
            values = tuple([(key, tuple(its)) for key, its in bot["sweep"].items()])
            sweep = Sweep(entrant.name, values, settings[0].name)
            entrants += [msgspec.structs.replace(each, sweep=sweep) for each in settings]
            continue
        entrants.append(entrant)
        if bot.get("null") is True:
            entrants.append(msgspec.structs.replace(entrant, name=null_name(entrant.name)))
    return tuple(entrants)


def _number_entered(bot: Mapping[str, Any]) -> int:
    """How many entrants a `[[bot]]` table makes, whatever it holds."""
    sweep = bot.get("sweep")
    if isinstance(sweep, dict):
        return prod([len(values) for values in sweep.values() if isinstance(values, list)])
    return 1 + (bot.get("null") is True)


def combinations(bot: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The `[[bot]]` tables for the combinations of the values in a table's `sweep`; without one, the table itself."""
    sweep: Any = bot.get("sweep")
    options = bot.get("options", {})
    is_sweep = isinstance(sweep, dict) and all([isinstance(values, list) for values in sweep.values()])
    if not is_sweep or not isinstance(options, dict):
        return [dict(bot)]
    tables = []
    for values in product(*sweep.values()):
        settings = dict(zip(sweep, values, strict=True))
        name = setting_name(str(bot.get("name")), settings)
        own = {"name": name, "use": bot.get("use", bot.get("name")), "options": options | settings}
        tables.append({key: value for key, value in bot.items() if key != "sweep"} | own)
    return tables


def _validate_sweep(bot: BotTable, where: str) -> None:
    if bot.command is not None or bot.url is not None:
        raise ConfigError(f"{where}: sweep: options are for Python bots; leave it out, or enter each one by itself")
    if bot.null or "@" in bot.name:
        raise ConfigError(f"{where}: sweep: leave out {'null' if bot.null else 'the version in its name'}")
    if not bot.sweep:
        raise ConfigError(f"{where}: sweep: is empty; give options, each with the list of its values")
    for key, values in bot.sweep.items():
        if key in bot.options:
            raise ConfigError(f"{where}: sweep.{key}: is in options, too; remove one of them")
        texts = list(map(value_text, values))
        for i, text in enumerate(texts):
            if text in texts[:i]:
                raise ConfigError(f"{where}: sweep.{key}: {text} appears twice; remove one")
            if not re.fullmatch(r"[\w.+-]+", text):
                raise ConfigError(
                    f'{where}: sweep.{key}: "{text}" cannot be in a name; use letters, digits and . _ + -'
                )


def _entrant(data: Mapping[str, Any], shared: _Shared, where: str, table: str) -> Entrant:
    """The entrant of a `[[bot]]` table."""
    defaults = {key: value for key, value in msgspec.structs.asdict(shared.defaults).items() if key not in data}
    bot, _ = validation.read_shared((BotTable, Limits), {**data, **defaults}, where, table)
    own = validation.keys_of(Limits, data)
    merged = validation.read(Limits, {**shared.limits, **own}, where, table)
    merged.validate(table)
    where = f"bot {bot.name}"
    validation.refuse_no_json(bot.options, f"{where}: options")
    validation.refuse_no_json(bot.sweep, f"{where}: sweep")
    if "sweep" in data:
        _validate_sweep(bot, where)
    validation.refuse_no_json(bot.host_options, f"{where}: host_options")
    default = HTTP_HOST if bot.url is not None else DEFAULT_HOST if bot.command is None else PROCESS_HOST
    host = (data.get("host") if bot.url is not None else bot.host) or default  # a server has none of [defaults]
    kind = _checked_host(bot.name, host, bot.keep, own, shared)
    use, command = "" if bot.command is not None else bot.name if bot.use is None else bot.use, bot.command or ()
    if not kind.has_bots:
        if bot.use is not None or bot.command is not None:
            raise ConfigError(f'{where}: host = "{host}" has no bots; leave out use and command, or use another host')
        use = ""
    elif bot.url is not None:
        _validate_server(bot, data, where)
        use, served = "", {"url": bot.url, "headers": bot.headers, "retries": bot.retries}
        bot = msgspec.structs.replace(bot, host_options=served, reads=())
        validation.read_options(kind.Options, bot.host_options, where)
    elif bot.headers or bot.retries or host == HTTP_HOST:
        raise ConfigError(f'{where}: headers, retries and host = "{HTTP_HOST}" are for a server; give its url')
    elif bot.command is not None:
        _validate_program(bot, where)
        if not kind.runs_programs:
            raise ConfigError(f'{where}: a program cannot run {host}; use host = "{PROCESS_HOST}"')
    return Entrant(
        bot.name, use, bot.options, command, host, bot.host_options, merged, bot.reads, bot.keep, bot.repeats,
        display=bot.display,
    )  # fmt: skip


def _checked_host(name: str, host: str, keep: bool, own: Mapping[str, Any], shared: _Shared) -> type[BotHost]:
    """The host of a bot; it must keep a process if it is to, and enforce the bot's own limits and those of all."""
    try:
        kind = host_type(host)
    except TourneyError as error:
        raise ConfigError(f"bot {name}: host: {error}") from None
    for key in [*own, *shared.limits]:
        if key in kind.enforces:
            continue
        where = f"bot {name}: {key}" if key in own else f"{shared.table[key]}.{key}"
        if key not in ENFORCED:
            raise ConfigError(f"{where}: this limit needs Linux; leave it out here, or play on Linux")
        remedy = "leave it out" if key in own else "give the limit to the other bots alone"
        if host != HTTP_HOST and key in host_type(PROCESS_HOST).enforces:
            remedy = f'use host = "{PROCESS_HOST}" in its [[bot]] table, or {remedy}'
        bot = "" if key in own else f"bot {name} has "
        raise ConfigError(f'{where}: {bot}host = "{host}", which has no such limit; {remedy}')
    if keep and not kind.keeps:
        remedy = (
            "leave it out, or keep = false" if host == HTTP_HOST else f'use host = "{PROCESS_HOST}", or keep = false'
        )
        raise ConfigError(f'bot {name}: keep: host = "{host}" has no process of the bot to keep; {remedy}')
    return kind


def _validate_server(bot: BotTable, data: Mapping[str, Any], where: str) -> None:
    if bot.use is not None or bot.command is not None or bot.options or bot.host_options:
        raise ConfigError(f"{where}: url stands for the whole bot; leave out use, command, options and host_options")
    if data.get("host", HTTP_HOST) != HTTP_HOST:
        raise ConfigError(f'{where}: a server is asked by host = "{HTTP_HOST}"; leave out host')
    if "reads" in data:
        raise ConfigError(f"{where}: reads: a server has its own files; leave it out")


def _validate_program(bot: BotTable, where: str) -> None:
    if bot.use is not None:
        raise ConfigError(f"{where}: has both use and command; leave out one of them")
    if bot.options:
        raise ConfigError(f"{where}: options are for Python bots; give a program its settings in its command")
    if not bot.command or not bot.command[0]:
        raise ConfigError(f'{where}: command is empty; say what to start, as in command = ["./rusty", "--fast"]')


def null_name(name: str) -> str:
    """The name under which a bot of that name is entered once more."""
    return f"{name}-null"


def short_name(use: str) -> str:
    """The name of an entrant of which only `use` is given: that of the plugin, the file or the folder."""
    file, name = registry.file_and_name(use)
    return Path(file).name.removesuffix(".py") if file else name.rpartition(":")[2]
