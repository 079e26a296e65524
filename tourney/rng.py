"""Randomness that is the same on every machine and every Python: seeds derived by name, a stream per purpose.

A seed is an int below 2**128, and text of 32 hexadecimal digits wherever it is written. Every other seed is derived
from one by a keyed hash over the names of its purpose (`derive(seed, "bot", "random", 1)`), so that knowing a derived
seed tells nothing about its parent or its siblings.

Only `Random.random()` is promised to give the same sequence on every version of Python, so `pick` and `shuffle`
here build on it alone, and `permutation` needs no generator at all.
"""

from collections.abc import Callable, MutableSequence, Sequence
from functools import cache
from hashlib import blake2b
from random import Random
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 16


def _digest(seed: int, names: tuple[str | int, ...], size: int) -> bytes:
    text = "\x1f".join(map(str, names))
    return blake2b(text.encode(), key=seed.to_bytes(SEED_BYTES, "big"), digest_size=size).digest()


def root_seed(seed: int | str) -> int:
    """The seed that a tournament's `seed`, a number or a text of any length, stands for."""
    return int.from_bytes(blake2b(str(seed).encode(), person=b"tourney", digest_size=SEED_BYTES).digest(), "big")


def derive(seed: int, *names: str | int) -> int:
    """The seed for the purpose that `names` spell; it cannot be turned back into `seed`."""
    return int.from_bytes(_digest(seed, names, SEED_BYTES), "big")


def numbered(seed: int, *names: str | int) -> Callable[[int], int]:
    """A quick way to derive many seeds: `numbered(seed, "a")(5)` is `derive(seed, "a", 5)`."""
    text = "\x1f".join([*map(str, names), ""])
    begun = blake2b(text.encode(), key=seed.to_bytes(SEED_BYTES, "big"), digest_size=SEED_BYTES)

    def of(number: int) -> int:
        whole = begun.copy()
        whole.update(b"%d" % number)
        return int.from_bytes(whole.digest(), "big")

    return of


def stream(seed: int, *names: str | int) -> Random:
    """A generator of its own for the purpose that `names` spell."""
    return Random(derive(seed, *names))


def permutation(n: int, seed: int, *names: str | int) -> list[int]:
    """The numbers 0 … n-1 in an order drawn uniformly (n up to 64) for the purpose that `names` spell.

    Fisher and Yates, with the draws read off one 512-bit number by mixed radix.
    """
    chance = int.from_bytes(_digest(seed, names, 64), "big")
    order = list(range(n))
    for radix, places in _radices(n):
        chance, part = divmod(chance, radix)
        for last in places:
            i = part % (last + 1)
            part //= last + 1
            order[last], order[i] = order[i], order[last]
    return order


@cache
def _radices(n: int) -> list[tuple[int, list[int]]]:
    """The draws for a permutation of n, in groups whose product fits a small int, which is quick to divide."""
    groups: list[tuple[int, list[int]]] = []
    places: list[int] = []
    product = 1
    for last in range(n - 1, 0, -1):
        if product * (last + 1) >= 1 << 30:
            groups.append((product, places))
            product, places = 1, []
        product *= last + 1
        places.append(last)
    return [*groups, (product, places)]


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
