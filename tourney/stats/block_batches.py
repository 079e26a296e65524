"""Blocks in a bounded number of batches, for statistics that resample whole blocks."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from tourney.rng import numbered

T = TypeVar("T")

_key = numbered(0, "batch")

MAX_BATCHES = 1024
"""The most batches there are of a tournament: few enough to resample a thousand times in a second."""
MIN_PER_GAME = 128
"""The most of one game, however many games there are: enough for error bars."""


class BlockBatches(Generic[T]):
    """What was counted, apart for every block, or for batches of whole blocks once there are more than `limit`.

    Each block has a key, a hash of its number. While the keys are too many, one bit fewer of them is looked at, and
    blocks whose keys have become equal are a batch from then on. How many bits are left in the end depends on which
    blocks there are, and not on the order in which they came: a part of them never needs fewer bits than all.
    The hash keeps batches alike, whatever pattern the schedule has.
    """

    def __init__(self, new: Callable[[], T], fold: Callable[[T, T], object], games: int = 1) -> None:
        """Starts without a block; `new` makes an empty count, and `fold(one, other)` adds the other to the one.

        `games` is how many share `MAX_BATCHES`.
        """
        self._limit = max(MAX_BATCHES // games, min(MIN_PER_GAME, MAX_BATCHES))
        self._new = new
        self._fold = fold
        self._mask = (1 << 64) - 1
        self._counts: dict[int, T] = {}

    def of(self, block: int) -> T:
        """The count that the block is in, to add to; good until another block is asked for."""
        key = _key(block)
        while (count := self._counts.get(key & self._mask)) is None:
            if len(self._counts) < self._limit:
                count = self._counts[key & self._mask] = self._new()
                break
            self._halve()
        return count

    def _halve(self) -> None:
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
        """The counts, in an order that the order of the blocks does not change."""
        for _, count in sorted(self._counts.items(), key=lambda item: item[0]):
            yield count
