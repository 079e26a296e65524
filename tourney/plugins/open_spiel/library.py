"""The games of OpenSpiel that can be played here. OpenSpiel is imported when a game is first asked for."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from tourney.base.errors import MissingExtraError
from tourney.base.streams import silent_stderr

PLAYERS = ("players", "num_players")
"""The parameters for the number of players; a game has one of them or none."""
RESAMPLED = (
    "bargaining", "bridge", "colored_trails", "euchre", "gin_rummy", "hearts", "kuhn_poker", "leduc_poker", "oh_hell",
    "universal_poker",
)  # fmt: skip
"""The games of hidden information that OpenSpiel can resample; it does not say so itself."""


@cache
def library() -> Any:
    """The module `pyspiel`; raises a `MissingExtraError` if it is not installed."""
    try:
        import pyspiel  # noqa: PLC0415 - loading it takes time, and it is an extra
    except ImportError as error:
        raise MissingExtraError("open_spiel", "open-spiel", error.name or str(error)) from None
    return pyspiel


@cache
def playable() -> dict[str, Any]:
    """The types of all games that can be played here, by name."""
    return {kind.short_name: kind for kind in library().registered_games() if why_not(kind) is None}


def why_not(kind: Any) -> str | None:
    """Why a game of OpenSpiel is not supported here; None if it is."""
    types = library().GameType
    if kind.max_num_players < 2:
        return "is for one player"
    if kind.dynamics == types.Dynamics.MEAN_FIELD:
        return "is a mean-field game"
    if not kind.default_loadable:
        return "is made of other games or of a file, and has no defaults"
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return "draws by itself, so that its deals cannot be repeated"
    return None


def is_open(kind: Any) -> bool:
    """Whether every seat knows everything in a game, at every decision."""
    types = library().GameType
    perfect = kind.information == types.Information.PERFECT_INFORMATION
    return bool(perfect and kind.dynamics == types.Dynamics.SEQUENTIAL)


def parameters(kind: Any) -> dict[str, Any]:
    """The parameters of a game that are its options here, each with its default."""
    own = {name: value for name, value in kind.parameter_specification.items() if name not in PLAYERS}
    return {name: value for name, value in own.items() if isinstance(value, bool | int | float | str)}


@lru_cache(maxsize=64)
def load(name: str, given: tuple[tuple[str, Any], ...]) -> Any:
    """Loads a game with these parameters, in which players act in turn, or raises a `ValueError` of one line."""
    spiel = library()
    at_once = playable()[name].dynamics == spiel.GameType.Dynamics.SIMULTANEOUS
    make = spiel.load_game_as_turn_based if at_once else spiel.load_game
    try:
        with silent_stderr():
            game = make(name, dict(given))
            game.new_initial_state()
    except (spiel.SpielError, RuntimeError, TypeError) as error:
        raise ValueError(refusal(error)) from None
    return game


def with_players(kind: Any, given: Mapping[str, Any], seats: int) -> tuple[tuple[str, Any], ...]:
    """The parameters to load a game with, the number of players among them where it has such a parameter."""
    players = {key: seats for key in PLAYERS[::-1] if key in kind.parameter_specification}
    return tuple(sorted((dict(given) | players).items()))


def refusal(error: BaseException) -> str:
    """The message of an OpenSpiel exception, in one line and without the place in its source."""
    text = re.sub(r"^\S+\.(?:cc|h):\d+\s+", "", str(error).strip())
    return "; ".join([" ".join(line.split()) for line in text.splitlines() if line.strip()])[:300]
