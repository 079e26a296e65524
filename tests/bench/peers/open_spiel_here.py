"""Games of OpenSpiel in our table, with our random bots: what its own loops in Python are compared with."""

from collections.abc import Callable
from functools import partial
from itertools import count

import tourney_bots.random as bots

from tests.bench.peer_measures import HERE
from tests.bench.timing import Rates, rate
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import load_game
from tourney.table.table import play

TITLES = {"oh_hell": "Oh Hell", "hearts": "Hearts"}


def rates() -> Rates:
    return {f"OpenSpiel {title} {HERE}": partial(rate, play=_player(name)) for name, title in TITLES.items()}


def _player(name: str) -> Callable[[], int]:
    game = load_game(f"open_spiel:{name}")
    setup = GameSetup(game.name, game.seats[0], {})
    seats = tuple([f"random{seat}" for seat in range(setup.seats)])
    numbers = count()

    def one() -> int:
        return play(Match("bench", setup, 0, next(numbers), seats), game, [bots.Random] * setup.seats).decisions

    return one
