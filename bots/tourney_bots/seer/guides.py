"""The policies that guide `seer`: its own seat's, and those of all seats in its playouts."""

from collections.abc import Sequence
from typing import Any

from tourney import Policy, SeatFacts, check_policy, load_policy


class Guides:
    """A policy for each seat of a match, if there is one for the game."""

    def __init__(self, facts: SeatFacts, wanted: bool) -> None:
        policy = load_policy(facts.game.name) if wanted else None
        self.own = (policy or Policy)(facts)
        """The policy of the own seat; without one for the game, it only says how to search."""
        check_policy(self.own)
        self._seats: list[Policy] = [policy(facts._replace(seat=seat)) for seat in range(facts.seats)] if policy else []

    @property
    def any(self) -> bool:
        """Whether there are policies."""
        return bool(self._seats)

    def choice(self, view: Any, legal: Sequence[int]) -> int | None:
        """Returns what the policy of the own seat does, which has to be asked at every decision; None without one."""
        if not self.any:
            return None
        for policy in (self.own, *self._seats):
            policy.watch(view)
        return self.own.act(view, legal)

    def candidates(self, view: Any, legal: Sequence[int], guide: int | None) -> Sequence[int]:
        """Returns the actions to search: those that the policy of the own seat would, its own choice among them."""
        found = self.own.candidates(view, legal)
        return found if guide is None or guide in found else (guide, *found)

    def settles(self, view: Any) -> bool:
        """Whether what the policy of the own seat does is to be done without a search."""
        return self.own.settles(view)

    def of_seat(self, seat: int) -> Policy:
        """Returns a copy of a seat's policy, for one playout."""
        return self._seats[seat].copy()
