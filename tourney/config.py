"""A tournament file (TOML) into a `Tournament`, or an error that names the key and the remedy.

Nothing is repaired: unknown keys, wrong types and impossible values are refused before anything is played.
"""

import platform
import re
import tomllib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import msgspec
import orjson

from tourney import catalog, format_keys, structs
from tourney.errors import ConfigError, TourneyError, did_you_mean
from tourney.format_keys import Format, FormatKeys
from tourney.hosts import places
from tourney.hosts.contract import Limits
from tourney.hosts.places import HostName
from tourney.match import Contest
from tourney.rng import root_seed
from tourney.table import Maker

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
Weight = Annotated[float, msgspec.Meta(gt=0)]
Whole = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
_NAME = re.compile(r"[\w.+-]+")


class BotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[bot]]` table."""

    name: Name
    use: str | None = None
    options: dict[str, Any] = {}
    command: tuple[str, ...] | None = None
    host: HostName | None = None
    reads: tuple[str, ...] = ()
    move_ms: Whole | None = None
    start_ms: Whole | None = None
    match_s: Seconds | None = None
    memory_mb: Whole | None = None


class GameConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    seats: int | None = None
    options: dict[str, Any] = {}
    weight: Weight = 1.0


class LimitsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `[limits]` table: what holds for every bot that has nothing of its own."""

    move_ms: Whole | None = None
    start_ms: Whole | None = None
    match_s: Seconds = 120.0
    memory_mb: Whole | None = None
    max_faults: Whole | None = None
    max_faults_in_row: Whole | None = None
    max_fault_rate: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot whose rating is held fixed, so that the ratings of several tournaments can be compared."""

    bot: str
    rating: float


class FileConfig(FormatKeys, frozen=True, forbid_unknown_fields=True):
    """The keys of a tournament file."""

    name: Name
    seed: int | str
    game: Annotated[list[GameConfig], msgspec.Meta(min_length=1)]
    format: Format = "round-robin"
    deals: Annotated[int, msgspec.Meta(ge=1)] = 10
    bots: tuple[str, ...] = ()
    bot: tuple[BotConfig, ...] = ()
    limits: LimitsConfig = LimitsConfig()
    anchor: Anchor | None = None


class Entrant(msgspec.Struct, frozen=True):
    """A bot in a tournament, under its unique name."""

    name: str
    use: str
    """A plugin's name or FILE.py:NAME, relative to the tournament file's folder; empty for a program."""
    options: dict[str, Any]
    command: tuple[str, ...] = ()
    """The words that start a program; empty for a Python bot."""
    host: HostName = "inline"
    limits: Limits = Limits()
    reads: tuple[str, ...] = ()
    """Files and folders that it needs beside its own, relative to the tournament file's folder."""


class Tournament(FormatKeys, frozen=True):
    """A tournament that can be played: checked, with every default filled in. It can be sent to another process."""

    name: str
    seed: int
    """The root of all its seeds."""
    format: Format
    deals: int
    """Blocks for every group of entrants that meets, in each game."""
    entrants: tuple[Entrant, ...]
    contests: tuple[Contest, ...]
    match_s: float
    """How long one match may take, in seconds."""
    folder: str
    """The folder of its file, which paths are relative to."""
    weights: tuple[Weight, ...] = ()
    """What each contest weighs; none given: all the same."""
    smaller_tables: bool = False
    """Whether a Swiss may have tables with a seat less, so that fewer entrants sit out."""
    anchor: Anchor | None = None
    """The bot on which the scale of the ratings is fixed; none: on the mean."""
    max_faults: int | None = None
    """An entrant with so many faults is put out."""
    max_faults_in_row: int | None = None
    """An entrant with so many faults in matches one after the other is put out."""
    max_fault_rate: float | None = None
    """The run stops where more than this share of the matches has faults, from 0 to 1."""

    @property
    def limits_faults(self) -> bool:
        """Whether anything can come of faults beyond the match in which they are made."""
        return (self.max_faults, self.max_faults_in_row, self.max_fault_rate) != (None, None, None)

    @property
    def games(self) -> tuple[str, ...]:
        """The names of its games, sorted."""
        return tuple(sorted({contest.game for contest in self.contests}))

    @property
    def all_weights(self) -> tuple[Weight, ...]:
        """What each contest weighs, given or not."""
        return self.weights or (1.0,) * len(self.contests)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in the order of the file."""
        return tuple([entrant.name for entrant in self.entrants])

    @property
    def match_limits_s(self) -> dict[str, float]:
        """How long a match may take while each entrant is asked, in seconds."""
        return {entrant.name: entrant.limits.match_s for entrant in self.entrants}


def load(path: Path) -> Tournament:
    """The tournament that a file describes, with all its bots and games loaded once to see that they are there."""
    tournament = read(path)
    check_bots(tournament, path)
    return tournament


def read(path: Path) -> Tournament:
    """The same before any bot is loaded: whether they are there is left to `check_bots`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; give the path of a tournament file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text; give the path of a tournament file") from None
    return _resolved(_data(text, path), path)


def parse(text: str, path: Path) -> Tournament:
    """The tournament that a text describes; `path` is where it is from, for messages and relative paths."""
    return resolve(_data(text, path), path)


def resolve(data: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament that the data of a tournament file describe; `path` is where they are from, as in `parse`."""
    tournament = _resolved(data, path)
    check_bots(tournament, path)
    return tournament


def _data(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None


def _resolved(data: Mapping[str, Any], path: Path) -> Tournament:
    config = structs.read(FileConfig, data, str(path))
    try:
        return _tournament(config, path)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _tournament(config: FileConfig, path: Path) -> Tournament:
    _check_name("name", config.name)
    contests = tuple([_contest(game, i) for i, game in enumerate(config.game)])
    _refuse_twins([(c.game, c.seats, sorted(c.options.items())) for c in contests], "game")
    entrants = _entrants(config)
    _refuse_twins([entrant.name for entrant in entrants], "bot")
    for entrant in entrants:
        _check_name("bots", entrant.name)
    names = [entrant.name for entrant in entrants]
    format_keys.check(config.format, config, names, contests)
    _check_anchor(config.anchor, names)
    return Tournament(
        config.name,
        root_seed(config.seed),
        config.format,
        config.deals,
        entrants,
        contests,
        config.limits.match_s,
        str(path.parent.resolve()),
        tuple([game.weight for game in config.game]),
        config.format == "swiss" and all([_fits_smaller(contest, config) for contest in contests]),
        groups=config.groups,
        challengers=config.challengers,
        rounds=config.rounds,
        seatings=config.seatings,
        anchor=config.anchor,
        max_faults=config.limits.max_faults,
        max_faults_in_row=config.limits.max_faults_in_row,
        max_fault_rate=config.limits.max_fault_rate,
    )


def _contest(game: GameConfig, index: int) -> Contest:
    where = f"game[{index}]"
    try:
        rules = catalog.load_game(game.name)
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
    return Contest(game.name, seats, _plain({name: getattr(options, name) for name in names}))


def _fits_smaller(contest: Contest, keys: FormatKeys) -> bool:
    """Whether the contest can be played with one seat less, in these seatings and with its options."""
    smaller = Contest(contest.game, contest.seats - 1, contest.options)
    rules = catalog.load_game(contest.game)
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
    if bot.command is None:
        use = bot.use if bot.use is not None else bot.name
        return Entrant(bot.name, use, bot.options, (), bot.host or "inline", limits, bot.reads)
    where = f"bot {bot.name}"
    if bot.use is not None:
        raise ConfigError(f"{where}: has both use and command; leave out the one or the other")
    if bot.options:
        raise ConfigError(f"{where}: options are for Python bots; give a program its settings in its command")
    if not bot.command or not bot.command[0]:
        raise ConfigError(f'{where}: command is empty; say what to start, as in command = ["./rusty", "--fast"]')
    if bot.host == "inline":
        raise ConfigError(f'{where}: a program cannot run inline; take host = "process"')
    return Entrant(bot.name, "", {}, bot.command, bot.host or "process", limits, bot.reads)


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


def _check_anchor(anchor: Anchor | None, names: Sequence[str]) -> None:
    if anchor is not None and anchor.bot not in names:
        raise ConfigError(f'anchor.bot: no bot "{anchor.bot}" is entered; {did_you_mean(anchor.bot, names)}')
    if anchor is not None and not isfinite(anchor.rating):
        raise ConfigError(f"anchor.rating: {anchor.rating} is no rating; take a number, as in rating = 1500")


def check_bots(tournament: Tournament, path: Path) -> None:
    """Loads every bot once, to see that it is there and plays the games; `path` is for messages."""
    try:
        _check_bots(tournament)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _check_bots(tournament: Tournament) -> None:
    everything = _everything(tournament)
    for entrant in tournament.entrants:
        games = places.check(_program(entrant, Path(tournament.folder), tournament.games, everything))
        for contest in tournament.contests:
            if games is not None and contest.game not in games:
                raise ConfigError(
                    f"bots: {entrant.name} does not play {contest.game} (it plays {', '.join(games)}); "
                    "leave out the one or the other"
                )


def games_of(bot: Mapping[str, Any], folder: Path) -> tuple[str, ...] | None:
    """The games that a bot plays, the data of a `[[bot]]` table; None for every game. Paths are relative to `folder`.

    Raises a `TourneyError` where there is no such bot.
    """
    entrant = _entrant(structs.read(BotConfig, bot, "bot"), Limits())
    return places.check(_program(entrant, folder, (), ()))


def makers(tournament: Tournament, logs: Path | None = None) -> dict[str, Maker]:
    """What gives each entrant's bots, by the entrant's name.

    What bots in processes of their own write to stderr goes to a file for each in `logs`, a folder in the run's.
    """
    folder, games, everything = Path(tournament.folder), tournament.games, _everything(tournament)
    return {
        entrant.name: places.place(
            _program(entrant, folder, games, everything, None if logs is None else logs.parent),
            entrant.limits,
            None if logs is None else logs / f"{entrant.name}.txt",
        )
        for entrant in tournament.entrants
    }


def _everything(tournament: Tournament) -> Sequence[Path]:
    """What the bots of all entrants are made of."""
    folder = Path(tournament.folder)
    return list(dict.fromkeys([path for entrant in tournament.entrants for path in _sources(entrant, folder)]))


def _program(
    entrant: Entrant, folder: Path, games: tuple[str, ...], everything: Sequence[Path], run: Path | None = None
) -> places.Program:
    own = _sources(entrant, folder)
    hides = [path for path in everything if path not in own]
    return places.Program(
        entrant.name,
        entrant.host,
        entrant.use,
        entrant.options,
        entrant.command,
        folder,
        games,
        own,
        tuple(hides if run is None else [*hides, run]),
    )


def _sources(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    """The files and folders that an entrant's bots are made of."""
    reads = [folder / name for name in entrant.reads]
    for path in reads:
        if not path.exists():
            raise ConfigError(f"bot {entrant.name}: reads: there is no {path}; paths are relative to this file")
    if entrant.command:
        words = [folder / word for word in entrant.command if word and (folder / word).is_file()]
        return (*words, *reads)
    return (catalog.bot_source(entrant.use, folder), *reads)


def _fingerprint(entrant: Entrant, folder: Path) -> catalog.Fingerprint:
    if entrant.command:
        return catalog.files_fingerprint(_sources(entrant, folder))
    return catalog.bot_fingerprint(entrant.use, folder)


def manifest(tournament: Tournament) -> dict[str, Any]:
    """What must be the same for a run to go on: the resolved configuration, and which code the games and bots are.

    Nothing in it depends on the time or on where the files are. `max_fault_rate` is not in it: it says when a run
    stops, and changes no record, so that a run that has stopped can go on with another.
    """
    folder = Path(tournament.folder)
    return {
        "tourney": catalog.own_version(),
        "python": platform.python_version(),
        "tournament": {
            "name": tournament.name,
            "seed": f"{tournament.seed:032x}",
            "format": tournament.format,
            "deals": tournament.deals,
            "groups": tournament.groups,
            "challengers": None if tournament.challengers is None else list(tournament.challengers),
            "rounds": tournament.rounds,
            "seatings": tournament.seatings,
            "match_s": tournament.match_s,
            "max_faults": tournament.max_faults,
            "max_faults_in_row": tournament.max_faults_in_row,
            "bots": [_plain(entrant) for entrant in tournament.entrants],
            "games": [msgspec.to_builtins(contest) for contest in tournament.contests],
            "weights": list(tournament.weights),
            "smaller_tables": tournament.smaller_tables,
            "anchor": msgspec.to_builtins(tournament.anchor),
        },
        "games": {name: catalog.game_fingerprint(name)._asdict() for name in tournament.games},
        "bots": {entrant.name: _fingerprint(entrant, folder)._asdict() for entrant in tournament.entrants},
    }


def _plain(value: Any) -> dict[str, Any]:
    """The value as it is once it has been JSON, as it is read back: lists, where there were tuples."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(msgspec.to_builtins(value)))
    return plain


def of_manifest(manifest: dict[str, Any]) -> Tournament:
    """The tournament that a run's manifest describes, without its bots: enough to tell what was to be played."""
    resolved = {key: value for key, value in manifest["tournament"].items() if key not in ("bots", "games", "seed")}
    try:
        tournament = msgspec.convert(
            resolved
            | {
                "seed": int(manifest["tournament"]["seed"], 16),
                "entrants": manifest["tournament"]["bots"],
                "contests": manifest["tournament"]["games"],
                "folder": ".",
            },
            Tournament,
        )
        if not tournament.contests or not tournament.entrants:
            raise ConfigError("there are no games or no bots")
        format_keys.check(tournament.format, tournament, tournament.names, tournament.contests)
        if len(tournament.weights) not in (0, len(tournament.contests)):
            raise ConfigError("there are not as many weights as games")
        _check_anchor(tournament.anchor, tournament.names)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the tournament anew") from None
    return tournament
