"""A small game, as somebody else's distribution has it: tests install this text, whole or with a mistake in it."""

from typing import Annotated

import msgspec

from tourney.contracts.game import Game, Options, State, View, places_by


class CoinsOptions(Options, frozen=True):
    target: Annotated[int, msgspec.Meta(ge=1)] = 8


class CoinsView(View, frozen=True):
    turns: int
    taken: tuple[int, int]


class CoinsState(State):
    """Both seats take 0 or 1 coin in turn; who has more has won."""

    def __init__(self, target, turns=0, taken=(0, 0)):
        self.log = []
        self.target, self.turns, self.taken = target, turns, taken
        self._pass_on()

    def _pass_on(self):
        self.seat = self.turns % 2 if self.turns < self.target else None

    def legal(self):
        return (0, 1)

    def apply(self, action):
        first, second = self.taken
        self.taken = (first, second + action) if self.turns % 2 else (first + action, second)
        self.turns += 1
        self._pass_on()

    def view(self, seat):
        return CoinsView(seat, self.turns, self.taken)

    def copy(self):
        return CoinsState(self.target, self.turns, self.taken)

    @property
    def scores(self):
        return self.taken

    @property
    def places(self):
        return places_by(self.scores)


class Coins(Game):
    name, title, rules, seats = "coins", "Coins", "https://example.org", range(2, 3)
    Options = CoinsOptions
    actions = names = ("none", "one")

    def start(self, seats, options, seed):
        return CoinsState(options.target)

    def imagine(self, view, rng):
        return CoinsState(8, view.turns, view.taken)

    def event(self, entry):
        return {"kind": entry[0]}
