"""How The Vole in the Valley reads for people, and what a seat sees of the other's decisions."""

from tourney.cards import VOLE
from tourney.game import Observation
from tourney.games.vole.cards import BURY, NAMES
from tourney.games.vole.state import VoleState
from tourney.wording import RoundWording


class VoleWording(RoundWording):
    """The words of The Vole in the Valley."""

    deck = VOLE
    seats = ("leader", "winner")


def observe(state: VoleState, at: int, seat: int) -> Observation:
    """Returns what a seat sees of a decision.

    docs/rules/vole, "What a seat sees": of the other seat only that it buried, not even when the round is over.
    """
    decider, action, _ = state.log[at]
    return Observation("bury:?" if action >= BURY and decider != seat else NAMES[action])
