"""What may be the case by all that a seat has seen, found by trying, and whether draws of it are even.

Nothing here knows how games imagine. A deal fits if the round can be played on it by the rules so that the seat sees
the same; decisions that it does not see are tried in every way. The seat's views while others decide count as seen.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from tests.games.facts import facts_of, set_up
from tourney.contracts.game import Game, State, View


class Seen(NamedTuple):
    seat: int
    action: int | None  # none if the seat does not see all of it
    view: View  # the view of the seat that sees, after the decision


class Round:
    def __init__(self, game: Game, state: State, me: int) -> None:
        self.game, self.state, self.me = game, state, me
        self.facts = facts_of(state)
        self.seen: list[Seen] = []

    def play(self, *actions: int) -> "Round":
        for action in actions:
            state = self.state
            seat, at, before = state.seat, len(state.log), state.view(self.me)
            state.play(action)
            view = state.view(self.me)
            if view != before:
                seen = self.game.observe(state, at, self.me).text == self.game.text(action)
                self.seen.append(Seen(seat, action if seen else None, view))
        return self

    def worlds(self, **changed: Any) -> Iterator[State]:
        """Yields every state that the round may have led to if these facts had been others at its start."""
        view = self.state.view(self.me)
        yield from self._played(set_up(self.game, len(view.scores), view.options, **self.facts | changed), self.seen)

    def _played(self, state: State, seen: list[Seen]) -> Iterator[State]:
        """Yields the states that every way to play leads to in which the seat sees just that."""
        me = self.me
        if not seen:
            yield state
        known = set()
        choices = _choices(state, seen, me)
        for action in choices:
            after = state.copy()
            after.apply(action)
            view = after.view(me)
            shown = bool(seen) and view == seen[0].view
            if not shown and (state.seat == me or view != state.view(me)):
                continue
            if len(choices) > 1:  # ways to the same state need not be told apart
                facts = repr(facts_of(after))
                if facts in known:
                    continue
                known.add(facts)
            yield from self._played(after, seen[1:] if shown else seen)


def _choices(state: State, seen: list[Seen], me: int) -> list[int]:
    if state.seat is None:
        return []
    legal = list(state.legal())
    if not seen or state.seat != seen[0].seat:
        return legal if state.seat != me else []
    action = seen[0].action
    if action is None:
        return legal + [action for action in range(256) if state.tolerates(action)]
    if action in legal or state.tolerates(action):
        return [action]
    return legal if state.seat != me else []


def assert_even(draw: Callable[[], Hashable], possible: set[Any], times: int = 60) -> None:
    """Fails unless just the possible results are drawn, each about `times` times, by Pearson's chi-square."""
    found = Counter(draw() for _ in range(times * len(possible)))
    assert len(possible) > 1
    assert set(found) <= possible
    chi = sum([(found[each] - times) ** 2 for each in possible]) / times
    assert chi < len(possible) + 5 * sqrt(2 * len(possible))


def assert_imagined_evenly(
    played: Round, world: Callable[[State], Hashable], possible: set[Any], seed: int, times: int = 60
) -> None:
    """Fails unless the seat imagines just the possible worlds, evenly, and the true one is among them."""
    view, rng = played.state.view(played.me), Random(seed)
    assert world(played.state) in possible
    assert_even(lambda: world(played.game.imagine(view, rng)), possible, times)
