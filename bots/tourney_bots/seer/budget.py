"""The budget of `seer`: how many playouts there are, and which actions get them.

All actions that are still looked at are played out in the same worlds, so that they are compared on equal terms.
"""

from collections.abc import Callable, Sequence
from math import fsum, inf
from time import perf_counter
from typing import TypeAlias

from tourney_bots.seer.playouts import Guides, Worlds
from tourney_bots.seer.values import Ending, ending, lead, values

FIRST_LOOK = 8
"""After how many worlds actions are compared for the first time; then after twice as many again and again."""
Budget: TypeAlias = Callable[[float, int], bool]
"""Whether a share of the budget, 0 to 1, is spent after a number of playouts."""


def of_playouts(number: int) -> Budget:
    """A number of playouts, the same on every machine."""
    return lambda share, playouts: playouts >= int(share * number)


def of_seconds(seconds: float) -> Budget:
    """A time from now on."""
    start = perf_counter()
    return lambda share, _playouts: perf_counter() - start >= share * seconds


class Search:
    """The playouts of one decision."""

    def __init__(self, worlds: Worlds, guides: Guides, seat: int, legal: Sequence[int]) -> None:
        self._worlds, self._guides, self._seat = worlds, guides, seat
        self._playouts = 0
        self.endings: dict[int, list[Ending]] = {action: [] for action in legal}
        """The ends of each action's playouts, in the order of the worlds."""

    def spread(self, budget: Budget) -> None:
        """Gives all actions the same number of playouts."""
        self._play(list(self.endings), budget, 1.0)

    def halve(self, budget: Budget, guide: int | None, errors: float) -> None:
        """Gives all actions a few playouts, the better half of them as many again together, and so on to the best two.

        Sequential halving (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits"), in
        which the policy's action, `guide`, stays to the end. An action that is worse by `errors` standard errors gets
        no more playouts; when one action is left, the search ends.
        """
        left = list(self.endings)
        rounds = max(1, (len(left) - 1).bit_length())
        for number in range(1, rounds + 1):
            worlds = inf if errors == inf else FIRST_LOOK
            while not self._play(left, budget, number / rounds, worlds):
                left = self._open(left, guide, errors)
                if len(left) == 1:
                    return
                worlds = 2 * len(self.endings[left[0]])
            left = self._ranked(left, guide)[: (len(left) + 1) // 2]

    def _open(self, actions: Sequence[int], guide: int | None, errors: float) -> list[int]:
        """The actions that may still be the best: the policy's, or the best one, and those not surely worse."""
        worth = values({action: self.endings[action] for action in actions})
        first = max(actions, key=lambda action: fsum(worth[action])) if guide is None else guide
        left = [first]
        for action in actions:
            if action != first:
                behind, error = lead(worth[first], worth[action])
                if behind < errors * error or behind <= 0:
                    left.append(action)
        return left

    def _ranked(self, actions: Sequence[int], guide: int | None) -> list[int]:
        worth = values({action: self.endings[action] for action in actions})
        return sorted(actions, key=lambda action: (action != guide, -fsum(worth[action])))

    def _play(self, actions: Sequence[int], budget: Budget, share: float, worlds: float = inf) -> bool:
        """Plays the actions out until the share of the budget is spent (True), or in that number of worlds (False)."""
        while True:
            world = self._worlds.draw()
            for action in actions:
                self.endings[action].append(ending(self._guides.play(world, action), self._seat))
            self._playouts += len(actions)
            if budget(share, self._playouts + len(actions) - 1):
                return True
            if len(self.endings[actions[0]]) >= worlds:
                return False
