"""Bots of known strength: equal ones that never play alike, graded ones, and `steady` as others write or worsen it."""

from hashlib import blake2b
from random import Random as Stream
from statistics import fmean
from typing import Annotated

import msgspec
from tourney_bots.random import Random
from tourney_bots.steady import Steady

from tourney.contracts.bot import Bot, Noted, SeatFacts
from tourney.contracts.game import Options
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import stream
from tourney.standings.points import points

EVERY = 8  # how many decisions with a choice come from one mistake to the next, or more
WORLDS = 40  # in how many imagined worlds it looks for its worst action
COSTLY = 0.2  # by how many points the worst action must be expected to be worse than the best


class SaltOptions(Options, frozen=True):
    salt: int = 0  # bots with different salts choose differently in the same seat of the same block


class Salted(Random):
    """Plays at random, with lots that no bot with another salt draws."""

    Options = SaltOptions

    def __init__(self, options):
        self._salt = options.salt

    def start(self, facts):
        self._random = stream(int(facts.rng.random() * 2**53), "salt", self._salt).random


class Hashed(Bot):
    """Draws no lots: its choice is a hash of all that it sees, and of its salt."""

    Options = SaltOptions

    def __init__(self, options):
        self._salt = options.salt

    def act(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        fields = ", ".join([f"{name}={value!r}" for name, value in zip(view.__struct_fields__, view, strict=True)])
        seen = blake2b(f"{self._salt} {type(view).__name__}({fields})".encode(), digest_size=8).digest()
        return legal[int.from_bytes(seen, "big") % len(legal)]


class MixtureOptions(Options, frozen=True):
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    """The share of decisions in which it plays as `steady` does; the others are random."""


class Mixture(Steady):
    """Plays as `steady` in a share of its decisions, at random in the others: the larger the share, the stronger."""

    Options = MixtureOptions

    def __init__(self, options):
        self._share = options.share

    def start(self, facts):
        super().start(facts)
        self._random = facts.rng.random

    def act(self, view, legal):
        if self._random() < self._share:
            return super().act(view, legal)
        return legal[int(self._random() * len(legal))]


class Tidied:
    """The same player as `steady`, put together in another way."""

    games = Steady.games

    def __init__(self):
        self._player = Steady()

    def start(self, facts):
        self._player.start(facts)

    def act(self, view, legal):
        return legal[0] if len(legal) == 1 else self._player.act(view, legal)


class Blunderer(Bot):
    """Plays as `steady` does, and makes mistakes on purpose, which it notes."""

    def start(self, facts):
        self.facts = facts
        self.choices = 0
        self.steady = Steady()
        self.steady.start(facts)

    def act(self, view, legal):
        self.choices += len(legal) > 1
        if self.choices >= EVERY and len(legal) > 1:
            worlds = [self.facts.game.imagine(view, self.facts.rng) for _ in range(WORLDS)]
            worth = {action: fmean([self.expected(world.copy(), action) for world in worlds]) for action in legal}
            worst = min(legal, key=worth.get)
            if max(worth.values()) - worth[worst] > COSTLY:
                self.choices = 0
                return Noted(worst, planted=True)
        return self.steady.act(view, legal)

    def expected(self, state, action):
        bots = [Steady() for _ in range(self.facts.seats)]
        for seat, bot in enumerate(bots):
            bot.start(SeatFacts(self.facts.game, self.facts.options, self.facts.seats, seat, Stream(0)))
        state.apply(action)
        play_out(state, lambda state, legal: bots[state.seat].act(state.view(state.seat), legal))
        return points(state.places)[self.facts.seat]
