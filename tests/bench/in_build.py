"""`python -m tests.bench.in_build WHAT …`: measures the tourney that it imports, and prints the result as JSON."""

import sys
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import orjson

from tests.bench import hosts
from tests.bench.own_measures import SEATS, tournament
from tests.bench.timing import rate, steps_per_second
from tourney import config
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import State
from tourney.contracts.match import Match
from tourney.contracts.playouts import play_out
from tourney.plugins.registry import load_bot, load_game
from tourney.schedule.base import schedule
from tourney.table.table import play

POSITIONS = 50  # about how many positions of a match `seer` decides in


def bare(game: str, seconds: str) -> float:
    """Returns the decisions a second of the table alone: no journal, no other process."""
    matches, play_one = _table(game, 300)
    endless = cycle(matches)
    return rate(float(seconds), lambda: play_one(next(endless)))


def deals(game: str, seconds: str) -> float:
    """Returns how many deals the bare table plays in that time."""
    matches, play_one = _table(game, 1)

    def deal() -> int:
        for match in matches:
            play_one(match)
        return 1

    return float(seconds) * rate(0.5, deal)


def _table(game: str, count: int) -> tuple[list[Match], Callable[[Match], int]]:
    """Returns the matches of a tournament of `count` deals, and what plays a match and returns its decisions."""
    whole = config.parse(tournament(game, count), Path("bench.toml"))
    makers = config.create_hosts(whole)

    def play_one(match: Match) -> int:
        record = play(match, load_game(match.setup.game), [makers[name] for name in match.seats])
        return record.actions.count(" ") + 1

    return [match for block in schedule(whole).blocks() for match in block.matches()], play_one


def playouts(name: str, seconds: str) -> float:
    """Returns how many copies of a game's first state are played to their ends at random in a second."""
    game = load_game(name)
    first = game.start(SEATS[name], game.options(SEATS[name], {}), 5)
    random = Random(1).random

    def one() -> int:
        state = first.copy()
        while state.seat is not None:
            legal = state.legal()
            state.apply(legal[int(random() * len(legal))])
        return 1

    return rate(float(seconds), one)


def searches(name: str, seconds: str) -> float:
    """Returns how many decisions `seer` makes in a second, at positions from a match of `steady` against itself."""
    game, seats = load_game(name), SEATS[name]
    options = game.options(seats, {})
    makers = {bot: load_bot(bot, Path()).maker({}, bot) for bot in ("steady", "seer")}

    def seated(bot: str, seat: int) -> Any:
        made = makers[bot]()
        made.start(SeatFacts(game, options, seats, seat, Random(seat)))
        return made

    players = [seated("steady", seat) for seat in range(seats)]
    found: list[tuple[int, Any, Sequence[int]]] = []

    def choose(state: State, legal: Sequence[int]) -> int:
        seat = state.seat
        assert seat is not None
        view = state.view(seat)
        if len(legal) > 1:
            found.append((seat, view, legal))
        return int(players[seat].act(view, legal))

    play_out(game.start(seats, options, 5), choose)
    positions = cycle(found[:: max(1, len(found) // POSITIONS)])

    def decide() -> int:
        seat, view, legal = next(positions)
        seated("seer", seat).act(view, legal)
        return 1

    return rate(float(seconds), decide)


def steps(name: str, seconds: str) -> float:
    """Returns the steps a second of a game's environment for PettingZoo, with uniformly random actions."""
    from tourney._api.pettingzoo import env  # noqa: PLC0415 - it needs an extra

    return steps_per_second(env(name, seats=SEATS[name]), float(seconds))


if __name__ == "__main__":
    WHATS = {each.__name__: each for each in (bare, deals, playouts, searches, steps)} | {"hosts": hosts.costs}
    print(orjson.dumps(WHATS[sys.argv[1]](*sys.argv[2:])).decode())
