"""Views of The Vole in the Valley as vectors; docs/rules/vole.md lists the elements."""

from tourney.contracts.cards import VOLE
from tourney.contracts.encoding import Vector, bounded, share
from tourney.games.vole.rules import BURY, CARDS, DECK, HAND, KEEP, SEAT, SWAP, pending
from tourney.games.vole.view import VoleView

_BOTH = "+0", "+1"
"""The seat itself and the other."""
_CHOICES = 0, SWAP, BURY


def vector_of(view: VoleView) -> Vector:
    """The view as a vector."""
    vector, cards = Vector(), VOLE.names
    me, options, choice = view.seat, view.options, pending(view._moves)
    played, taken = _seen(view)
    vector.mark("hand", cards, view.hand)
    vector.mark("up", cards, view.up)
    vector.mark("led", cards, view.led)
    vector.mark("played+0", cards, played[me])
    vector.mark("played+1", cards, played[1 - me])
    vector.mark("took+1", cards, taken)
    vector.mark("buried", cards, [card for _, card in view.buried])
    vector.mark("decide", ("play", "swap", "bury"), None if view.over else _CHOICES.index(choice))
    vector.mark("decides", _BOTH, None if view.over else _decider(view, choice) ^ me)
    both = me, 1 - me
    vector.put("won", _BOTH, [view.won[seat] / HAND for seat in both])
    vector.put("score", _BOTH, [bounded(view.scores[seat], options.target) for seat in both])
    vector.put("extra", _BOTH, [bounded(view.extra[seat], options.target) for seat in both])
    vector.number("deck", view.deck / DECK)
    vector.number("round", share(view.round, options.max_rounds))
    return vector


def _seen(view: VoleView) -> tuple[tuple[list[int], list[int]], set[int]]:
    """The cards that each seat has played, and the cards that the other seat has taken and must still hold."""
    played: tuple[list[int], list[int]] = ([], [])
    taken: set[int] = set()
    up: int = view._facts[2][1]
    for seat, action in view.steps:
        if action < CARDS:
            played[seat].append(action)
            taken.discard(action)
        elif action < KEEP:
            if seat != view.seat:
                taken.discard(action - SWAP)
                taken.add(up)
            up = action - SWAP
    return played, taken


def _decider(view: VoleView, choice: int) -> int:
    """The seat that decides: the player of a 3 or a 5, else the next to play to the trick in progress."""
    moves = view._moves
    if choice:
        return moves[-1] // SEAT
    if view.led is None:
        return view.leader
    # the leader made the last step, even after its decision for a led 3 or 5
    return 1 - moves[-1] // SEAT
