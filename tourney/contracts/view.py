"""The view contract; `tourney.contracts.game` has the rest of the game contract.

A separate module because states name it and are compiled (`make compile`), which its struct cannot be.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar

import msgspec
import orjson

VALUES = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Splits a view's JSON into its values, which are not parsed."""

MOST_KEPT = 1024
Part = TypeVar("Part")
Made = TypeVar("Made")


def made_once(make: Callable[[Part], Made]) -> Callable[[Part], Made]:
    """Decorates a function of a long part of views, such as a history, which many views share; what it makes is kept.

    Parts are told apart by identity, which is quicker than a comparison, so they must be immutable.
    """
    kept: dict[int, tuple[Part, Made]] = {}

    @wraps(make)
    def made(part: Part) -> Made:
        found = kept.get(id(part))
        if found is None or found[0] is not part:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            found = kept[id(part)] = part, make(part)
        return found[1]

    return made


class View(msgspec.Struct, frozen=True, gc=False):
    """Everything a seat may know at one moment, including the history.

    A frozen struct of immutable values, which stays the same as the match continues. Equal views show the same. A game
    adds its own fields after `seat`. Fields in a compact form begin with an underscore, and properties give them in
    plain form, as new objects each time.
    """

    # gc=False makes views cheaper; immutable values form no cycles

    seat: int
    """The seat that this view belongs to."""

    def __iter__(self) -> Iterator[Any]:
        return iter(msgspec.structs.astuple(self))

    def as_dict(self) -> dict[str, Any]:
        """Returns the view as plain data for JSON: text keys; cards and actions as text.

        By default these are the fields with tuples as lists, which is enough if they hold only numbers and texts.
        """
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def as_json(self) -> bytes:
        """Returns `as_dict` as JSON; a game whose views have a long history may have a quicker way."""
        return orjson.dumps(self.as_dict())

    def __repr__(self) -> str:
        """Shows `as_dict`: `VoleView(seat=0, round=1, hand=['2t', '9k'], ...)`."""
        return f"{type(self).__name__}({', '.join([f'{key}={value!r}' for key, value in self.as_dict().items()])})"
