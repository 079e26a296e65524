"""Bang: 2 to 8 seats turn cards; whoever reacts first to a reason to bang takes the pile. Rules: docs/rules/bang.md.

`_bang_play` has a match that is going on, `_bang_cards` its cards, `_bang_view` what a seat may know of it.
"""

from random import Random
from typing import Any

from mypy_extensions import mypyc_attr

from tourney.cards import BANG
from tourney.errors import ViewError
from tourney.game import Entry, Game, Observation
from tourney.games.bang.rules import NAMES, SEATS, UNKNOWN, ordering
from tourney.games.bang.state import BangState
from tourney.games.bang.view import BangOptions, BangView
from tourney.games.bang.wording import BangWording, observe
from tourney.rng import shuffle


@mypyc_attr(allow_interpreted_subclasses=True)
class Bang(Game):
    """The rules of Bang."""

    name = "bang"
    title = "Bang"
    rules = "docs/rules/bang.md"
    seats = range(2, 9)
    Options = BangOptions
    actions = NAMES
    names = NAMES
    wording = BangWording()
    private = ("reflex",)

    def start(self, seats: int, options: BangOptions, seed: int) -> BangState:
        """A new match."""
        state = BangState()
        state.begin(seats, options, seed)
        return state

    def imagine(self, view: BangView, rng: Random) -> BangState:
        """A state in which the cards that were never turned lie anywhere, and other seats' open answers are any."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return _imagine(view, rng)

    def event(self, entry: Entry) -> dict[str, Any]:
        """A deal, an order of reflexes, a turned card or a won pile, as an event of the trace."""
        match entry:
            case ("deal", first, stocks):
                return {"kind": "deal", "first": first, "stocks": [BANG.texts(stock) for stock in stocks]}
            case ("reflex", seats, number):
                return {"kind": "reflex", "order": ordering(seats, number)}
            case ("turned", seat, card):
                return {"kind": "turned", "seat": seat, "card": BANG.text(card)}
            case ("pile", seat):
                return {"kind": "pile", "seat": seat}
        raise AssertionError(f"unknown entry {entry}")

    def observe(self, state: BangState, at: int, seat: int) -> Observation:
        """What a seat learns from an entry of the log; see `wording`."""
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        return observe(state, at, seat)


def _imagine(view: BangView, rng: Random) -> BangState:
    public = view._public
    unseen = list(view.unseen)
    shuffle(unseen, rng)

    def filled(cards: bytes) -> bytes:
        """The cards, with unseen ones in the unknown places: any order of them is as likely as any other."""
        return bytes([unseen.pop() if card == UNKNOWN else card for card in cards])

    new = BangState()
    new.set_up(len(public[3]), view.options, int(rng.random() * 2**53))
    new._stocks = [filled(stock) for stock in public[3]]
    new._under = filled(public[4])
    new.take_up(public)
    deciding = view.deciding
    assert deciding is not None
    new.seat = deciding
    new._left = new._left >> deciding << deciding
    for seat in SEATS[(new._everyone ^ new._anticipated) & (1 << deciding) - 1]:
        reacts = view.answer == public[1] if seat == view.seat else rng.random() < 0.5
        new._answers |= reacts << seat
    return new


__all__ = ["Bang", "BangOptions", "BangState", "BangView"]
