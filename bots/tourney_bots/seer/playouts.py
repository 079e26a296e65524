"""The playouts of `seer`: an action is played out in a world, up to the next score or a number of decisions.

A world is a match that fits the seat's view, with the luck of the playouts in it.
"""

from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import inf
from random import Random
from typing import Any, NamedTuple

from tourney import Game, Policy, SeatFacts, State, check_policy, has_score, load_policy, play_out


class World(NamedTuple):
    """An imagined match."""

    state: State
    """The match at the moment of the decision; it is copied for each playout."""
    luck: Sequence[float]
    """A number in [0, 1) for each decision of a playout, the same for all actions."""


class Worlds:
    """Draws worlds: each is one of `draws` imagined matches, the ones of greater `likelihood` more often.

    This is sampling importance resampling (Rubin 1987), for each world again.
    """

    def __init__(
        self, game: Game, view: Any, rng: Random, depth: int, draws: int, likelihood: Callable[[State], float]
    ) -> None:
        self._game, self._view, self._rng, self._depth = game, view, rng, depth
        self._draws, self._likelihood = draws, likelihood

    def draw(self) -> World:
        """A new world."""
        random = self._rng.random
        return World(self._state(), [random() for _ in range(self._depth)])

    def _state(self) -> State:
        imagine, view, rng = self._game.imagine, self._view, self._rng
        if self._draws == 1:
            return imagine(view, rng)
        states = [imagine(view, rng) for _ in range(self._draws)]
        likely = [self._likelihood(state) for state in states]
        for each in likely:
            if not 0 <= each < inf:
                raise ValueError(f"a policy's likelihood must be a finite number from 0 on, got {each}")
        shares = list(accumulate(likely))
        return states[min(bisect(shares, rng.random() * shares[-1]), len(states) - 1)]


class Guides:
    """A policy for each seat of a match, if there is one for the game. They move the seats in playouts.

    Moves are partly at random, and without a policy all at random.
    """

    def __init__(self, facts: SeatFacts, wanted: bool, chance: float | None) -> None:
        policy = load_policy(facts.game.name) if wanted else None
        self.own = (policy or Policy)(facts)
        """The policy of this seat; without one for the game, it only sets how to search."""
        check_policy(self.own)
        self._seats: list[Policy] = [policy(facts._replace(seat=seat)) for seat in range(facts.seats)] if policy else []
        self._chance = chance

    def choice(self, view: Any, legal: Sequence[int]) -> int | None:
        """The choice of this seat's policy, which must be asked at every decision; None without one."""
        if not self._seats:
            return None
        for policy in (self.own, *self._seats):
            policy.watch(view)
        return self.own.act(view, legal)

    def candidates(self, view: Any, legal: Sequence[int], guide: int | None) -> Sequence[int]:
        """The actions to search: the candidates of this seat's policy, with its own choice."""
        candidates = self.own.candidates(view, legal)
        return candidates if guide is None or guide in candidates else (guide, *candidates)

    def play(self, world: World, action: int) -> State:
        """The match after playing the action out."""
        state = world.state.copy()
        state.apply(action)
        if has_score(state.log):
            return state
        return self._guided(state, world.luck) if self._seats else _at_random(state, world.luck)

    def _guided(self, state: State, luck: Sequence[float]) -> State:
        policies: dict[int, Policy] = {}
        chance, draws = self.own.chance if self._chance is None else self._chance, iter(luck)

        def choose(state: State, legal: Sequence[int]) -> int:
            draw = next(draws)
            if len(legal) == 1:
                return legal[0]
            if draw < chance:
                return legal[int(draw / chance * len(legal))]
            seat = state.seat
            assert seat is not None
            if seat not in policies:
                policies[seat] = self._seats[seat].copy()
            return policies[seat].act(state.view(seat), legal)

        play_out(state, choose, len(luck), until_score=True)
        return state


def _at_random(state: State, luck: Sequence[float]) -> State:
    """Plays at random, except for the last choice before a score: its seat makes the best one."""
    last: State | None = None
    draws = iter(luck)

    def choose(state: State, legal: Sequence[int]) -> int:
        nonlocal last
        draw = next(draws)
        if len(legal) == 1:
            return legal[0]
        last = state.copy()
        return legal[int(draw * len(legal))]

    ended = play_out(state, choose, len(luck), until_score=True)
    return _last_choice(last) if last is not None and ended else state


def _last_choice(state: State) -> State:
    """The state after the action that puts the seat which chooses ahead of the others by the most points."""
    best, chosen = -inf, state
    seat = state.seat
    assert seat is not None
    for action in state.legal():
        after = state.copy()
        after.apply(action)
        while after.seat is not None and not has_score(after.log) and len(legal := after.legal()) == 1:
            after.apply(legal[0])
        scores = list(after.scores)
        margin = float(scores.pop(seat) - max(scores))
        if margin > best:
            best, chosen = margin, after
    return chosen
