"""Randomness that is the same on every machine and every Python: seeds derived by name, a stream per purpose.

A seed is an int below 2**128, and text of 32 hexadecimal digits wherever it is written. Every other seed is derived
from one by a keyed hash over the names of its purpose (`derive(seed, "bot", "random", 1)`), so that knowing a derived
seed tells nothing about its parent or its siblings.

Only `Random.random()` is promised to give the same sequence on every version of Python, so `pick` and `shuffle`
here build on it alone, and `permutation` needs no generator at all.
"""

from collections.abc import Callable, MutableSequence, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import factorial
from random import Random
from typing import Any, Final, TypeVar

from mypy_extensions import i64

T = TypeVar("T")

SEED_BYTES = 16
_from_bytes: Final[Any] = int.from_bytes


def _hashed(seed: int, names: tuple[str | int, ...], size: int) -> blake2b:
    text = "\x1f".join([str(name) for name in names])
    return blake2b(text.encode(), key=seed.to_bytes(SEED_BYTES, "big"), digest_size=size)


def _digest(seed: int, names: tuple[str | int, ...], size: int) -> bytes:
    return _hashed(seed, names, size).digest()


def _begun(seed: int, names: tuple[str | int, ...], size: int) -> blake2b:
    """The hash of `_digest`, ready for a copy of it to take in the last of the names."""
    return _hashed(seed, (*names, ""), size)


def root_seed(seed: int | str) -> int:
    """The seed that a tournament's `seed`, a number or a text of any length, stands for."""
    return int.from_bytes(blake2b(str(seed).encode(), person=b"tourney", digest_size=SEED_BYTES).digest(), "big")


def derive(seed: int, *names: str | int) -> int:
    """The seed for the purpose that `names` spell; it cannot be turned back into `seed`."""
    return int.from_bytes(_digest(seed, names, SEED_BYTES), "big")


def numbered(seed: int, *names: str | int) -> Callable[[int], int]:
    """A quick way to derive many seeds: `numbered(seed, "a")(5)` is `derive(seed, "a", 5)`."""
    begun = _begun(seed, names, SEED_BYTES)

    def of(number: int) -> int:
        whole = begun.copy()
        whole.update(b"%d" % number)
        return int.from_bytes(whole.digest(), "big")

    return of


def stream(seed: int, *names: str | int) -> Random:
    """A generator of its own for the purpose that `names` spell."""
    return Random(derive(seed, *names))


class Permutations:
    """The numbers 0 … n-1 (n up to 64) in orders drawn uniformly for the purpose that `names` spell, one a number.

    `Permutations(n, seed, *names).order(5)` is `permutation(n, seed, *names, 5)`, and the quicker way to draw many.
    """

    __slots__ = ("_begun", "_known", "_numbers", "_radices", "_ways")

    def __init__(self, n: int, seed: int, *names: str | int) -> None:
        """Draws nothing yet."""
        self._known: dict[int, list[int]] = {}
        self._numbers = list(range(n))
        self._ways, self._radices = _radices_of(n)
        self._begun = _begun(seed, names, 64)

    def order(self, number: int) -> list[int]:
        """The order of that number; it is drawn once."""
        known = self._known.get(number)
        if known is None:
            whole = self._begun.copy()
            whole.update(b"%d" % number)
            known = self._known[number] = _ordered(list(self._numbers), self._ways, self._radices, whole.digest())
        return known.copy()


@lru_cache(maxsize=1)
def permutations(n: int, seed: int, *names: str | int) -> Permutations:
    """The same, kept until others are asked for: all seatings of a deal ask for the same orders in turn."""
    return Permutations(n, seed, *names)


def permutation(n: int, seed: int, *names: str | int) -> list[int]:
    """The numbers 0 … n-1 in an order drawn uniformly (n up to 64) for the purpose that `names` spell."""
    return _ordered(list(range(n)), *_radices_of(n), _digest(seed, names, 64))


def _ordered(order: list[Any], ways: Any, radices: list[tuple[int, int]], digest: bytes) -> list[int]:
    """Fisher and Yates, with the draws read off one 512-bit number by mixed radix."""
    chance: Any = _from_bytes(digest, "big") % ways
    last: i64 = len(order) - 1
    for radix, draws in radices:
        both: tuple[Any, Any] = divmod(chance, radix)
        chance = both[0]
        part: i64 = both[1]
        done: i64 = last - draws
        while last > done:
            rest = part // (last + 1)
            i = part - rest * (last + 1)
            part = rest
            order[last], order[i] = order[i], order[last]
            last -= 1
    return order


_radices: Final[dict[int, tuple[Any, list[tuple[int, int]]]]] = {}


def _radices_of(n: int) -> tuple[Any, list[tuple[int, int]]]:
    """How the draws for a permutation of n are read off: n!, and (radix, draws)s, small enough to divide by quickly.

    Only the remainder by n! tells, and it is quicker to divide than the whole number.
    """
    if n not in _radices:
        radices: list[tuple[int, int]] = []
        radix, draws = 1, 0
        for size in range(n, 1, -1):
            if radix * size >= 1 << 30:
                radices.append((radix, draws))
                radix, draws = 1, 0
            radix *= size
            draws += 1
        _radices[n] = factorial(n), [*radices, (radix, draws)]
    return _radices[n]


def below(n: int, seed: int, *names: str | int) -> int:
    """A number from 0 to n-1, drawn for the purpose that `names` spell."""
    return derive(seed, *names) % n


def pick(items: Sequence[T], rng: Random) -> T:
    """One of the items, each as likely as the others; there must be one."""
    return items[int(rng.random() * len(items))]


def shuffle(items: MutableSequence[T], rng: Random) -> None:
    """Puts the items in a random order, in place."""
    for last in range(len(items) - 1, 0, -1):
        i = int(rng.random() * (last + 1))
        items[last], items[i] = items[i], items[last]


def seed_text(seed: int) -> str:
    """The seed as 32 hexadecimal digits; `int(text, 16)` is the way back."""
    return f"{seed:032x}"
