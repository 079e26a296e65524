"""The playouts of `seer`: an action is played out in a world, up to the next score or a number of decisions."""

from collections.abc import Sequence
from math import inf

from tourney import Policy, State, has_score, play_out
from tourney_bots.seer.guides import Guides
from tourney_bots.seer.worlds import World


class Mover:
    """Moves all seats in playouts: by the policy for the game and partly at random, without a policy all at random."""

    def __init__(self, guides: Guides, chance: float | None) -> None:
        self._guides = guides
        self._chance = guides.own.chance if chance is None else chance

    def play(self, world: World, action: int) -> State:
        """Returns the match in which the action has been played out."""
        state = world.state.copy()
        state.apply(action)
        if has_score(state.log):
            return state
        return self._guided(state, world.luck) if self._guides.any else _at_random(state, world.luck)

    def _guided(self, state: State, luck: Sequence[float]) -> State:
        policies: dict[int, Policy] = {}
        chance, draws = self._chance, iter(luck)

        def choose(state: State, legal: Sequence[int]) -> int:
            draw = next(draws)
            if len(legal) == 1:
                return legal[0]
            if draw < chance:
                return legal[int(draw / chance * len(legal))]
            seat = state.seat
            assert seat is not None
            if seat not in policies:
                policies[seat] = self._guides.of_seat(seat)
            return policies[seat].act(state.view(seat), legal)

        play_out(state, choose, len(luck), until_score=True)
        return state


def _at_random(state: State, luck: Sequence[float]) -> State:
    """Plays on at random, but for the last choice before a score: the seat that makes it does what is best for it."""
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
    """Returns the state after the action that puts the seat which chooses ahead of the others by the most points."""
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
