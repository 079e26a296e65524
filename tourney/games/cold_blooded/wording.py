"""How Cold Blooded reads for people, and what a seat sees of the others' decisions."""

from tourney.game import Observation
from tourney.games.cold_blooded.rules import (
    ACCEPT,
    ANSWER,
    ASK_SACRIFICE,
    BOMB,
    CHOICES,
    KNIFE,
    NAMES,
    SACRIFICE,
    STAY,
    TRADE,
)
from tourney.games.cold_blooded.state import ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedView
from tourney.wording import RoundWording


class ColdBloodedWording(RoundWording):
    """The words of Cold Blooded."""

    numbered_by = "game"
    seats = ("duke", "starts", "seat")

    def to_trick(self, action: str) -> str | None:
        """Returns None: there are no tricks."""
        return None

    def holding(self, view: ColdBloodedView) -> str | None:
        """Returns the one card in the hand of the seat."""
        return view.card


def observe(state: ColdBloodedState, at: int, seat: int) -> Observation:
    """Returns what a seat sees of a decision.

    docs/rules/cold-blooded: somebody else's knife is a trade until its victim dies or is saved, and stays one if it is
    declined; nobody learns that another seat was asked for a shell or a sacrifice and did nothing.
    """
    decider, action, _ = state.log[at]
    # a trade, or what looks like one, is open while it may be declined or somebody may sacrifice itself
    is_open = state.seat is not None and state.legal() in (CHOICES[ANSWER], CHOICES[ASK_SACRIFICE])
    reveals = () if is_open or action not in (ACCEPT, STAY, SACRIFICE) else _knife_before(state, at)
    if decider == seat:
        return Observation(NAMES[action], reveals)
    if action == STAY:
        return Observation(None, reveals)
    if is_open and KNIFE <= action < BOMB:
        action += TRADE - KNIFE
    return Observation(NAMES[action], reveals)


def _knife_before(state: ColdBloodedState, at: int) -> tuple[int, ...]:
    """Returns the index in the log of the knife that the answers up to `at` were about, if it was a knife."""
    for i in range(at - 1, -1, -1):
        action = state.log[i][1]
        if action not in (ACCEPT, STAY):
            return (i,) if KNIFE <= action < BOMB else ()
    return ()
