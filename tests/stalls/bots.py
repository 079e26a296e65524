"""Bots that use time: some to harm the others, some because they have to think."""

import time
from random import Random

from tourney.contracts.bot import Bot
from tourney.contracts.game import Options
from tourney.testing.bots import Good

LAST = 6  # the last decision at which a staller stalls that does so once


def spin(seconds: float) -> None:
    """Uses the processor for that long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def own_random(facts) -> Random:
    """Random numbers that leave those of the bot's moves as they are."""
    return Random(str(facts.rng.getstate()))


class StallOptions(Options, frozen=True):
    way: str = "none"
    until_s: float = 0.0


class Staller(Bot):
    """Plays at random, and sleeps so that nearly all time of the match is used up.

    At its first decision it sleeps for so long, later until so much time has gone by since it was made.
    """

    Options = StallOptions

    def __init__(self, options: StallOptions) -> None:
        self.options = options
        self.made = time.monotonic()
        self.decisions = 0

    def start(self, facts) -> None:
        super().start(facts)
        self.at = own_random(facts).randint(1, LAST) if self.options.way == "random" else None
        if self.options.way == "start":
            self.sleep()

    def act(self, view, legal):
        self.decisions += 1
        if self.decisions == 1 and self.options.way == "first":
            time.sleep(self.options.until_s)
        elif self.decisions == self.at:
            self.sleep()
        return legal[int(self.facts.rng.random() * len(legal))]

    def sleep(self) -> None:
        time.sleep(max(0.0, self.options.until_s - (time.monotonic() - self.made)))


class ThinkOptions(Options, frozen=True):
    think_ms: int = 0


class Innocent(Good):
    """Thinks for a while before each move: in half of its matches it uses the processor, in the others it sleeps."""

    Options = ThinkOptions

    def __init__(self, options: ThinkOptions) -> None:
        self.think_s = options.think_ms / 1000

    def start(self, facts) -> None:
        super().start(facts)
        self.think = own_random(facts).choice([spin, time.sleep])

    def act(self, view, legal):
        self.think(self.think_s)
        return super().act(view, legal)
