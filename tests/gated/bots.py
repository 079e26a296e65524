"""Bots for the gate: `steady` made worse, and `steady` written anew."""

from tourney_bots.steady import Steady


class Noisy(Steady):
    """Plays at random one time in ten."""

    def start(self, facts):
        super().start(facts)
        self._chance = facts.rng.random

    def act(self, view, legal):
        if self._chance() < 0.1:
            return legal[int(self._chance() * len(legal))]
        return super().act(view, legal)


class Tidied:
    """The same player, put together in another way."""

    games = Steady.games

    def __init__(self):
        self._player = Steady()

    def start(self, facts):
        self._player.start(facts)

    def act(self, view, legal):
        return legal[0] if len(legal) == 1 else self._player.act(view, legal)
