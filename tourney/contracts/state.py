"""The contract of a match in play; `tourney.contracts.game` has the rest of the contract of a game.

A module of its own because it can be compiled (`make compile`), and the structs in `tourney.contracts.game` cannot.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from mypy_extensions import mypyc_attr

from tourney.contracts.view import View

Entry: TypeAlias = tuple[Any, ...]
"""One line of a state's log: ints, strings and tuples of them. See `State.log`."""


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)  # for `copy.deepcopy` and `pickle`, compiled too
class State:
    """A match in play, with everything that is hidden. The table plays on it; bots never get it."""

    __slots__ = ("log", "seat")

    seat: int | None
    """The seat that decides now; None once the match is over."""

    log: list[Entry]
    """What has happened since the start (since the copy, for a copy), in compact form.

    Besides the game's own entries, a tuple that starts with the kind, such as `("trick", 1)`, it holds an entry
    `(seat, action, legal)` for each decision, which `play` puts there.
    `Game.event` turns the game's own entries into events of the trace.
    """

    def legal(self) -> Sequence[int]:
        """Returns the actions that `seat` may choose from, in a fixed order; there is at least one until the end.

        They should be a tuple: a bot is given them, and its answer is judged by them afterwards.
        """
        raise NotImplementedError

    def apply(self, action: int) -> None:
        """Makes the move of `seat`, and whatever follows from it without a decision.

        Args:
            action: One of `legal()`, or one that `tolerates` accepts; nothing checks that here.
        """
        raise NotImplementedError

    def play(self, action: int, legal: Sequence[int] | None = None) -> None:
        """Makes the move of `seat`, with its entry in the log, as the table does for every decision.

        Args:
            action: What `apply` takes.
            legal: What `legal()` returns now, if it is at hand.
        """
        self.log.append((self.seat, action, self.legal() if legal is None else legal))
        self.apply(action)

    def tolerates(self, action: int) -> bool:
        """Whether the rules punish this action, which is not legal, and the match goes on with it. Optional.

        An action that is neither legal nor tolerated is a fault of the bot.
        """
        return False

    def view(self, seat: int) -> View:
        """Returns what a seat may know now, as a `View`. Any seat may be asked for at any time, also after the end."""
        raise NotImplementedError

    def copy(self) -> "State":
        """Returns an independent state of the same moment, with an empty log."""
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
