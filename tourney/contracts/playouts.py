"""Playouts: finishes a match, such as one from `facts.game.imagine(view, rng)`; nothing checks the actions."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tourney.contracts.game import MOST_DECISIONS, Entry, State

Choose: TypeAlias = Callable[[State, Sequence[int]], int]
"""Takes a match and the legal actions of `state.seat`, and returns one of them, or one that the state tolerates.

It may look at the whole state, hidden cards included; a bot that should choose as in a match gets
`state.view(state.seat)`.
"""


def play_out(state: State, choose: Choose, most: int = MOST_DECISIONS, *, until_score: bool = False) -> bool:
    """Plays a match to its end, when `state.seat` is None.

    Args:
        state: The match; it is changed. Pass a `copy()` of a state that you need again.
        choose: Chooses every action.
        most: The number of decisions after which it stops.
        until_score: Whether it also stops after a decision by which a score is entered in the log: an entry of the
            kind `score`, as games have at the end of a round.

    Returns:
        Whether it stopped at the end, or at a score; False if it did after `most` decisions.

    >>> from random import Random
    >>> from tourney.plugins.registry import load_game
    >>> from tourney.contracts.rng import pick
    >>> game, rng = load_game("vole"), Random(1)
    >>> state = game.start(2, game.options(2, {}), seed=1)
    >>> play_out(state, lambda state, legal: pick(legal, rng), until_score=True)
    True
    >>> sum(state.scores)
    7
    """
    log = state.log
    for _ in range(most):
        seat = state.seat
        if seat is None:
            return True
        legal = state.legal()
        action = choose(state, legal)
        # what `state.play` does; the call would take 4 % of a search
        log.append((seat, action, legal))
        before = len(log)
        state.apply(action)
        if until_score and len(log) > before and has_score(log[before:]):
            return True
    return state.seat is None


def has_score(log: Sequence[Entry]) -> bool:
    """Whether any log entry is a score."""
    return any([entry[0] == "score" for entry in log])
