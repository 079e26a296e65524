"""The policies by which `seer` goes: its own seat's, and those of all seats in its playouts."""

from collections.abc import Callable, Sequence
from typing import Any

from tourney.bot import SeatFacts
from tourney.game import State
from tourney.policies import Policy, load_policy


class Guides:
    """A policy for each seat of a match, if there is one for the game."""

    def __init__(self, facts: SeatFacts, wanted: bool) -> None:
        policy = load_policy(facts.game.name) if wanted else None
        self._own = policy(facts) if policy else None
        self._seats: list[Policy] = []
        if policy:
            self._seats = [policy(facts._replace(seat=seat)) for seat in range(facts.seats)]

        own = self._own or Policy(facts)
        self.horizon = own.horizon
        """After how many decisions a playout stops."""
        self.playouts = own.playouts
        """How many playouts a decision gets."""
        self.gate = own.gate
        """By how many standard errors another action must be better than the policy's."""
        self.chance = own.chance
        """The share of random moves in playouts where policies move."""
        self.draws = own.draws
        """From how many imagined matches a world is taken."""

    @property
    def any(self) -> bool:
        """Whether there are policies."""
        return self._own is not None

    def choice(self, view: Any, legal: Sequence[int]) -> int | None:
        """Returns what the policy of the own seat does, which has to be asked at every decision; None without one."""
        if self._own is None:
            return None
        for policy in (self._own, *self._seats):
            policy.watch(view)
        return self._own.act(view, legal)

    def candidates(self, view: Any, legal: Sequence[int], guide: int | None) -> Sequence[int]:
        """Returns the actions to search: those that the policy of the own seat would, its own choice among them."""
        if self._own is None or guide is None:
            return legal
        found = self._own.candidates(view, legal)
        return found if guide in found else (guide, *found)

    @property
    def likelihood(self) -> Callable[[State], float] | None:
        """What says how likely the policy of the own seat takes an imagined match to be; None without one."""
        return self._own.likelihood if self._own else None

    def settles(self, view: Any) -> bool:
        """Returns whether what the policy of the own seat does is to be done without a search."""
        return self._own is not None and self._own.settles(view)

    def of_seat(self, seat: int) -> Policy:
        """Returns a policy for a seat that goes on from here, for one playout."""
        return self._seats[seat].copy()
