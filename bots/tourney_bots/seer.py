"""`seer`: searches, in every game, with nothing but the contract of a game.

For each decision it imagines matches that fit what it sees, plays every legal action out in each of them, up to the
next score or so many decisions, and takes the action with the best mean margin. The moves of a playout are random, or
the option `chance` leaves a part of them to what has served best in the playouts before. Its budget is a number of
playouts and not a time, so that it decides the same on every machine.
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
    chance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """The share of the moves of a playout that are random; in the others a seat does what has served it best so far."""


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
        random = self._rng.random
        margins: list[list[float]] = [[] for _ in legal]
        habits = _Habits(self._options.chance)
        for _ in range(max(1, self._options.playouts // len(legal))):
            imagined = self._imagine(view, self._rng)
            # the same luck for all actions, so that they differ by what they lead to
            luck = [random() for _ in range(self._options.depth)]
            for found, action in zip(margins, legal, strict=True):
                found.append(self._played_out(imagined.copy(), action, luck, habits))
        means = [fsum(found) / len(found) for found in margins]
        return legal[means.index(max(means))]

    def _played_out(self, state: State, action: int, luck: Sequence[float], habits: "_Habits") -> float:
        """Plays the action and then by habit and luck; how far the own score is ahead of the best other one in the end.

        Without habits, the last choice before a score is not left to chance: whoever makes it is given the best that it
        can have.
        """
        log = state.log
        state.apply(action)
        last: State | None = None
        moves: list[Move] = []
        for ply, lot in enumerate(luck):
            if state.seat is None or _scored(log):
                break
            log.clear()
            legal = state.legal()
            move = legal[0]
            if len(legal) > 1:
                if habits.none:
                    last = state.copy()
                move = habits.move(ply, state.seat, legal, lot)
                moves.append((ply, state.seat, move))
            state.apply(move)
        if last is not None and (state.seat is None or _scored(log)):
            state = _last_choice(last)
        habits.learn(moves, state)
        return _margin(state, self._seat)


Move = tuple[int, int, int]
"""How many decisions after the one that is searched for, the seat, and what it does."""


class _Habits:
    """What has served whom in the playouts of a decision, by when it was done."""

    def __init__(self, chance: float) -> None:
        self._chance = chance
        self.none = chance == 1
        self._served: dict[Move, tuple[float, int]] = {}
        """The sum of the seat's margins after the move, and their number."""

    def move(self, ply: int, seat: int, legal: Sequence[int], lot: float) -> int:
        """One of the legal actions; `lot`, in [0, 1), decides whether it is random, and which one it is then."""
        if lot < self._chance:
            return legal[int(lot / self._chance * len(legal))]
        best, most = legal[0], -inf
        # what is yet to be tried is tried in any order
        first = int((lot - self._chance) / (1 - self._chance) * len(legal))
        for action in (*legal[first:], *legal[:first]):
            found = self._served.get((ply, seat, action))
            if found is None:
                return action
            mean = found[0] / found[1]
            if mean > most:
                best, most = action, mean
        return best

    def learn(self, moves: Sequence[Move], end: State) -> None:
        """Remembers how the moves of a playout have ended for those who made them."""
        if self.none:
            return
        margins = [_margin(end, seat) for seat in range(len(end.scores))]
        for move in moves:
            total, count = self._served.get(move, (0.0, 0))
            self._served[move] = total + margins[move[1]], count + 1


def _last_choice(state: State) -> State:
    """What comes of it if the seat that chooses takes what leads to the best score for itself."""
    best, chosen = -inf, state
    seat = state.seat
    assert seat is not None
    for action in state.legal():
        after = state.copy()
        after.apply(action)
        while after.seat is not None and not _scored(after.log) and len(legal := after.legal()) == 1:
            after.apply(legal[0])
        margin = _margin(after, seat)
        if margin > best:
            best, chosen = margin, after
    return chosen


def _margin(state: State, seat: int) -> float:
    """How far the seat is ahead of the best other one."""
    scores = list(state.scores)
    mine = scores.pop(seat)
    return mine - max(scores)


def _scored(log: Sequence[tuple[Any, ...]]) -> bool:
    """Whether a score is among the last events."""
    return any([entry[0] == "score" for entry in log])
