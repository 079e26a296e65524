"""A tournament file (TOML) into a `Tournament`, or an error that names the key and the remedy.

Nothing is repaired: unknown keys, wrong types and impossible values are refused before anything is played.
"""

import platform
import re
import tomllib
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import msgspec

from tourney import catalog, format_keys, structs
from tourney.errors import ConfigError, TourneyError, did_you_mean
from tourney.format_keys import Format, FormatKeys
from tourney.match import Contest
from tourney.rng import root_seed

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
Weight = Annotated[float, msgspec.Meta(gt=0)]
_NAME = re.compile(r"[\w.+-]+")


class BotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[bot]]` table."""

    name: Name
    use: str | None = None
    options: dict[str, Any] = {}


class GameConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[game]]` table."""

    name: str
    seats: int | None = None
    options: dict[str, Any] = {}
    weight: Weight = 1.0


class LimitsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `[limits]` table."""

    match_s: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    max_faults: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_faults_in_row: Annotated[int, msgspec.Meta(ge=1)] | None = None
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
    """A plugin's name or FILE.py:NAME, relative to the tournament file's folder."""
    options: dict[str, Any]


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
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in the order of the file."""
        return tuple([entrant.name for entrant in self.entrants])


def load(path: Path) -> Tournament:
    """The tournament that a file describes, with all its bots and games loaded once to see that they are there."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; give the path of a tournament file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text; give the path of a tournament file") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Tournament:
    """The tournament that a text describes; `path` is where it is from, for messages and relative paths."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None
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
    tournament = Tournament(
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
    _check_bots(tournament)
    return tournament


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
    return Contest(game.name, seats, msgspec.to_builtins(options))


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
    short = [Entrant(_short_name(use), use, {}) for use in config.bots]
    long = [Entrant(bot.name, bot.use if bot.use is not None else bot.name, bot.options) for bot in config.bot]
    return (*short, *long)


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


def _check_bots(tournament: Tournament) -> None:
    for entrant in tournament.entrants:
        plugin = catalog.load_bot(entrant.use, Path(tournament.folder))
        plugin.maker(entrant.options, f"bot {entrant.name}: options")
        for contest in tournament.contests:
            if plugin.games is not None and contest.game not in plugin.games:
                raise ConfigError(
                    f"bots: {entrant.name} does not play {contest.game} (it plays {', '.join(plugin.games)}); "
                    "leave out the one or the other"
                )


def makers(tournament: Tournament) -> dict[str, Callable[[], Any]]:
    """What makes each entrant's bot, by the entrant's name."""
    folder = Path(tournament.folder)
    return {
        entrant.name: catalog.load_bot(entrant.use, folder).maker(entrant.options, f"bot {entrant.name}: options")
        for entrant in tournament.entrants
    }


def manifest(tournament: Tournament) -> dict[str, Any]:
    """What must be the same for a run to go on: the resolved configuration, and which code the games and bots are.

    Nothing in it depends on the time or on where the files are. `max_fault_rate` is not in it: it says when a run
    stops, and changes no record, so that a run that has stopped can go on with another.
    """
    folder = Path(tournament.folder)
    games = sorted({contest.game for contest in tournament.contests})
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
            "bots": [msgspec.to_builtins(entrant) for entrant in tournament.entrants],
            "games": [msgspec.to_builtins(contest) for contest in tournament.contests],
            "weights": list(tournament.weights),
            "smaller_tables": tournament.smaller_tables,
            "anchor": msgspec.to_builtins(tournament.anchor),
        },
        "games": {name: catalog.game_fingerprint(name)._asdict() for name in games},
        "bots": {
            entrant.name: catalog.load_bot(entrant.use, folder).fingerprint._asdict() for entrant in tournament.entrants
        },
    }


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
