"""How Voleur reads for people, and what a seat sees of the others' decisions."""

from tourney.cards import STANDARD
from tourney.game import Observation
from tourney.games.voleur.cards import DEALT, DISCARD, KEEP, NAMES
from tourney.games.voleur.state import VoleurState
from tourney.wording import RoundWording


class VoleurWording(RoundWording):
    """The words of Voleur."""

    deck = STANDARD
    seats = ("leader", "winner")


def observe(state: VoleurState, at: int, seat: int) -> Observation:
    """Returns what a seat sees of a decision.

    docs/rules/voleur, "What a seat sees": whose turn it is; in a secret decision this tells which seats have made
    theirs, and nothing about the cards. So the first of two discards is not noticed. The cards of a simultaneous trick
    are shown together.
    """
    decider, action, legal = state.log[at]
    if DISCARD <= action < KEEP and decider != seat:
        return Observation(None if len(legal) == DEALT else "discard:?")
    if action >= DISCARD:
        return Observation(NAMES[action])
    if at + 1 < len(state.log):  # the card completed its trick
        return Observation(NAMES[action], tuple(range(at - len(state.scores) + 1, at)))
    secret = decider != seat and state.view(seat).leader is None
    return Observation("play:?" if secret else NAMES[action])
