"""Single matches: plays one in this process, and shows a run's matches as rows."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tourney._api.configuration import CLASS_USE
from tourney._api.replays import PlayedRecord
from tourney.base.errors import ConfigError, type_name
from tourney.config.loader import GameTable, game_setup, short_name
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import Fault, GameSetup, Match, match_name
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.clocks import SeatClock
from tourney.hosts.inline import InlineBot
from tourney.journal.search import FoundMatch, lead
from tourney.plugins import registry
from tourney.plugins.bot_classes import use_of
from tourney.table import table


class MatchSummary(msgspec.Struct, frozen=True):
    """Summary of one match."""

    match: str
    game: str
    round: int | None
    """The number of its round, from 1; None if the format has no rounds."""
    seats: tuple[str, ...]
    """The bot in each seat."""
    scores: tuple[int, ...]
    """The score of each seat; higher is better."""
    places: tuple[int, ...]
    """The place of each seat; 1 is the best."""
    faults: tuple[Fault, ...]
    decisions: int
    margin: int
    """The lead of the selected bot, or the winner, over the best other; negative if behind."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary; `pandas.DataFrame` and `polars.DataFrame` accept a list of them."""
        return msgspec.structs.asdict(self)


def summary(match: FoundMatch, bot: str | None) -> MatchSummary:
    """The row of a match, with the margin of `bot` if given."""
    game, (scores, places, faults) = match.id.rsplit("-", 2)[0], msgspec.structs.astuple(match.result)
    ahead = lead(match, bot)
    return MatchSummary(match.id, game, match.round, match.seats, scores, places, faults, match.decisions, ahead)


def play(
    game: str, bots: Sequence[Any], *, seats: int | None = None, options: Mapping[str, Any] | None = None,
    seed: int = 0, raises: bool = False,
) -> PlayedRecord:  # fmt: skip
    """Plays one match in this process, and returns its record with its trace.

    Writes no files and has no time limit. A failing bot makes a fault, as in a tournament.

    Args:
        game: The name of the game.
        bots: The bot of each seat: a plugin's name, FILE.py:NAME, a class, a bot object, or a dictionary with the keys
            `name`, `use` and `options`. Additional seats are filled by the bots in turn.
        seats: The number of seats; by default one per bot.
        options: The game's options.
        seed: The seed of the deal, from 0 to 2**128 - 1; for a record, `int(record.seed, 16)`.
        raises: Whether to raise a bot's exception instead of charging the bot.

    Raises:
        ConfigError: The seats, the options, the seed or a bot are invalid.
        PluginError: A game or a bot was not found or could not be loaded.
        GameError: The game raised an exception or did not end.
    """
    _require_list(bots)
    if not (isinstance(seed, int) and 0 <= seed < 1 << 128):
        raise ConfigError(f"seed: must be a whole number from 0 to 2**128 - 1, got {seed!r}")
    setup = game_setup(GameTable(game, len(bots) if seats is None else seats, dict(options or {})), "game")
    found = seated(bots, setup, setup.seats)
    if setup.seats < len(bots):
        raise ConfigError(f"seats: expected at most {setup.seats} bots, got {len(bots)}")
    around = [found[seat % len(found)] for seat in range(setup.seats)]
    match = Match(match_name(game, 0, 0), setup, 0, seed, tuple([name for name, _ in around]))
    makers: list[Any] = [_Raising(make) if raises else make for _, make in around]
    record = table.play(match, registry.load_game(game), makers)
    return PlayedRecord(*msgspec.structs.astuple(record))


class _Raising(BotHost):
    """Makes bots whose exceptions end the match, as if they were not the bots'."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        return InlineBot(self._make, facts)


def _is_object(bot: Any) -> bool:
    return not isinstance(bot, str | type | Mapping)


def _require_list(bots: Any) -> None:
    if isinstance(bots, str) or not bots:
        raise ConfigError("bots: expected a non-empty list of bots, one per seat")


def seated(bots: Sequence[Any], setup: GameSetup, seats: int) -> list[tuple[str, Callable[[], Any]]]:
    """The name of each bot, and the function that makes it; they are for this number of seats, if need be in turn."""
    _require_list(bots)
    found = [_seated(bot, setup) for bot in bots]
    if seats > len(bots) and any([_is_object(bot) for bot in bots]):
        raise ConfigError("bots: an object plays a single seat; use its class, or an object for each seat")
    return found


def _seated(bot: Any, setup: GameSetup) -> tuple[str, Callable[[], Any]]:
    if _is_object(bot):
        if not callable(getattr(bot, "act", None)):
            raise ConfigError(f"bots: {type_name(bot)} is not a bot; {CLASS_USE}")
        _require_game(type_name(bot), registry.games_in(bot, f"bot {type_name(bot)}"), setup)
        return type_name(bot), lambda: bot
    keys = dict(bot) if isinstance(bot, Mapping) else {"use": bot}
    if unknown := sorted(keys.keys() - {"name", "use", "options"}):
        raise ConfigError(f'bots: unknown key "{unknown[0]}"; a single match supports name, use and options')
    use: Any = keys.get("use", keys.get("name"))
    if isinstance(use, type):
        name, plugin = use.__name__, registry.bot_plugin(use, f"bot {use.__name__}", use_of(use), Path())
    elif isinstance(use, str):
        name, plugin = short_name(use), registry.load_bot(use, Path())
    else:
        raise ConfigError(f"bots: use: expected a name, FILE.py:NAME or a class, got {type_name(use)}")
    name = keys.get("name", name)
    _require_game(name, plugin.games, setup)
    registry.load_policy(setup.game)
    return name, plugin.maker(keys.get("options", {}), f"bot {name}: options")


def _require_game(name: str, games: Sequence[str] | None, setup: GameSetup) -> None:
    if games is not None and setup.game not in games:
        raise ConfigError(f"bots: {name} does not play {setup.game}, only {', '.join(games)}")
