"""States of The Vole in the Valley that fit what a seat knows, with all that it does not see drawn at random."""

from functools import lru_cache
from random import Random
from typing import Any

from tourney.games.vole.cards import BURY, CARDS, HIDDEN, KEEP, SWAP
from tourney.games.vole.hidden import fit
from tourney.games.vole.state import VoleState
from tourney.games.vole.tricks import SEAT, pending
from tourney.games.vole.view import VoleView
from tourney.rng import Permutations, seed_from


def imagine(view: VoleView, rng: Random) -> VoleState:
    """Returns a state that fits everything which the view shows, drawn by `rng`; the match must not be over."""
    me, leader = view.seat, view.leader
    options, number, start, past, scores, _ = view._facts
    moves = view._moves
    hidden = fit(me, start[1], moves, view.hand_mask, view.buried, rng)

    def by_seat(mine: Any, others: Any) -> tuple[Any, Any]:
        return (others, mine) if me else (mine, others)

    new = VoleState()
    new.log = []
    new._options = view.options
    new._seed = seed_from(rng)
    new._orders = Permutations(CARDS, new._seed, "cards")
    new._hands = list(by_seat(view.hand_mask, hidden.hand))
    new._deck = hidden.deck
    new._up = view.up
    others_start = start[0], start[1], hidden.dealt
    others_past = tuple([_past_of_other(me, entry) for entry in past])
    new._facts = by_seat(view._facts, (options, number, others_start, others_past, scores, False))
    new._moves = moves
    new._buried = by_seat(view.buried, hidden.buried)
    new._won = view._won
    new._extra = view.extra
    new._points = (0, 0)
    new._leader = leader
    new._led = -1 if view.led is None else view.led
    new._phase = pending(moves)
    new._drawn = -1
    if not new._phase:
        new.seat = leader if view.led is None else 1 - leader
        return new
    new.seat = moves[-1] // SEAT
    if new._phase == BURY:
        new._drawn = _own_drawn(view) if new.seat == me else hidden.drawn
    return new


def _own_drawn(view: VoleView) -> int:
    """Returns the card that the view's seat has drawn for a 5 and not yet buried another for."""
    _, up, hand = view._facts[2]
    pairs = list(view.buried)
    for seat, action in view.steps:
        if seat == view.seat:
            if action == HIDDEN:
                drew, away = pairs.pop(0)
                hand ^= 1 << drew ^ 1 << away
            elif action != KEEP:
                hand ^= 1 << action if action < CARDS else 1 << (action - SWAP) | 1 << up
        if SWAP <= action < KEEP:
            up = action - SWAP
    return int(view.hand_mask ^ hand).bit_length() - 1


@lru_cache(maxsize=256)
def _past_of_other(me: int, entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns a past round as the other seat may have known it; always the same guess, since nothing depends on it."""
    start, moves, buried, won, points = entry
    hidden = fit(me, start[1], moves, 0, buried, Random(0))
    return (start[0], start[1], hidden.dealt), moves, hidden.buried, won, points
