"""Finds out who has met whom, directly or through others."""

from collections.abc import Iterable, Sequence


def connected(groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """Returns the numbers that occur, sorted, in the largest sets such that each group lies in one of them.

    >>> connected([(4, 1), (2, 3), (3, 5)])
    [[1, 4], [2, 3, 5]]
    """
    found: dict[int, list[int]] = {}
    for group in groups:
        whole = found.setdefault(group[0], [group[0]])
        for number in group:
            other = found.setdefault(number, [number])
            if other is not whole:
                smaller, whole = sorted((other, whole), key=len)
                whole += smaller
                for moved in smaller:
                    found[moved] = whole
    return sorted({id(whole): sorted(whole) for whole in found.values()}.values())
