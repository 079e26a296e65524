"""The policies by which `seer` goes: its own seat's, and those of all seats in its playouts."""

from collections.abc import Sequence
from typing import Any

from tourney.bot import SeatFacts
from tourney.policies import Policy, load_policy


class Guides:
    """A policy for each seat of a match, if there is one for the game."""

    def __init__(self, facts: SeatFacts, wanted: bool) -> None:
        policy = load_policy(facts.game.name) if wanted else None
        self._own = policy(facts) if policy else None
        self._seats: list[Policy] = []
        if policy:
            self._seats = [policy(facts._replace(seat=seat)) for seat in range(facts.seats)]

        self.horizon = (policy or Policy).horizon
        """After how many decisions a playout stops."""
        self.playouts = (policy or Policy).playouts
        """How many playouts a decision gets."""
        self.gate = (policy or Policy).gate
        """By how many standard errors another action must be better than the policy's."""

    @property
    def any(self) -> bool:
        """Whether there are policies."""
        return self._own is not None

    def choice(self, view: Any, legal: Sequence[int]) -> int | None:
        """Returns what the policy of the own seat does, which has to be asked at every decision; None without one."""
        if self._own is None:
            return None
        for policy in self._seats:
            policy.watch(view)
        return self._own.act(view, legal)

    def settles(self, view: Any) -> bool:
        """Returns whether what the policy of the own seat does is to be done without a search."""
        return self._own is not None and self._own.settles(view)

    def of_seat(self, seat: int) -> Policy:
        """Returns a policy for a seat that goes on from here, for one playout."""
        return self._seats[seat].copy()
