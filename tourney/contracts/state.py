"""The contract of a match in play; `tourney.contracts.game` has the rest of the game contract.

A separate module because it can be compiled (`make compile`), and the structs in `tourney.contracts.game` cannot.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from mypy_extensions import mypyc_attr

from tourney.contracts.view import View

Entry: TypeAlias = tuple[Any, ...]
"""One line of a state's log: ints, strings and tuples of them. See `State.log`."""


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)  # for `copy.deepcopy` and `pickle`, compiled too
class State:
    """Full state of a match in progress, hidden cards included. Bots never see it."""

    __slots__ = ("log", "seat")

    seat: int | None
    """The seat that decides now; None once the match is over."""

    log: list[Entry]
    """The events since the start (since the copy, for a copy), in compact form.

    Besides the game's own entries, a tuple that starts with the kind, such as `("trick", 1)`, it holds an entry
    `(seat, action, legal)` for each decision, which `play` adds.
    `Game.event` turns the game's own entries into events of the trace.
    """

    def legal(self) -> Sequence[int]:
        """Returns the actions that `seat` may choose from, in a fixed order; there is at least one until the end.

        They should be a tuple: a bot receives them, and its answer is checked against them afterwards.
        """
        raise NotImplementedError

    def apply(self, action: int) -> None:
        """Makes the move of `seat`, and everything that follows from it without a decision.

        Args:
            action: One of `legal()`, or one that `tolerates` accepts; nothing checks that here.
        """
        raise NotImplementedError

    def play(self, action: int, legal: Sequence[int] | None = None) -> None:
        """Makes the move of `seat` and logs it, as the table does for every decision.

        Args:
            action: As for `apply`.
            legal: The result of `legal()` now, if known.
        """
        self.log.append((self.seat, action, self.legal() if legal is None else legal))
        self.apply(action)

    def tolerates(self, action: int) -> bool:
        """Whether the rules penalise this illegal action and the match continues. Optional.

        An action that is neither legal nor tolerated is a fault of the bot.
        """
        return False

    def view(self, seat: int) -> View:
        """Returns everything that a seat may know now, as a `View`; works for any seat, even after the end."""
        raise NotImplementedError

    def copy(self) -> "State":
        """Returns an independent copy, with an empty log."""
        raise NotImplementedError

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat so far, as whole numbers; higher is better. Final once the match is over."""
        raise NotImplementedError

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat once the match is over: 1 is the best, and equal seats share the better one: 1, 1, 3.

        By default places go by score.
        """
        return places_by(self.scores)


def places_by(keys: Sequence[Any]) -> tuple[int, ...]:
    """Returns the place of each seat by its key, such as its score: the higher the key, the better the place.

    Equal keys share the better place.

    >>> places_by([10, 25, 10, 3])
    (2, 1, 2, 4)
    """
    return tuple([1 + len([other for other in keys if other > key]) for key in keys])
