"""How `seer` weighs its choices, in a game made for it."""

from random import Random

import pytest
from tourney_bots.seer import Seer, SeerOptions

from tourney.bot import SeatFacts
from tourney.game import Game, State, View

BAIT, SAFE = 0, 1
WORTH = {(BAIT, 0): 10, (BAIT, 1): -6, (SAFE, 0): 1, (SAFE, 1): 1}
"""What seat 0 has of its action and the reply of seat 1: the bait is the better one only if the reply is random."""


class TrapView(View, frozen=True):
    actions: tuple[int, ...]


class Trap(State):
    """Seat 0 takes the bait or not, seat 1 replies, and a choice without consequences ends the match."""

    def __init__(self, actions=()) -> None:
        self.log = []
        self.actions = actions
        self.seat = (0, 1, 0, None)[len(actions)]

    def legal(self):
        return (0, 1)

    def apply(self, action: int) -> None:
        self.__init__((*self.actions, action))

    def view(self, seat: int) -> TrapView:
        return TrapView(seat, self.actions)

    def copy(self) -> "Trap":
        return Trap(self.actions)

    @property
    def scores(self) -> tuple[int, ...]:
        return WORTH.get(self.actions[:2], 0), 0


class TrapGame(Game):
    def imagine(self, view: TrapView, rng: Random) -> Trap:
        return Trap(view.actions)


def choice(seed: int, **options) -> int:
    seer = Seer(SeerOptions(**options))
    seer.start(SeatFacts(TrapGame(), None, 2, 0, Random(seed)))
    return seer.act(Trap().view(0), (BAIT, SAFE))


def test_the_estimates_are_what_the_choice_goes_by():
    seer = Seer(SeerOptions(playouts=400))
    seer.start(SeatFacts(TrapGame(), None, 2, 0, Random(1)))
    bait, safe = seer.estimates(Trap().view(0), (BAIT, SAFE))
    assert (bait.action, safe.action) == (BAIT, SAFE)
    assert bait.playouts == safe.playouts == 200
    assert bait.mean == pytest.approx(2, abs=4 * bait.error)
    assert bait.error == pytest.approx(8 / 200**0.5, rel=0.05)  # 10 or -6 with equal chances
    assert (safe.mean, safe.error) == (1, 0)
    assert choice(1, playouts=400) == BAIT
    alone = Seer(SeerOptions(playouts=1))
    alone.start(SeatFacts(TrapGame(), None, 2, 0, Random(1)))
    assert [each.error for each in alone.estimates(Trap().view(0), (BAIT, SAFE))] == [None, None]


@pytest.mark.parametrize("seed", range(5))
def test_a_seer_that_lets_the_others_learn_does_not_take_a_bait(seed):
    assert choice(seed, playouts=400, chance=1.0) == BAIT
    assert choice(seed, playouts=400, chance=0.1) == SAFE
