"""How Bang reads for people, and what a seat sees of the others' answers."""

from tourney.cards import BANG
from tourney.game import Observation
from tourney.games.bang.rules import NAMES, WAIT
from tourney.games.bang.state import BangState
from tourney.wording import Wording


class BangWording(Wording):
    """The words of Bang."""

    deck = BANG
    hands = ()  # the order of a stock is the order in which it will be turned
    seats = ("first", "order", "seat")


def observe(state: BangState, at: int, seat: int) -> Observation:
    """Returns what a seat sees of an answer.

    docs/rules/bang, "What a seat sees": which seat is being asked, but nobody else's answer until all are in. The seats
    are asked in their order, so the last answer is the one after which no later seat is asked.
    """
    decider, action, _ = state.log[at]
    if state.seat is not None and state.seat > decider:
        return Observation(
            NAMES[action] if decider == seat else " or ".join(NAMES[:2] if action <= WAIT else NAMES[2:])
        )
    first = at
    while first and isinstance(state.log[first - 1][0], int):
        first -= 1
    return Observation(NAMES[action], tuple(range(first, at)))
