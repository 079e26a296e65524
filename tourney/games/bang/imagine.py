"""Draws a state of Bang that fits what a seat knows."""

from random import Random

from tourney.contracts.rng import seed_from, shuffle
from tourney.games.bang.rules import SEATS, UNKNOWN
from tourney.games.bang.state import BangState
from tourney.games.bang.view import BangView


def imagine(view: BangView, rng: Random) -> BangState:
    """Draws where the unseen cards are, open answers, and coming reflexes; the match must not be over."""
    public = view._public
    unseen = list(view.unseen)
    shuffle(unseen, rng)

    def fill(cards: bytes) -> bytes:
        """Puts unseen cards in the unknown places; any order of them is equally likely."""
        return bytes([unseen.pop() if card == UNKNOWN else card for card in cards])

    state = BangState()
    state.set_up(len(public[3]), view.options, seed_from(rng))
    state._stocks = [fill(stock) for stock in public[3]]
    state._under = fill(public[4])
    state.take_up(public)
    deciding = view.deciding
    assert deciding is not None
    state.seat = deciding
    state._unanswered = state._unanswered >> deciding << deciding
    for seat in SEATS[(state._everyone ^ state._anticipated) & (1 << deciding) - 1]:
        reacts = view.answer == public[1] if seat == view.seat else rng.random() < 0.5
        state._answers |= reacts << seat
    return state
