"""`python -m tests.bench.inside WHAT …`: measures the tourney that it imports, and prints what comes of it as JSON."""

import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random

import orjson

from tests.bench import hosts
from tests.bench.timing import cores, rate
from tests.bench.tournaments import SEATS, tournament
from tourney import config
from tourney.match import Match
from tourney.plugins import load_game
from tourney.schedule.registry import schedule
from tourney.table import play


def bare(game: str, seconds: str) -> float:
    """Decisions a second of the table alone: no journal, no other process."""
    matches, one = _table(game, 300)
    endless = cycle(matches)
    return rate(float(seconds), lambda: one(next(endless)))


def deals(game: str, seconds: str) -> float:
    """How many deals the bare table plays in so long."""
    matches, one = _table(game, 1)

    def deal() -> int:
        for match in matches:
            one(match)
        return 1

    return float(seconds) * rate(0.5, deal)


def _table(game: str, count: int) -> tuple[list[Match], Callable[[Match], int]]:
    """All matches of a tournament of so many deals, and what plays one and counts its decisions."""
    whole = config.parse(tournament(game, count), Path("bench.toml"))
    makers = config.makers(whole)

    def one(match: Match) -> int:
        record = play(match, load_game(match.setup.game), [makers[name] for name in match.seats])
        return record.actions.count(" ") + 1

    return [match for block in schedule(whole).blocks() for match in block.matches()], one


def playouts(name: str, seconds: str) -> float:
    """Copies a second of a game's first state, played to their ends at random."""
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


def loads(journal: str) -> float:
    """Seconds of work that `orjson.loads` takes for all lines of a file."""
    with cores(1), Path(journal).open("rb") as lines:
        begun = time.process_time()
        for line in lines:
            orjson.loads(line)
        return time.process_time() - begun


if __name__ == "__main__":
    WHATS = {"bare": bare, "deals": deals, "playouts": playouts, "hosts": hosts.costs, "loads": loads}
    print(orjson.dumps(WHATS[sys.argv[1]](*sys.argv[2:])).decode())
