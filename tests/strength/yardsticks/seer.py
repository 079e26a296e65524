"""`seer`: searches by playouts, in every game, with nothing but the contract of a game.

For each decision it imagines matches that fit what it sees. In each of them it plays every legal action out, up to the
next score or a number of decisions, and it takes the action with the highest mean margin. The moves of a playout are
random; with the option `chance` below 1, some are those that have served best in the playouts before. The budget is a
number of playouts rather than a time, so that decisions are the same on every machine.
"""

from collections.abc import Sequence
from math import fsum, inf, sqrt
from typing import Annotated, Any

import msgspec

from tourney import ActionEstimate, Bot, Options, SeatFacts, State, has_score, play_out


class SeerOptions(Options, frozen=True):
    """Options of `seer`."""

    playouts: Annotated[int, msgspec.Meta(ge=1)] = 100
    """About how many playouts a decision gets, shared evenly by the legal actions; each action gets at least one."""
    depth: Annotated[int, msgspec.Meta(ge=1)] = 60
    """The number of decisions after which a playout stops, if there has been no score."""
    chance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """The share of random moves in a playout, 0 to 1; in the others a seat does what has served it best so far."""


class Seer(Bot):
    """A search player: imagines matches that fit its view, and plays each action out."""

    Options = SeerOptions
    made_of = ()

    def __init__(self, options: SeerOptions) -> None:
        self._options = options

    def start(self, facts: SeatFacts) -> None:
        """Takes the rules, its seat and the random numbers of its seat."""
        self._imagine = facts.game.imagine
        self._seat = facts.seat
        self._rng = facts.rng

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action with the highest mean margin, the first of them if several have the same."""
        if len(legal) == 1:
            return legal[0]
        means = [fsum(found) / len(found) for found in self._margins(view, legal)]
        return legal[means.index(max(means))]

    def estimates(self, view: Any, legal: Sequence[int]) -> list[ActionEstimate]:
        """Returns how good each legal action is; `act` takes the first of those with the highest mean."""
        return [_estimate(action, found) for action, found in zip(legal, self._margins(view, legal), strict=True)]

    def _margins(self, view: Any, legal: Sequence[int]) -> list[list[float]]:
        """Returns the margins of each legal action in its playouts."""
        random = self._rng.random
        margins: list[list[float]] = [[] for _ in legal]
        habits = _Habits(self._options.chance)
        for _ in range(max(1, self._options.playouts // len(legal))):
            imagined = self._imagine(view, self._rng)
            # the same luck for all actions: they differ by what they lead to alone
            luck = [random() for _ in range(self._options.depth)]
            for found, action in zip(margins, legal, strict=True):
                found.append(self._played_out(imagined.copy(), action, luck, habits))
        return margins

    def _played_out(self, state: State, action: int, luck: Sequence[float], habits: "_Habits") -> float:
        """Plays the action, and then goes on by habit and luck; returns the own seat's margin at the end.

        Without habits, the last choice before a score is not random: the seat that makes it takes the one that is best
        for itself.
        """
        state.apply(action)
        last: State | None = None
        moves: list[Move] = []
        plies = enumerate(luck)

        def choose(state: State, legal: Sequence[int]) -> int:
            nonlocal last
            ply, lot = next(plies)
            if len(legal) == 1:
                return legal[0]
            if habits.none:
                last = state.copy()
            assert state.seat is not None
            move = habits.move(ply, state.seat, legal, lot)
            moves.append((ply, state.seat, move))
            return move

        ended = has_score(state.log) or play_out(state, choose, len(luck), until_score=True)
        if last is not None and ended:
            state = _last_choice(last)
        habits.learn(moves, state)
        return _margin(state, self._seat)


def _estimate(action: int, margins: Sequence[float]) -> ActionEstimate:
    count = len(margins)
    mean = fsum(margins) / count
    if count < 2:
        return ActionEstimate(action, mean, None, count)
    spread = fsum([(margin - mean) ** 2 for margin in margins]) / (count - 1)
    return ActionEstimate(action, mean, sqrt(spread / count), count)


Move = tuple[int, int, int]
"""A move of a playout: the number of decisions before it, the seat, the action."""


class _Habits:
    """How well moves have served the seats that made them, in the playouts of one decision."""

    def __init__(self, chance: float) -> None:
        self._chance = chance
        self.none = chance == 1
        self._served: dict[Move, tuple[float, int]] = {}
        """The sum of the seat's margins after the move, and their number."""

    def move(self, ply: int, seat: int, legal: Sequence[int], lot: float) -> int:
        """Returns a legal action; `lot`, in [0, 1), decides whether it is a random one, and which."""
        if lot < self._chance:
            return legal[int(lot / self._chance * len(legal))]
        best, most = legal[0], -inf
        # actions that are yet to be tried come first, from a random one on
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
        """Adds the margins at the end of a playout to the moves that were made in it."""
        if self.none:
            return
        margins = [_margin(end, seat) for seat in range(len(end.scores))]
        for move in moves:
            total, count = self._served.get(move, (0.0, 0))
            self._served[move] = total + margins[move[1]], count + 1


def _last_choice(state: State) -> State:
    """Returns the state after the action that gives the seat which chooses the highest margin."""
    best, chosen = -inf, state
    seat = state.seat
    assert seat is not None
    for action in state.legal():
        after = state.copy()
        after.apply(action)
        while after.seat is not None and not has_score(after.log) and len(legal := after.legal()) == 1:
            after.apply(legal[0])
        margin = _margin(after, seat)
        if margin > best:
            best, chosen = margin, after
    return chosen


def _margin(state: State, seat: int) -> float:
    """Returns by how many points the seat is ahead of the best other one; negative if it is behind."""
    scores = list(state.scores)
    mine = scores.pop(seat)
    return mine - max(scores)
