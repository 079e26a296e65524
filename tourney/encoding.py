"""Fixed-size vectors of numbers for learning bots: sections of elements, each of which has a name.

A game that encodes its views (`Game.encode`) says with `Sections` what its vectors hold. Every element is from -1 to 1.
"""

from collections.abc import Iterable, Mapping, Sequence


class Sections:
    """The elements of a vector, in sections of elements of one kind.

    >>> sections = Sections({"hand": ["9t", "5k"], "round": [""]})
    >>> sections.names
    ('hand:9t', 'hand:5k', 'round')
    >>> vector = sections.zeros()
    >>> sections.mark(vector, "hand", [1])
    >>> sections.put(vector, "round", [0.5])
    >>> vector
    [0.0, 1.0, 0.5]
    """

    __slots__ = ("_first", "_zeros", "names")

    def __init__(self, sections: Mapping[str, Sequence[object]]) -> None:
        """Takes the names of the sections in order, each with what its elements stand for; "" if it is one element."""
        self.names: tuple[str, ...] = tuple(
            [f"{section}:{item}" if item != "" else section for section, items in sections.items() for item in items]
        )
        """The name of every element, in order."""
        self._first: dict[str, int] = {}
        size = 0
        for section, items in sections.items():
            self._first[section] = size
            size += len(items)
        self._zeros = [0.0] * size

    def zeros(self) -> list[float]:
        """Returns a new vector in which every element is 0."""
        return self._zeros.copy()

    def mark(self, vector: list[float], section: str, items: Iterable[int]) -> None:
        """Sets the elements of a section that stand for these items, each an index into the section, to 1."""
        first = self._first[section]
        for item in items:
            vector[first + item] = 1.0

    def put(self, vector: list[float], section: str, values: Sequence[float]) -> None:
        """Sets the first elements of a section to these values."""
        first = self._first[section]
        vector[first : first + len(values)] = values


def bounded(value: float, scale: float) -> float:
    """Returns a number that has no bounds, such as a score, as one between -1 and 1; `scale` becomes 0.5.

    >>> bounded(0, 20), bounded(20, 20), bounded(-60, 20)
    (0.0, 0.5, -0.75)
    """
    return value / (abs(value) + scale)


def share(part: float, whole: float) -> float:
    """Returns a part of a whole as a number from 0 to 1; 1 if it is more, 0 if there is no whole."""
    return min(part / whole, 1.0) if whole > 0 else 0.0


def from_seat(seat: int, seats: int) -> tuple[int, ...]:
    """Returns all seats clockwise from a seat on, itself first.

    >>> from_seat(2, 4)
    (2, 3, 0, 1)
    """
    return tuple([(seat + i) % seats for i in range(seats)])
