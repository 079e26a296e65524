"""Randomness that is the same on every machine and every Python: a seed for each purpose, derived by name.

A seed is an int below 2**128, and text of 32 hexadecimal digits wherever it is written. A seed is derived from another
by a keyed hash over the names of its purpose, such as `derive(seed, "bot", "random", 1)`; a derived seed reveals
nothing about its parent or its siblings.

Python promises the same sequence on every version for `Random.random()` alone. So `pick` and `shuffle` use nothing
else, and `permutation` needs no generator.
"""

from bisect import bisect_right
from collections.abc import Callable, MutableSequence, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from math import factorial
from os import urandom
from random import Random
from typing import Any, Final, TypeVar

from mypy_extensions import i64

T = TypeVar("T")

SEED_BYTES = 16
_from_bytes: Final[Any] = int.from_bytes


def _hashed(seed: int, names: tuple[str | int, ...], size: int) -> blake2b:
    text = "\x1f".join([str(name) for name in names])
    return blake2b(text.encode(), key=seed.to_bytes(SEED_BYTES, "big"), digest_size=size)


def _digest_of(prefix: blake2b, number: Any) -> bytes:
    """Returns the digest for a prefix, whose last name is "", and a number: Any, as mypyc leaks an `int` in a text."""
    whole = prefix.copy()
    whole.update(b"%d" % number)
    return whole.digest()


def secret_seed() -> str:
    """Returns a new seed that nobody can guess, 128 bits as text: the default where a seed hides cards."""
    return urandom(SEED_BYTES).hex()


def root_seed(seed: int | str) -> int:
    """Returns the seed for a tournament's `seed`, which is a number or a text of any length."""
    return int.from_bytes(blake2b(str(seed).encode(), person=b"tourney", digest_size=SEED_BYTES).digest(), "big")


def derive(seed: int, *names: str | int) -> int:
    """Derives the seed for the purpose `names`, which does not reveal `seed`."""
    return int.from_bytes(_hashed(seed, names, SEED_BYTES).digest(), "big")


def seed_series(seed: int, *names: str | int) -> Callable[[int], int]:
    """Returns a quick way to derive seeds by number: `seed_series(seed, "a")(5)` is `derive(seed, "a", 5)`."""
    prefix = _hashed(seed, (*names, ""), SEED_BYTES)

    def of(number: int) -> int:
        return int.from_bytes(_digest_of(prefix, number), "big")

    return of


def stream(seed: int, *names: str | int) -> Random:
    """Returns a random generator for the purpose `names`."""
    return Random(derive(seed, *names))


class Permutations:
    """A numbered series of permutations: `order(5)` is `permutation(n, seed, *names, 5)`, and quicker for many."""

    __slots__ = ("_known", "_names", "_numbers", "_prefix_hash", "_radices", "_seed", "_ways")

    def __init__(self, n: int, seed: int, *names: str | int) -> None:
        self._known: dict[int, list[int]] = {}
        self._numbers = n
        self._ways, self._radices = _radices_of(n)
        self._seed, self._names = seed, names
        self._prefix_hash: blake2b | None = None  # made on first use: many imagined matches draw nothing

    def __reduce__(self) -> tuple[Any, ...]:
        """Makes copies and pickles without the hash, which cannot be pickled: they draw the same again."""
        return Permutations, (self._numbers, self._seed, *self._names)

    def order(self, number: int) -> list[int]:
        """Returns the permutation of that number as the caller's own list. Each is drawn once and then cached."""
        known = self._known.get(number)
        if known is None:
            if self._prefix_hash is None:
                self._prefix_hash = _hashed(self._seed, (*self._names, ""), 64)
            order, digest = list(range(self._numbers)), _digest_of(self._prefix_hash, number)
            known = self._known[number] = _ordered(order, self._ways, self._radices, digest)
        return known.copy()


@lru_cache(maxsize=1)
def cached_permutations(n: int, seed: int, *names: str | int) -> Permutations:
    """Returns `Permutations(n, seed, *names)`; all seatings of a deal, played in turn, draw the same ones."""
    return Permutations(n, seed, *names)


def permutation(n: int, seed: int, *names: str | int) -> list[int]:
    """Draws a permutation of range(n), n <= 64, from `seed` and the purpose `names`."""
    return _ordered(list(range(n)), *_radices_of(n), _hashed(seed, names, 64).digest())


def _ordered(order: list[Any], ways: Any, radices: list[tuple[int, int]], digest: bytes) -> list[int]:
    """Shuffles in place as Fisher and Yates (Durstenfeld 1964), with all draws read off 512 bits by mixed radix."""
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
    """Draws an integer in [0, n) from `seed` and the purpose `names`."""
    return derive(seed, *names) % n


def pick(items: Sequence[T], rng: Random) -> T:
    """Returns one of the items, each equally likely; there must be one."""
    return items[int(rng.random() * len(items))]


def pick_index(totals: Sequence[int], rng: Random) -> int:
    """Returns an index, each as likely as its weight; `totals` are the sums of the weights up to each of them.

    >>> from random import Random
    >>> [pick_index([10, 11, 21], Random(seed)) for seed in range(6)]
    [2, 0, 2, 0, 0, 2]
    """
    if len(totals) == 1:
        return 0
    # a product of more than 53 bits may be rounded up to the whole total
    return min(bisect_right(totals, int(rng.random() * totals[-1])), len(totals) - 1)


def shuffle(items: MutableSequence[T], rng: Random) -> None:
    """Puts the items in a random order in place, each order equally likely."""
    for last in range(len(items) - 1, 0, -1):
        i = int(rng.random() * (last + 1))
        items[last], items[i] = items[i], items[last]


def seed_from(rng: Random) -> int:
    """Returns a seed drawn from a random generator, every seed equally likely."""
    seed = 0
    for _ in range(3):  # a draw has 53 bits
        seed = seed << 53 | int(rng.random() * 2**53)
    return seed >> 31


def seed_text(seed: int) -> str:
    """Returns the seed as 32 hexadecimal digits; `int(text, 16)` turns them back."""
    return f"{seed:032x}"


def commitment(text: str) -> str:
    """Returns the SHA-256 of a seed's 32 hexadecimal digits, as hexadecimal digits: it binds to the secret seed."""
    return sha256(text.encode()).hexdigest()
