"""Groups blocks into a bounded number of batches, for statistics that resample whole blocks."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from tourney.rng import seed_series

T = TypeVar("T")

_key = seed_series(0, "batch")

MAX_BATCHES = 1024
"""The most batches of a tournament, shared by its games; few enough to resample a thousand times in a second."""
MIN_PER_GAME = 128
"""A game may have this many batches, however many games share `MAX_BATCHES`; enough for error bars."""


class BlockBatches(Generic[T]):
    """One count for each block, or for each batch of whole blocks once there are more blocks than the limit.

    Each block has a key, a hash of its number. While there are too many distinct keys, one bit fewer of them is used,
    and blocks whose keys have become equal share a batch from then on. How many bits remain in the end depends only on
    which blocks there are, not on the order in which they came, because a subset of the blocks never needs fewer bits
    than the whole. Hashing keeps the batches alike, whatever pattern the schedule has.
    """

    def __init__(self, new: Callable[[], T], fold: Callable[[T, T], object], games: int = 1) -> None:
        """Starts without a block.

        `new` makes an empty count, `fold(one, other)` adds the second count to the first, and `games` is the number of
        games that share `MAX_BATCHES`.
        """
        self._limit = max(MAX_BATCHES // games, min(MIN_PER_GAME, MAX_BATCHES))
        self._new = new
        self._fold = fold
        self._mask = (1 << 64) - 1
        self._counts: dict[int, T] = {}

    def of(self, block: int) -> T:
        """Returns the count to which the block belongs; it may be added to until the next call."""
        key = _key(block)
        while (count := self._counts.get(key & self._mask)) is None:
            if len(self._counts) < self._limit:
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
        """Yields the counts by key, so that the order in which blocks came does not matter."""
        for _, count in sorted(self._counts.items(), key=lambda item: item[0]):
            yield count
