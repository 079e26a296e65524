"""Single matches: one played here, and those of a run as rows."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tourney._api.configuration import CLASS_USE
from tourney._api.replays import PlayedRecord
from tourney.base.errors import ConfigError, type_name
from tourney.config.loader import GameTable, game_setup, short_name
from tourney.contracts.match import Fault, GameSetup, Match, match_name
from tourney.journal.search import FoundMatch, margin, outcome
from tourney.plugins import registry
from tourney.plugins.bot_classes import use_of
from tourney.table import table


class MatchSummary(msgspec.Struct, frozen=True):
    """A match of a run in a row."""

    match: str
    game: str
    round: int | None
    """The number of its round, from 1; None if the format has no rounds."""
    seats: tuple[str, ...]
    """The name of the bot in each seat."""
    scores: tuple[int, ...]
    """The score of each seat; higher is better."""
    places: tuple[int, ...]
    """The place of each seat; 1 is the best."""
    faults: tuple[Fault, ...]
    decisions: int
    margin: int
    """By how much the bot that was asked for, or the first one, was ahead of the best other; negative if behind."""

    def to_dict(self) -> dict[str, Any]:
        """The fields by their names, as `pandas.DataFrame` and `polars.DataFrame` take a list of them."""
        return msgspec.structs.asdict(self)


def summary(match: FoundMatch, bot: str | None) -> MatchSummary:
    """The row of a match that was looked for, maybe as one of a bot."""
    result, ahead = match.result, margin(match, bot)
    if bot is not None and outcome(match.seats, result.places, bot) == "lost":
        ahead = -ahead
    game, scores, places = match.id.rsplit("-", 2)[0], tuple(result.scores), tuple(result.places)
    faults = tuple(result.faults)
    return MatchSummary(match.id, game, match.round, match.seats, scores, places, faults, match.decisions, ahead)


def play(
    game: str,
    bots: Sequence[Any],
    *,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> PlayedRecord:
    """Plays one match in this process, and returns its record with its trace.

    Nothing is written, and no limit of time holds. A bot that fails makes a fault, as in a tournament.

    Args:
        game: The name of the game.
        bots: The bot of each seat: a plugin's name, FILE.py:NAME, a class, a bot object, or a dictionary with the keys
            `name`, `use` and `options`. Where there are more seats than bots, the bots go round the table again.
        seats: The number of seats; by default as many as bots.
        options: The game's options.
        seed: The seed of the deal, from 0 to 2**128 - 1; `int(record.seed, 16)` is that of a record.

    Raises:
        ConfigError: The seats, the options, the seed or a bot are refused.
        PluginError: There is no such game or bot, or it cannot be loaded.
        GameError: The code of the game fails, or the match does not end.
    """
    if isinstance(bots, str) or not bots:
        raise ConfigError("bots: give a list with the bot of each seat")
    if not (isinstance(seed, int) and 0 <= seed < 1 << 128):
        raise ConfigError(f"seed: {seed!r} is not a seed; give a whole number from 0 to 2**128 - 1")
    setup = game_setup(GameTable(game, len(bots) if seats is None else seats, dict(options or {})), "game")
    seated = [_seated(bot, setup) for bot in bots]
    if setup.seats < len(bots):
        raise ConfigError(f"seats: there are {len(bots)} bots and {setup.seats} seats; take away bots")
    if setup.seats > len(bots) and any([_is_object(bot) for bot in bots]):
        raise ConfigError("bots: a bot object sits in one seat; give its class, or an object for each seat")
    around = [seated[seat % len(seated)] for seat in range(setup.seats)]
    match = Match(match_name(game, 0, 0), setup, 0, seed, tuple([name for name, _ in around]))
    record = table.play(match, registry.load_game(game), [make for _, make in around])
    return PlayedRecord(*msgspec.structs.astuple(record))


def _is_object(bot: Any) -> bool:
    return not isinstance(bot, str | type | Mapping)


def _seated(bot: Any, setup: GameSetup) -> tuple[str, Callable[[], Any]]:
    """The name of a bot, and what makes it."""
    if _is_object(bot):
        if not callable(getattr(bot, "act", None)):
            raise ConfigError(f"bots: {type_name(bot)} is not a bot; {CLASS_USE}")
        _require_game(type_name(bot), registry.games_in(bot, f"bot {type_name(bot)}"), setup)
        return type_name(bot), lambda: bot
    keys = dict(bot) if isinstance(bot, Mapping) else {"use": bot}
    if unknown := sorted(keys.keys() - {"name", "use", "options"}):
        raise ConfigError(f'bots: no key "{unknown[0]}" for a single match; use name, use and options')
    use: Any = keys.get("use", keys.get("name"))
    if isinstance(use, type):
        name, plugin = use.__name__, registry.bot_plugin(use, f"bot {use.__name__}", use_of(use), Path())
    elif isinstance(use, str):
        name, plugin = short_name(use), registry.load_bot(use, Path())
    else:
        raise ConfigError(f"bots: use is {type_name(use)}; give a name, FILE.py:NAME or a class")
    name = keys.get("name", name)
    _require_game(name, plugin.games, setup)
    registry.load_policy(setup.game)
    return name, plugin.maker(keys.get("options", {}), f"bot {name}: options")


def _require_game(name: str, games: Sequence[str] | None, setup: GameSetup) -> None:
    if games is not None and setup.game not in games:
        raise ConfigError(f"bots: {name} does not play {setup.game} (it plays {', '.join(games)}); take another")
