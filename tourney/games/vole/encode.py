"""Views of The Vole in the Valley as vectors for learning bots; docs/rules/vole.md lists the elements."""

from typing import Final

from tourney.cards import VOLE
from tourney.encoding import Sections, bounded, share
from tourney.games.vole.rules import BURY, CARDS, DECK, HAND, KEEP, SEAT, SWAP, pending
from tourney.games.vole.view import VoleView

_CARDS: Final = VOLE.names
SECTIONS: Final = Sections(
    {
        "hand": _CARDS,
        "up": _CARDS,
        "led": _CARDS,
        "played+0": _CARDS,
        "played+1": _CARDS,
        "took+1": _CARDS,
        "buried": _CARDS,
        "decide": ("play", "swap", "bury"),
        "decides": ("+0", "+1"),
        "won": ("+0", "+1"),
        "score": ("+0", "+1"),
        "extra": ("+0", "+1"),
        "deck": ("",),
        "round": ("",),
    }
)
"""The elements. `+0` is the seat itself, `+1` the other."""


def encode(view: VoleView) -> list[float]:
    """Returns the view as a vector with the elements of `SECTIONS`."""
    vector = SECTIONS.zeros()
    me, options = view.seat, view.options
    SECTIONS.mark(vector, "hand", view.hand)
    SECTIONS.mark(vector, "up", (view.up,))
    if view.led is not None:
        SECTIONS.mark(vector, "led", (view.led,))
    up: int = view._facts[2][1]
    taken: set[int] = set()
    for move in view._moves:
        seat, action = divmod(move, SEAT)
        if action < CARDS:
            SECTIONS.mark(vector, "played+0" if seat == me else "played+1", (action,))
            taken.discard(action)
        elif action < KEEP:
            given = action - SWAP
            if seat != me:
                taken.discard(given)
                taken.add(up)
            up = given
    SECTIONS.mark(vector, "took+1", taken)
    SECTIONS.mark(vector, "buried", [card for _, card in view.buried])
    if not view.over:
        choice = pending(view._moves)
        SECTIONS.mark(vector, "decide", ({0: 0, SWAP: 1, BURY: 2}[choice],))
        SECTIONS.mark(vector, "decides", (0 if _decider(view, choice) == me else 1,))
    both = me, 1 - me
    SECTIONS.put(vector, "won", [view.won[seat] / HAND for seat in both])
    SECTIONS.put(vector, "score", [bounded(view.scores[seat], options.target) for seat in both])
    SECTIONS.put(vector, "extra", [bounded(view.extra[seat], options.target) for seat in both])
    SECTIONS.put(vector, "deck", [view.deck / DECK])
    SECTIONS.put(vector, "round", [share(view.round, options.max_rounds)])
    return vector


def _decider(view: VoleView, choice: int) -> int:
    """Returns the seat that decides: who has played a 3 or a 5, else who has yet to play to the trick in progress."""
    moves = view._moves
    if choice:
        return moves[-1] // SEAT
    if view.led is None:
        return view.leader
    # whoever led has made the last step but for what a led 3 or 5 made it decide
    return 1 - moves[-1] // SEAT
