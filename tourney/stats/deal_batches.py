"""Groups deals into a bounded number of batches, for statistics that take each deal as one observation."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from tourney.rng import seed_series

T = TypeVar("T")

_key = seed_series(0, "batch")

MAX_BATCHES = 1024
"""The most batches of a tournament, so that memory does not grow with the number of deals."""


class DealBatches(Generic[T]):
    """One count for each deal, or for each batch of whole deals once there are more deals than `MAX_BATCHES`.

    A deal is known by its seed, and has a key, a hash of that seed. While there are too many distinct keys, one bit
    fewer of them is used, and deals whose keys have become equal share a batch from then on. How many bits remain in
    the end depends only on which deals there are, not on the order in which they came, because a subset of the deals
    never needs fewer bits than the whole. Hashing keeps the batches alike, whatever pattern the schedule has.
    """

    def __init__(self, new: Callable[[], T], fold: Callable[[T, T], object]) -> None:
        """Starts without a deal.

        `new` makes an empty count, and `fold(one, other)` adds the second count to the first.
        """
        self._new = new
        self._fold = fold
        self._mask = (1 << 64) - 1
        self._counts: dict[int, T] = {}

    def of(self, seed: int) -> T:
        """Returns the count to which the deal with that seed belongs; it may be added to until the next call."""
        key = _key(seed)
        while (count := self._counts.get(key & self._mask)) is None:
            if len(self._counts) < MAX_BATCHES:
                count = self._counts[key & self._mask] = self._new()
                break
            self._halve()
        return count

    def _halve(self) -> None:
        """Drops one bit of the keys, and folds counts whose keys have become equal."""
        self._mask >>= 1
        counts: dict[int, T] = {}
        for key, count in self._counts.items():
            if key & self._mask in counts:
                self._fold(counts[key & self._mask], count)
            else:
                counts[key & self._mask] = count
        self._counts = counts

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[T]:
        """Yields the counts by key, so that the order in which deals came does not matter."""
        for _, count in sorted(self._counts.items(), key=lambda item: item[0]):
            yield count
