"""The contract of a match that is going on; `tourney.game` has the rest of what a game is.

It stands apart so that it can be compiled (`make compile`).
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from mypy_extensions import mypyc_attr

Entry: TypeAlias = tuple[Any, ...]
"""One line of a state's log: ints, strings and tuples of them. See `State.log`."""


@mypyc_attr(allow_interpreted_subclasses=True)
class State:
    """A match that is going on, everything included: what the table plays on, and never what a bot gets."""

    __slots__ = ("log", "seat")

    seat: int | None
    """The seat that decides now; None once the match is over."""

    log: list[Entry]
    """What has happened since the start (since the copy, for a copy), in compact form.

    Besides the game's own entries, a tuple that starts with the kind, such as `("trick", 1)`, it holds an entry
    `(seat, action, legal)` for each decision, put there by whoever calls `apply`, right before the call. `Game.event`
    turns the game's entries into events of the trace.
    """

    def legal(self) -> Sequence[int]:
        """The actions that `seat` may choose from: never empty while the match goes on, always in the same order."""
        raise NotImplementedError

    def apply(self, action: int) -> None:
        """Makes the move of `seat`; the action is one of `legal()`, or one that `tolerates` accepts."""
        raise NotImplementedError

    def tolerates(self, action: int) -> bool:
        """Whether the rules themselves settle this answer, which is not among the legal ones, by a sanction."""
        return False

    def view(self, seat: int) -> Any:
        """What the seat may know now. Any seat can be asked for, at any time, also after the end."""
        raise NotImplementedError

    def copy(self) -> "State":
        """A state of its own that goes on from here, with an empty log."""
        raise NotImplementedError

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat so far; final once the match is over."""
        raise NotImplementedError

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, 1 the best, once the match is over; equal seats share the better place: 1, 1, 3."""
        raise NotImplementedError
