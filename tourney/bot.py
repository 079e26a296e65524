"""The contract of a bot: any object with `act(view, legal)`; `start(facts)` and `end(outcome)` are optional.

A bot is made anew for every match. A class that has `Options` is made with them (`Seer(options)`), any other with
nothing (`Thief()`). A bot may say in `games` which games it plays; without it, it plays every game.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

from tourney.game import Game, View


class SeatFacts(NamedTuple):
    """What a bot is told before its first decision: everything that it may know beyond its views."""

    game: Game
    """The rules: `facts.game.text(action)`, `facts.game.action("keep")`, `facts.game.imagine(view, rng)`."""
    options: Any
    """The game's options in this match."""
    seats: int
    """How many seats there are."""
    seat: int
    """The bot's own seat, from 0."""
    rng: Random
    """The bot's own randomness: the same in every replay of this match, and telling nothing about the cards."""


class Outcome(NamedTuple):
    """What a bot is told at the end of a match."""

    scores: tuple[int, ...]
    """The game's score of each seat."""
    places: tuple[int, ...]
    """The game's place of each seat, 1 the best."""


class Bot:
    """A base to start from; a bot need not use it."""

    games: ClassVar[tuple[str, ...] | None] = None
    """Names of the games that it plays; None means every game."""

    facts: SeatFacts

    def start(self, facts: SeatFacts) -> None:
        """Called once, before the first decision."""
        self.facts = facts

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """One of the legal actions; called at every decision of the seat, also where only one action is legal."""
        raise NotImplementedError

    def end(self, outcome: Outcome) -> None:
        """Called once, after the match."""


__all__ = ["Bot", "Outcome", "SeatFacts", "View"]
