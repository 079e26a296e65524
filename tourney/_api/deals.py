"""Successive deals of a game, and its views as vectors, for the environments of machine learning."""

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from tourney.base.errors import ConfigError, did_you_mean
from tourney.contracts.game import Game, State
from tourney.contracts.rng import derive, root_seed, secret_seed
from tourney.plugins.registry import load_game


class Deals:
    """The deals of a game in their order; deal d of a seed equals deal d of a tournament with that `seed`."""

    def __init__(self, game: Game | str, seats: int | None, options: Mapping[str, Any]) -> None:
        self.game = game = load_game(game) if isinstance(game, str) else game
        self.seats = game.seats[0] if seats is None else seats
        self.options = game.options(self.seats, options, f"options of {game.name}")
        self.number = -1
        self.seed = 0
        self._root: int | None = None
        try:
            self.size = len(game.encoding(self.seats, self.options))
        except NotImplementedError:
            raise ConfigError(
                f"{game.name} has no observations; implement the game's methods encoding and encode"
            ) from None

    def start(self, seed: Any, options: Mapping[str, Any] | None) -> State:
        """Starts a match on the next deal, on a seed's first one, or on the one in `options`."""
        for key in options or {}:
            if key not in ("deal", "options"):  # PettingZoo's tests pass the second
                raise ConfigError(f'options of reset: no key "{key}"; {did_you_mean(str(key), ["deal"])}')
        root, deal = self._root, self.number + 1
        if seed is not None or root is None:
            root, deal = root_seed(secret_seed() if seed is None else _whole("seed", seed)), 0
        deal = _whole("deal", (options or {}).get("deal", deal))
        if deal < 0:
            raise ConfigError(f"deal: must be a whole number of at least 0, got {deal}")
        self._root, self.number, self.seed = root, deal, derive(root, "deal", self.game.name, deal)
        return self.game.start(self.seats, self.options, self.seed)

    def vector(self, match: State, seat: int) -> Any:
        """The seat's view as a vector."""
        return np.array(self.game.encode(match.view(seat)), np.float32)

    def mask(self, match: State, seat: int, kind: Any) -> Any:
        """An array of this kind of numbers with 1 for each action that is legal for the seat now."""
        mask: Any = np.zeros(len(self.game.names), kind)
        if match.seat == seat:
            mask[list(match.legal())] = 1
        return mask


def _whole(name: str, value: Any) -> int:
    """Accepts whole numbers of any type, numpy's included, but no bools."""
    try:
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise ConfigError(f"{name}: must be a whole number, got {value!r}")
