"""Environments for training a bot against others, and tables of what its checkpoints are worth."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tourney._api.arguments import Kept, with_keywords
from tourney._api.configuration import BotGiven
from tourney._api.playing import run
from tourney.base.errors import ConfigError
from tourney.config.writing import game_table
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.game import Game, Options
from tourney.hosts.inline import InlineBot

if TYPE_CHECKING:
    from tourney._api.seat_env import SeatEnv


def gym(
    game: Game | str, *, against: Sequence[Any], seat: int | None = None, seats: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> "SeatEnv":  # fmt: skip
    """Creates a gymnasium environment for one seat of a game, with bots in the others; it needs the extra `gym`.

    An observation is the game's encoding of the seat's view, an action an index into `game.names`; `action_masks()`
    has the legal ones. The reward comes at the end: the points of the match, 1 for place 1 down to 0 for the last.

    Args:
        game: The game, or its name.
        against: The bots of the other seats: names, FILE.py:NAME, classes or objects, as for `tourney.play`. They take
            turns from deal to deal.
        seat: The learner's seat, from 0; None for the next seat on each deal.
        seats: The number of seats; by default the game's smallest.
        options: The game's options as in a tournament file.

    Raises:
        MissingExtraError: gymnasium is not installed.
        PluginError: The game or a bot was not found or could not be loaded.
        ConfigError: The seats, the options or a bot are invalid, or the game does not encode its views.
    """
    from tourney._api.seat_env import SeatEnv  # noqa: PLC0415 - it needs an extra

    return SeatEnv(game, against, seat, seats, options or {})


@with_keywords
def checkpoints(
    folder: str | PathLike[str], pattern: str, *, load: Callable[[str], Any], games: Sequence[str | Mapping[str, Any]],
    deals: int = 50, seed: int | str = "checkpoints", against: Sequence[BotGiven] = (), **keys: Unpack[Kept],
) -> Any:  # fmt: skip
    """Plays a folder's checkpoints against each other, and returns the payoffs as in `Run.payoffs`.

    Args:
        folder: The folder of the checkpoints. They are named after their files, and in the order of their numbers.
        pattern: The files in it, such as `*.pt`.
        load: Makes a bot from a checkpoint's path. Each worker process calls it once for a checkpoint, and plays each
            match with a shallow copy of the bot.
        games: The games: NAME, NAME:SEATS, or dictionaries of the keys of a `[[game]]` table.
        deals: The number of deals for each group of entrants.
        seed: The seed of the deals; by default the same ones each time.
        against: Further bots to enter.

    Raises:
        ConfigError: No file matches, or an argument is invalid.
        RunError: And all other errors of `tourney.run`.
        ImportError: pandas is not installed.
    """
    import pandas  # noqa: F401, PLC0415 - the user's, and missed before anything is played

    files = sorted(Path(folder).glob(pattern), key=_by_numbers)
    if not files:
        raise ConfigError(f"{folder}: no file matches {pattern}")
    kind = _bot_of(load)
    bots = [{"name": _name(file.relative_to(folder)), "use": kind, "options": {"file": str(file)}} for file in files]
    tables = [game_table(game) if isinstance(game, str) else dict(game) for game in games]
    name = f"checkpoints-{_name(Path(Path(folder).resolve().name))}"
    config = {"name": name, "seed": seed, "deals": deals, "bots": [*bots, *against], "game": tables}
    return run(config, **keys).payoffs()


def _name(file: Path) -> str:
    return re.sub(r"[^\w.+-]+", "-", str(file.with_suffix(""))).strip("-")


def _by_numbers(file: Path) -> list[tuple[int, str]]:
    """Sorts step-200 before step-1000."""
    return [(int(number or 0), text) for text, number in re.findall(r"(\D*)(\d*)", str(file))]


class _File(Options):
    file: str


def _bot_of(load: Callable[[str], Any]) -> type[Any]:
    """The class of bots that are loaded from the file in their options."""
    loaded: dict[str, Any] = {}  # in each process

    class Checkpoint:
        Options = _File

        def __init__(self, options: _File) -> None:
            self._file = options.file

        def start(self, facts: SeatFacts) -> None:
            if self._file not in loaded:
                loaded[self._file] = load(self._file)
            self._bot = InlineBot(lambda: copy(loaded[self._file]), facts)

        def act(self, view: Any, legal: Sequence[int]) -> Any:
            return self._bot.act(view, legal)

        def end(self, outcome: Outcome) -> None:
            self._bot.end(outcome)

    return Checkpoint
