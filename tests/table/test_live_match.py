"""A match told while it is played is the match that is told afterwards, to everyone and to each seat."""

from collections.abc import Sequence
from contextlib import nullcontext

import pytest

from tests.conftest import mostly_slow
from tests.helpers import SHORT, play_match
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import LiveMatch, ReplayEvent, walk


class Follows:
    """Follows a match for a seat, and tells the news at each decision of that seat, as a person asks for them."""

    def __init__(self, game: str, seats: tuple[str, ...], seat: int | None) -> None:
        self.match = Match(f"{game}-00000-0", GameSetup(game, len(seats), SHORT[game]), 0, 5, seats)
        self.seat = seat
        self.told: list[tuple] = []

    def began(self, log, faults) -> None:
        self.live = LiveMatch(self.match, load_game(self.match.setup.game), self.seat, log, faults)
        self.tell()

    def tell(self) -> None:
        self.told += [facts(found) for found in self.live.news()]


def facts(found: ReplayEvent) -> tuple:
    step = None if found.step is None else found.step[:6]
    return found.number, step, found.view, found.action, found.event, found.seen, tuple(map(facts, found.revealed))


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole", "voleur"))
@pytest.mark.parametrize("seat", [None, 0])
@pytest.mark.parametrize("halfway", [True, False])
def test_the_news_are_the_events_of_the_replay(game, seat, halfway):
    names = ("random", *["RaisesLater"] * (load_game(game).seats[0] - 1))
    follows = Follows(game, names, seat)

    def watch(decision: int, seat: int, _seconds: float, _actions: Sequence[int]):
        if decision and seat == 0 and halfway:
            follows.tell()
        return nullcontext()

    record = play_match(*names, game=game, options=SHORT[game], began=follows.began, watch=watch)
    follows.tell()
    assert follows.told == [facts(found) for found in walk(record, load_game(game), seat)]
    assert follows.live.decisions == record.decisions
