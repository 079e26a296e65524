"""Reads a tournament file (TOML) into a `Tournament`, or raises an error that names the key and the remedy."""

import re
from collections.abc import Mapping, Sequence
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
PathText: TypeAlias = Annotated[Text, msgspec.Meta(max_length=4096)]
Word: TypeAlias = Annotated[Text, msgspec.Meta(max_length=100_000)]
"""An argument of a command, no longer than the system allows."""


class BotDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `[defaults]` for all bots that do not override them, without limits."""

    host: str | None = None
    """Where it runs: by default `inline`, in the worker; programs in `process`, a separate process."""
    reads: Annotated[tuple[PathText, ...], msgspec.Meta(max_length=1000)] = ()
    """Files and folders that it needs besides `use` or `command`."""
    keep: bool = False
    """Whether its process is kept for several matches, which it may remember; for hosts with a process per bot."""


class BotTable(BotDefaults, frozen=True, kw_only=True):
    """A `[[bot]]` table, without the bot's own limits."""

    name: Name
    """Its name in the tournament: letters, digits and `. _ + -`."""
    use: PathText | None = None
    """A plugin's name, FILE.py:NAME or FOLDER:NAME; by default the name itself."""
    display: Annotated[Text, msgspec.Meta(max_length=100)] = ""
    """Whose it is, as pages show it: a team, say."""
    options: dict[str, Any] = {}
    """The bot's own options; `tourney bots NAME` lists them."""
    sweep: dict[str, Annotated[tuple[bool | int | float | str, ...], msgspec.Meta(min_length=1)]] = {}
    """Options with the values to try: each combination is entered, as `NAME greed=0.2 depth=1`."""
    command: Annotated[tuple[Word, ...], msgspec.Meta(max_length=1000)] | None = None
    """The command that starts a program, instead of `use`."""
    host_options: dict[str, Any] = {}
    """The host's own options."""
    url: Annotated[Text, msgspec.Meta(min_length=1)] | None = None
    """The address of a server that speaks the wire protocol over HTTP, instead of `use`."""
    headers: dict[str, Text] = {}
    """HTTP headers for the server; `env:NAME` inserts an environment variable."""
    retries: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """How often the server is asked again after an illegal or unreadable answer."""
    repeats: bool | None = None
    """Whether the bot answers the same question the same way; by default, bots that ask a service do not."""
    null: bool = False
    """Whether it is entered once more, as `NAME-null`: the gap between the two shows the luck."""


class GameTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    """The name of a game; `tourney games` lists them."""
    seats: int | None = None
    """The number of seats; required if the game has several."""
    options: dict[str, Any] = {}
    """The game's own options; `tourney games NAME` lists them."""
    weight: Weight = 1.0
    """The game's weight among several."""


class TournamentFile(TournamentKeys, frozen=True, kw_only=True):
    """The keys of a tournament file, whatever its format."""

    seed: int | str
    """A number, or a text of any length, from which all chance is derived."""
    game: Annotated[tuple[dict[str, Any], ...], msgspec.Meta(min_length=1, max_length=1000)]
    """The games to play."""
    bots: tuple[PathText, ...] = ()
    """Bots that need only a name: plugins, FILE.py:NAME or FOLDER:NAME."""
    bot: tuple[dict[str, Any], ...] = ()
    """Bots that need more than a name."""
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)
    """Host, `reads`, `keep` and limits of all bots that do not override them."""
    limits: dict[str, Any] = msgspec.field(default_factory=dict)
    """Default limits for all bots, and the consequences of faults."""


def read_text(path: Path) -> str:
    """The text of a tournament file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes; expected a tournament file")
        return content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text; expected a tournament file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConfigError(f"{path}: {why}") from None


def tables(text: str, path: Path) -> dict[str, Any]:
    """The tables of a tournament file's text, not yet checked."""
    import tomllib  # noqa: PLC0415 - not for a manifest

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: invalid TOML: {error}") from None


def read(path: Path) -> Tournament:
    """The tournament of a file, without examining its bots; see `examine_bots`."""
    return of_text(read_text(path), path)


def of_text(text: str, path: Path) -> Tournament:
    """Like `read`, from the file's text; `path` is the base of relative paths and messages."""
    return of_tables(tables(text, path), path)


def parse(text: str, path: Path) -> Tournament:
    """The tournament of a file's text, after loading each of its games and bots once."""
    return resolve(tables(text, path), path)


def resolve(data: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament of a file's tables, after loading each of its games and bots once."""
    return examine_bots(of_tables(data, path), path)


def games_of(bot: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """The games that a `[[bot]]` table's bot plays; None means every game."""
    return games_played(_entrant(bot, _Shared(), "bot"), folder)


def of_tables(data: Mapping[str, Any], path: Path) -> Tournament:
    """Like `read`, from the file's tables."""
    try:
        return _tournament(data, str(path.parent.resolve()))
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _tournament(data: Mapping[str, Any], folder: str) -> Tournament:
    _refuse_unknown_keys(data)  # first: a missing key may be misspelt
    for key in ("game", "bot"):
        if isinstance(data.get(key), dict):
            raise ConfigError(f"{key}: expected an array of tables; write [[{key}]] instead of [{key}]")
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
    kind = _format(name)
    shared, own = TournamentFile.__struct_fields__, kind.Options.__struct_fields__
    if both := [key for key in own if key in shared]:
        raise PluginError(f'format "{name}": key "{both[0]}" is reserved for every tournament; rename it')
    given = {key: value for key, value in data.items() if key not in shared}
    for key in given:
        if key not in own:
            formats = " or ".join([f'"{owner}"' for owner in _owners(key)])
            raise ConfigError(f'{key}: only valid for format = {formats}, not "{name}"')
    return validation.read(kind.Options, given, "")


def _owners(key: str) -> list[str]:
    owners = []
    for name in registry.format_names():
        with suppress(PluginError):
            owners += [name] * (key in registry.load_format(name).Options.__struct_fields__)
    return owners


def game_setup(game: GameTable, where: str) -> GameSetup:
    """The game of a `[[game]]` table, with the options that differ from their defaults."""
    try:
        rules = registry.load_game(game.name)
    except TourneyError as error:
        raise ConfigError(f"{where}.name: {error}") from None
    if game.seats is None and len(rules.seats) > 1:
        raise ConfigError(f"{where}: missing seats; for example seats = {rules.seats[0]}")
    seats = rules.seats[0] if game.seats is None else game.seats
    if seats not in rules.seats:
        raise ConfigError(f"{where}.seats: {rules.no_such_seats(seats)}")
    with reading_options(rules):
        options = rules.options(seats, game.options, f"{where}.options")
        defaults = type(options)()
    if not isfinite(game.weight):
        raise ConfigError(f"{where}.weight: must be a finite number above 0, got {game.weight}")
    names = [name for name in options.__struct_fields__ if getattr(options, name) != getattr(defaults, name)]
    return GameSetup(game.name, seats, validation.plain({name: getattr(options, name) for name in names}))


def _fits_fewer_seats(setup: GameSetup, seatings: Seatings) -> bool:
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
    defaults: BotDefaults = BotDefaults()
    limits: Mapping[str, Any] = {}
    table: Mapping[str, str] = {}  # the table of each limit


def _shared(file: TournamentFile) -> _Shared:
    defaults, limits = validation.read_shared((BotDefaults, Limits), file.defaults, "", "defaults")
    limits.validate("defaults")
    if defaults.host:  # also of a league that has no bots yet
        try:
            host_type(defaults.host)
        except TourneyError as error:
            raise ConfigError(f"defaults.host: {error}") from None
    keys: dict[str, Any] = {}
    table: dict[str, str] = {}
    for name, given in (("limits", file.limits), ("defaults", file.defaults)):
        for key, value in validation.keys_of(Limits, given).items():
            if key in keys:
                raise ConfigError(f"defaults.{key}: also set in [limits]; remove one")
            keys[key], table[key] = value, name
    return _Shared(defaults, keys, table)


def _entrants(file: TournamentFile, shared: _Shared, limits: Limits) -> tuple[Entrant, ...]:
    entered = len(file.bots) + sum([_number_entered(bot) for bot in file.bot])
    if entered > MOST_BOTS:
        raise ConfigError(f"bots: at most {MOST_BOTS}, got {entered}")
    defaults, host = shared.defaults, shared.defaults.host or DEFAULT_HOST
    short = short_names(file.bots)
    if short and not _checked_host(short[0], host, defaults.keep, {}, shared).has_bots:  # they share one host
        raise ConfigError(f'defaults.host: "{host}" does not run bots; use another host')
    entrants = [
        Entrant(name, use, {}, (), host, {}, limits, defaults.reads, defaults.keep)
        for name, use in zip(short, file.bots, strict=True)
    ]
    for i, bot in enumerate(file.bot):
        name = bot.get("name")
        where = f"bot {name}" if isinstance(name, str) and name.isprintable() and len(name) <= 60 else f"bot[{i}]"
        if "limits" in bot:
            raise ConfigError(f"{where}: limits: set them next to use, such as move_ms = 1000, without a table")
        made = [_entrant(bot, shared, where)]
        if "sweep" in bot:
            settings = [_entrant(each, shared, where) for each in combinations(bot)]
            values = tuple([(key, tuple(its)) for key, its in bot["sweep"].items()])
            sweep = Sweep(made[0].name, values, settings[0].name)
            made = [msgspec.structs.replace(each, sweep=sweep) for each in settings]
        entrants += made
        if bot.get("null") is True:
            entrants += [msgspec.structs.replace(each, name=null_name(each.name), sweep=None) for each in made]
    return tuple(entrants)


def _number_entered(bot: Mapping[str, Any]) -> int:
    sweep = bot.get("sweep")
    values = sweep.values() if isinstance(sweep, dict) else ()
    return prod([len(its) for its in values if isinstance(its, list)]) * (1 + (bot.get("null") is True))


def combinations(bot: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The `[[bot]]` tables of a sweep's combinations; without `sweep`, the table itself."""
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
        raise ConfigError(f"{where}: sweep: only Python bots have options; enter each variant by itself")
    if "@" in bot.name:
        raise ConfigError(f"{where}: sweep: cannot be combined with a version in the name")
    if not bot.sweep:
        raise ConfigError(f"{where}: sweep: expected options, each with a list of values")
    for key, values in bot.sweep.items():
        if key in bot.options:
            raise ConfigError(f"{where}: sweep.{key}: also set in options; remove one")
        _refuse_equal(values, f"{where}: sweep.{key}")
        for text in map(value_text, values):
            if not re.fullmatch(r"[\w.+-]+", text):
                raise ConfigError(
                    f'{where}: sweep.{key}: "{text}" cannot be in a name; use letters, digits and . _ + -'
                )


def _refuse_equal(values: Sequence[Any], where: str) -> None:
    for value, other in [(value, other) for i, other in enumerate(values) for value in values[:i]]:
        text, another = value_text(value), value_text(other)
        if text == another:
            raise ConfigError(f"{where}: {text} appears twice; remove one")
        if value == other and isinstance(value, bool) == isinstance(other, bool):
            raise ConfigError(f"{where}: {text} and {another} are the same value; remove one")


def _entrant(data: Mapping[str, Any], shared: _Shared, where: str) -> Entrant:
    defaults = {key: value for key, value in msgspec.structs.asdict(shared.defaults).items() if key not in data}
    bot, _ = validation.read_shared((BotTable, Limits), {**data, **defaults}, where, "")
    own = validation.keys_of(Limits, data)
    merged = validation.read(Limits, {**shared.limits, **own}, where)
    merged.validate(where)
    where = f"bot {bot.name}"
    for key in ("options", "sweep", "host_options"):
        validation.refuse_no_json(getattr(bot, key), f"{where}: {key}")
    if "sweep" in data:
        _validate_sweep(bot, where)
    default = HTTP_HOST if bot.url is not None else DEFAULT_HOST if bot.command is None else PROCESS_HOST
    host = (data.get("host") if bot.url is not None else bot.host) or default  # [defaults] does not apply to servers
    kind = _checked_host(bot.name, host, bot.keep, own, shared)
    if bot.use is not None:
        registry.refuse_blank(bot.use)
    use, command = "" if bot.command is not None else bot.name if bot.use is None else bot.use, bot.command or ()
    if not kind.has_bots:
        if bot.use is not None or bot.command is not None:
            raise ConfigError(
                f'{where}: host = "{host}" does not run bots; remove use and command, or use another host'
            )
        use = ""
    elif bot.url is not None:
        _validate_server(bot, data, where)
        use, served = "", {"url": bot.url, "headers": bot.headers, "retries": bot.retries}
        bot = msgspec.structs.replace(bot, host_options=served, reads=())
        validation.read_options(kind.Options, bot.host_options, where)
    elif bot.headers or bot.retries or host == HTTP_HOST:
        raise ConfigError(f'{where}: headers, retries and host = "{HTTP_HOST}" require url')
    elif bot.command is not None:
        _validate_program(bot, where)
        if not kind.runs_programs:
            raise ConfigError(f'{where}: host = "{host}" cannot run programs; use host = "{PROCESS_HOST}"')
    return Entrant(
        bot.name, use, bot.options, command, host, bot.host_options, merged, bot.reads, bot.keep, bot.repeats,
        display=bot.display,
    )  # fmt: skip


def _checked_host(name: str, host: str, keep: bool, own: Mapping[str, Any], shared: _Shared) -> type[BotHost]:
    try:
        kind = host_type(host)
    except TourneyError as error:
        raise ConfigError(f"bot {name}: host: {error}") from None
    for key in [*own, *shared.limits]:
        if key in kind.enforces:
            continue
        where = f"bot {name}: {key}" if key in own else f"{shared.table[key]}.{key}"
        if key not in ENFORCED:
            raise ConfigError(f"{where}: this limit requires Linux")
        remedy = "remove the limit" if key in own else "set the limit only for the other bots"
        if host != HTTP_HOST and key in host_type(PROCESS_HOST).enforces:
            remedy = f'use host = "{PROCESS_HOST}" in its [[bot]] table, or {remedy}'
        bot = "" if key in own else f"bot {name} with "
        raise ConfigError(f'{where}: not supported by {bot}host = "{host}"; {remedy}')
    if keep and not kind.keeps:
        remedy = (
            "remove it, or use keep = false" if host == HTTP_HOST else f'use host = "{PROCESS_HOST}", or keep = false'
        )
        raise ConfigError(f'bot {name}: keep: host = "{host}" has no bot process to keep; {remedy}')
    return kind


def _validate_server(bot: BotTable, data: Mapping[str, Any], where: str) -> None:
    if bot.use is not None or bot.command is not None or bot.options or bot.host_options:
        raise ConfigError(f"{where}: url cannot be combined with use, command, options or host_options")
    if data.get("host", HTTP_HOST) != HTTP_HOST:
        raise ConfigError(f'{where}: url requires host = "{HTTP_HOST}", the default; remove host')
    if "reads" in data:
        raise ConfigError(f"{where}: reads: not supported for a server")


def _validate_program(bot: BotTable, where: str) -> None:
    if bot.use is not None:
        raise ConfigError(f"{where}: use and command cannot be combined")
    if bot.options:
        raise ConfigError(f"{where}: only Python bots have options; pass a program its settings in command")
    if not bot.command or not bot.command[0]:
        raise ConfigError(f'{where}: command is empty; for example command = ["./rusty", "--fast"]')


def null_name(name: str) -> str:
    """The name of a bot's second entry for `null`."""
    return f"{name}-null"


def short_names(uses: Sequence[str]) -> list[str]:
    """The default names of bots entered together: two classes of one file have the names of their classes."""
    names, classes = list(map(short_name, uses)), [registry.file_and_name(use) for use in uses]
    files = [file for file, _ in dict.fromkeys(classes)]
    return [own if files.count(file) > 1 and file else name for name, (file, own) in zip(names, classes, strict=True)]


def short_name(use: str) -> str:
    """An entrant's default name: the plugin's, the file's or the folder's."""
    file, name = registry.file_and_name(use)
    return Path(file).name.removesuffix(".py") if file else name.rpartition(":")[2]
