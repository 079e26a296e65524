"""Bots of known strength for `tests.standings.coverage`: equal ones that never play alike, and graded ones."""

from hashlib import blake2b
from typing import Annotated

import msgspec
from tourney_bots.random import Random
from tourney_bots.steady import Steady

from tourney.contracts.bot import Bot
from tourney.contracts.game import Options
from tourney.contracts.rng import stream


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
