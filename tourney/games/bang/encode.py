"""Views of Bang as vectors for learning bots; docs/rules/bang.md lists the elements."""

from functools import lru_cache

from tourney.cards import BANG as DECK
from tourney.encoding import Sections, from_seat, share
from tourney.games.bang.rules import CARDS, CONDITIONS, DEBT, NAMES, RANK, UNKNOWN
from tourney.games.bang.view import BangView

_RANKS = (*DECK.ranks, "X")
_TOP = ("top", "second", "third")


@lru_cache
def sections_for(seats: int) -> Sections:
    """Returns the elements for a number of seats; `+0` is the seat itself, `+1` the next one clockwise."""
    cards, each = DECK.names, [f"+{i}" for i in range(seats)]
    return Sections(
        {
            "question": ("anticipate", "bang"),
            "answered": NAMES,
            "reason": ("",),
            "next_is_reason": ("",),
            "next": cards,
            **dict.fromkeys(_TOP, _RANKS),
            "pile": cards,
            "under": cards,
            "unseen": cards,
            **{f"stock{seat}": cards for seat in each},
            "decides": each,
            "turns": each,
            "anticipated": each,
            "owed_to": each,
            "size": each,
            "debt": ("",),
            "pile_size": ("",),
            "turned": ("",),
            "bang_on": CONDITIONS,
        }
    )


def encode(view: BangView) -> list[float]:
    """Returns the view as a vector with the elements of `sections_for`."""
    stocks: tuple[bytes, ...] = view._public[3]
    seats, options, pile = len(stocks), view.options, view.pile
    sections = sections_for(seats)
    vector = sections.zeros()
    order = from_seat(view.seat, seats)
    # how many seats clockwise from the seat itself each seat is
    away = from_seat(-view.seat % seats, seats)
    if view.deciding is not None:
        sections.mark(vector, "question", (("anticipate", "bang").index(str(view.question)),))
        sections.mark(vector, "decides", (away[view.deciding],))
        if view.question == "anticipate" and (coming := stocks[view.mover][0]) != UNKNOWN:
            sections.mark(vector, "next", (coming,))
            sections.put(vector, "next_is_reason", [float(view.would_be_reason(coming))])
    if view.answer is not None:
        sections.mark(vector, "answered", (view.answer,))
    sections.put(vector, "reason", [float(view.reason)])
    for section, card in zip(_TOP, reversed(pile), strict=False):
        sections.mark(vector, section, (RANK[card],))
    sections.mark(vector, "pile", pile)
    sections.mark(vector, "under", [card for card in view.under if card is not None])
    sections.mark(vector, "unseen", view.unseen)
    for seat, stock in enumerate(stocks):
        sections.mark(vector, f"stock+{away[seat]}", [card for card in stock if card != UNKNOWN])
    sections.mark(vector, "turns", (away[view.mover],))
    sections.mark(vector, "anticipated", [away[seat] for seat in view.anticipated])
    if (creditor := view.creditor) is not None:
        sections.mark(vector, "owed_to", (away[creditor],))
    sections.put(vector, "size", [len(stocks[seat]) / CARDS for seat in order])
    sections.put(vector, "debt", [view.debt / max(DEBT)])
    sections.put(vector, "pile_size", [(len(pile) + len(view.under)) / CARDS])
    sections.put(vector, "turned", [share(view.turned, options.max_turns)])
    sections.mark(vector, "bang_on", [CONDITIONS.index(name) for name in options.bang_on])
    return vector
