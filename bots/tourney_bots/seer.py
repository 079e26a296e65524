"""`seer`: searches, in every game, with nothing but the contract of a game.

For each decision it imagines matches that fit what it sees, plays every legal action out in each of them with random
moves, up to the next score or so many decisions, and takes the action with the best mean margin. Its budget is a
number of playouts and not a time, so that it decides the same on every machine.
"""

from collections.abc import Sequence
from math import fsum, inf
from typing import Annotated, Any

import msgspec

from tourney.bot import Bot, SeatFacts
from tourney.game import Options, State


class SeerOptions(Options, frozen=True):
    """Options of `seer`."""

    playouts: Annotated[int, msgspec.Meta(ge=1)] = 100
    """About so many playouts for a decision, shared evenly by its legal actions, each of which gets at least one."""
    depth: Annotated[int, msgspec.Meta(ge=1)] = 60
    """A playout stops after so many decisions, if no score has come before."""


class Seer(Bot):
    """A search player: imagines what fits its view, and plays each action out."""

    Options = SeerOptions

    def __init__(self, options: SeerOptions) -> None:
        self._options = options

    def start(self, facts: SeatFacts) -> None:
        """Keeps the rules, its seat and its source of chance."""
        self._imagine = facts.game.imagine
        self._seat = facts.seat
        self._rng = facts.rng

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The action with the best mean margin; the first of them if several are as good."""
        if len(legal) == 1:
            return legal[0]
        margins: list[list[float]] = [[] for _ in legal]
        for _ in range(max(1, self._options.playouts // len(legal))):
            imagined = self._imagine(view, self._rng)
            for found, action in zip(margins, legal, strict=True):
                found.append(self._played_out(imagined.copy(), action))
        means = [fsum(found) / len(found) for found in margins]
        return legal[means.index(max(means))]

    def _played_out(self, state: State, action: int) -> float:
        """Plays the action and then at random; how far the own score is ahead of the best other one in the end.

        The last choice before a score is not left to chance: whoever makes it is given the best that it can have.
        """
        random, log = self._rng.random, state.log
        state.apply(action)
        last: State | None = None
        for _ in range(self._options.depth):
            if state.seat is None or _scored(log):
                return self._margin(state, self._seat) if last is None else self._last_choice(last)
            log.clear()
            legal = state.legal()
            if len(legal) > 1:
                last = state.copy()
            state.apply(legal[int(random() * len(legal))])
        return self._margin(state, self._seat)

    def _last_choice(self, state: State) -> float:
        """The own margin if the seat that chooses takes what leads to the best score for itself."""
        best, own = -inf, 0.0
        for action in state.legal():
            after = state.copy()
            after.apply(action)
            while after.seat is not None and not _scored(after.log) and len(legal := after.legal()) == 1:
                after.apply(legal[0])
            margin = self._margin(after, state.seat)
            if margin > best:
                best, own = margin, self._margin(after, self._seat)
        return own

    def _margin(self, state: State, seat: int | None) -> float:
        """How far the seat is ahead of the best other one."""
        scores = list(state.scores)
        mine = scores.pop(seat or 0)
        return mine - max(scores)


def _scored(log: list[tuple[Any, ...]]) -> bool:
    """Whether a score is among the last events."""
    return any([entry[0] == "score" for entry in log])
