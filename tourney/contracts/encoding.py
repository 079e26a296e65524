"""Vectors of numbers from -1 to 1 for learning bots, whose elements have names; `Game.encode` makes them."""

from collections.abc import Iterable, Sequence


class Vector:
    """A vector that is made section by section; the same sections in the same order for every view.

    >>> vector = Vector()
    >>> vector.mark("hand", ["9t", "5k"], [1])
    >>> vector.mark("led", ["9t", "5k"], None)
    >>> vector.put("score", ["+0", "+1"], [0.25, -0.5])
    >>> vector.number("round", 0.5)
    >>> vector.values
    [0.0, 1.0, 0.0, 0.0, 0.25, -0.5, 0.5]
    >>> vector.names
    ('hand:9t', 'hand:5k', 'led:9t', 'led:5k', 'score:+0', 'score:+1', 'round')
    """

    __slots__ = ("_sections", "values")

    def __init__(self) -> None:
        self.values: list[float] = []
        """The elements so far."""
        self._sections: list[tuple[str, Sequence[object]]] = []

    def mark(self, section: str, items: Sequence[object], marked: Iterable[int] | int | None) -> None:
        """Adds an element for each item: 1 if it is marked, else 0.

        Args:
            section: The name of the section.
            items: The meaning of its elements.
            marked: The items to mark, as indices into `items`: several, one, or None for none.
        """
        values = self.values
        first = len(values)
        values.extend([0.0] * len(items))
        self._sections.append((section, items))
        if marked is None:
            return
        if isinstance(marked, int):
            values[first + marked] = 1.0
            return
        for item in marked:
            values[first + item] = 1.0

    def put(self, section: str, items: Sequence[object], values: Sequence[float]) -> None:
        """Adds an element with its own value for each item."""
        self.values += values
        self._sections.append((section, items))

    def number(self, section: str, value: float) -> None:
        """Adds a section of a single element, which has the name of the section."""
        self.put(section, ("",), (float(value),))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every element, in order."""
        return tuple([f"{name}:{item}" if item != "" else name for name, items in self._sections for item in items])


def bounded(value: float, scale: float) -> float:
    """Returns a number without bounds, such as a score, as one between -1 and 1; `scale` becomes 0.5.

    >>> bounded(0, 20), bounded(20, 20), bounded(-60, 20)
    (0.0, 0.5, -0.75)
    """
    return value / (abs(value) + scale)


def share(part: float, whole: float) -> float:
    """Returns the share of a part in a whole, from 0 to 1; 0 if there is no whole."""
    return min(part / whole, 1.0) if whole > 0 else 0.0


def from_seat(seat: int, seats: int) -> tuple[int, ...]:
    """Returns all seats clockwise from a seat on, itself first.

    >>> from_seat(2, 4)
    (2, 3, 0, 1)
    """
    return tuple([(seat + i) % seats for i in range(seats)])
