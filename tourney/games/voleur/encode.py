"""Views of Voleur as vectors for learning bots; docs/rules/voleur.md lists the elements."""

from functools import lru_cache

from tourney.cards import STANDARD
from tourney.encoding import Sections, bounded, share
from tourney.games.voleur.rules import COMBINATIONS, TRICKS
from tourney.games.voleur.view import VoleurView

_MOST = max([combination.points for combination in COMBINATIONS])
_PHASES = ("discard", "play", "privilege")


@lru_cache
def sections_for(seats: int) -> Sections:
    """Returns the elements for a number of seats. Seats have their own numbers, which `steal:SEAT` names, too."""
    cards, each = STANDARD.names, [f"@{seat}" for seat in range(seats)]
    return Sections(
        {
            "hand": cards,
            "discards": cards,
            "up": cards,
            "pile": cards,
            **{f"table{seat}": cards for seat in each},
            **{f"played{seat}": cards for seat in each},
            "seat": each,
            "decide": _PHASES,
            "decides": each,
            "leads": each,
            "won": each,
            "score": each,
            "scored": each,
            "combination": each,
            "tricks": ("",),
            "round": ("",),
        }
    )


def encode(view: VoleurView) -> list[float]:
    """Returns the view as a vector with the elements of `sections_for`."""
    seats, options = len(view.scores), view.options
    sections = sections_for(seats)
    vector = sections.zeros()
    sections.mark(vector, "hand", view.hand)
    sections.mark(vector, "discards", view.discards)
    sections.mark(vector, "pile", view.pile)
    if view.up is not None:
        sections.mark(vector, "up", (view.up,))
    for seat, card in view.table:
        sections.mark(vector, f"table@{seat}", (card,))
    won = [0.0] * seats
    for trick in view.tricks:
        for seat, card in enumerate(trick.cards):
            sections.mark(vector, f"played@{seat}", (card,))
        if trick.winner is not None:
            won[trick.winner] += 1 / TRICKS
    sections.put(vector, "won", won)
    sections.mark(vector, "seat", (view.seat,))
    if view.turn is not None:
        sections.mark(vector, "decide", (_PHASES.index(view.phase),))
        sections.mark(vector, "decides", (view.turn,))
    if view.leader is not None:
        sections.mark(vector, "leads", (view.leader,))
    sections.put(vector, "score", [bounded(score, options.target) for score in view.scores])
    for seat, combination in enumerate(view.combinations):
        if combination is not None:
            sections.mark(vector, "scored", (seat,))
    sections.put(
        vector, "combination", [each.points / _MOST if each is not None else 0.0 for each in view.combinations]
    )
    sections.put(vector, "tricks", [len(view.tricks) / TRICKS])
    sections.put(vector, "round", [share(view.round, options.max_rounds)])
    return vector
