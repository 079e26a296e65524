"""Views of Bang as vectors; docs/rules/bang.md lists the elements."""

from tourney.contracts.cards import BANG as DECK
from tourney.contracts.encoding import Vector, from_seat, share
from tourney.games.bang.rules import CARDS, CONDITIONS, DEBT, NAMES, RANK, UNKNOWN
from tourney.games.bang.view import BangView

_RANKS = (*DECK.ranks, "X")
_QUESTIONS = ("anticipate", "bang")


def vector_of(view: BangView) -> Vector:
    """The view as a vector; `+0` is the seat itself, `+1` the next one clockwise."""
    stocks: tuple[bytes, ...] = view._public[3]
    seats, options, pile, question = len(stocks), view.options, view.pile, view.question
    vector, cards, each = Vector(), DECK.names, [f"+{i}" for i in range(seats)]
    order = from_seat(view.seat, seats)
    # the distance of each seat from this one, clockwise
    away = from_seat(-view.seat % seats, seats)
    coming = stocks[view.mover][0] if question == "anticipate" else UNKNOWN
    is_known = coming != UNKNOWN
    vector.mark("question", _QUESTIONS, None if question is None else _QUESTIONS.index(question))
    vector.mark("answered", NAMES, view.answer)
    vector.number("reason", view.reason)
    vector.number("next_is_reason", is_known and view.would_be_reason(coming))
    vector.mark("next", cards, coming if is_known else None)
    for at, section in enumerate(("top", "second", "third"), 1):
        vector.mark(section, _RANKS, RANK[pile[-at]] if len(pile) >= at else None)
    vector.mark("pile", cards, pile)
    vector.mark("under", cards, [card for card in view.under if card is not None])
    vector.mark("unseen", cards, view.unseen)
    for i, seat in enumerate(order):
        vector.mark(f"stock+{i}", cards, [card for card in stocks[seat] if card != UNKNOWN])
    vector.mark("decides", each, None if view.deciding is None else away[view.deciding])
    vector.mark("turns", each, away[view.mover])
    vector.mark("anticipated", each, [away[seat] for seat in view.anticipated])
    vector.mark("owed_to", each, None if view.creditor is None else away[view.creditor])
    vector.put("size", each, [len(stocks[seat]) / CARDS for seat in order])
    vector.number("debt", view.debt / max(DEBT))
    vector.number("pile_size", (len(pile) + len(view.under)) / CARDS)
    vector.number("turned", share(view.turned, options.max_turns))
    vector.mark("bang_on", CONDITIONS, [CONDITIONS.index(name) for name in options.bang_on])
    return vector
