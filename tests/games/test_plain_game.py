"""A game that somebody else writes, in plain Python, plays at our table, whether that is compiled or not."""

from contextlib import nullcontext

import pytest

from tourney.base.errors import GameError
from tourney.contracts.game import Game, State, View, places_by
from tourney.contracts.match import GameSetup, Match
from tourney.contracts.rng import below
from tourney.table.replay import check
from tourney.table.table import play


class HighView(View, frozen=True):
    bids: tuple[int, ...]

    def as_dict(self) -> dict:
        return {"seat": self.seat, "bids": list(self.bids)}


class HighState(State):
    """Each seat bids once; the highest bid below the secret number wins."""

    def __init__(self, seats: int, seed: int) -> None:
        self.log = []
        self.seat = 0
        self.seats = seats
        self.secret = below(10, seed, "secret")
        self.bids = ()
        self.log.append(("deal", self.secret))

    def legal(self) -> tuple[int, ...]:
        return tuple(range(10))

    def tolerates(self, action: int) -> bool:
        return action == 10

    def apply(self, action: int) -> None:
        self.bids += (action,)
        self.seat = len(self.bids) if len(self.bids) < self.seats else None

    def view(self, seat: int) -> HighView:
        return HighView(seat, self.bids)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple([bid if bid < self.secret else 0 for bid in self.bids])

    @property
    def places(self) -> tuple[int, ...]:
        return places_by(self.scores)


class High(Game):
    name = "high"
    title = "High"
    seats = range(2, 4)
    names = (*[f"bid:{number}" for number in range(10)], "sulk")

    def start(self, seats: int, options: object, seed: int) -> HighState:
        return HighState(seats, seed)

    def event(self, entry: tuple) -> dict:
        return {"kind": "deal", "secret": entry[1]}


class Bidder:
    def __init__(self, action: object) -> None:
        self.action = action

    def act(self, view: HighView, legal: tuple[int, ...]) -> object:
        return self.action if self.action is not None else legal[sum(view.bids) % len(legal)]


def test_a_game_in_plain_python_is_played_judged_and_replayed():
    match = Match("high-00000-0", GameSetup("high", 3, {}), 0, 7, ("sulker", "cheat", "adder"))
    record = play(match, High(), [lambda: Bidder(10), lambda: Bidder(11), lambda: Bidder(None)])
    assert record.actions.split()[0] == "sulk"
    assert [(fault.seat, fault.kind, fault.decision) for fault in record.faults] == [(1, "illegal", 2)]
    assert record.places[1] == 3
    check(record, High())


class Short(High):
    def max_decisions(self, *_: object) -> int:
        return 1


@pytest.mark.parametrize("watch", [None, lambda *_: nullcontext()])
def test_a_match_that_is_not_over_after_all_its_decisions_is_an_error_of_the_game(watch):
    match = Match("high-00000-0", GameSetup("high", 2, {}), 0, 7, ("low", "adder"))
    with pytest.raises(GameError, match="it is not over after 1 decisions"):
        play(match, Short(), [lambda: Bidder(3)] * 2, watch=watch)
