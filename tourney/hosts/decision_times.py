"""How long bots took for their decisions: by the clock, and of the processor."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, repeat
from math import log2
from operator import mul
from time import process_time_ns
from typing import Annotated, NamedTuple, TypeAlias

import msgspec

BUCKETS = 16
"""How many buckets there are from one time to its double, so that a bucket is 4.4 % wide."""
READINGS = 100
"""How many times it is tried what it costs to read the clock of the processor."""
LARGEST = 10**18
"""The longest time that is read from a file, in nanoseconds; all workers of a month together are shorter."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Bucket: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=int(BUCKETS * log2(LARGEST)))]


class Durations(msgspec.Struct, forbid_unknown_fields=True):
    """How long some decisions took; what several workers have counted can be added.

    The mean and the worst are exact. The median and other quantiles are known to 2.2 %, by logarithmic buckets.
    """

    total_ns: Count = 0
    """The time of all of them, in nanoseconds."""
    worst_ns: Count = 0
    buckets: dict[Bucket, Count] = {}
    """How many of them took from 2**(b / 16) to 2**((b + 1) / 16) nanoseconds, by the number b of the bucket."""

    @property
    def decisions(self) -> int:
        """How many there are."""
        return sum(self.buckets.values())

    @property
    def mean_ns(self) -> float:
        """The mean; there must be one."""
        return self.total_ns / self.decisions

    @property
    def median_ns(self) -> float:
        """The median; there must be a decision."""
        return self.quantile_ns(0.5)

    def quantile_ns(self, share: float) -> float:
        """Returns the time that a share of the decisions took at most: the middle of its bucket, at most the worst.

        There must be a decision.
        """
        order = sorted(self.buckets)
        counts = list(accumulate([self.buckets[bucket] for bucket in order]))
        bucket = order[bisect_left(counts, counts[-1] * share)]
        return min(2 ** ((bucket + 0.5) / BUCKETS), self.worst_ns)

    def count(self, took_ns: Sequence[int]) -> None:
        """Counts decisions, each with its time in nanoseconds, at least one."""
        if not took_ns:
            return
        self.total_ns += sum(took_ns)
        self.worst_ns = max(self.worst_ns, *took_ns)
        found = Counter(map(int, map(mul, map(log2, took_ns), repeat(BUCKETS))))  # without a step of Python for each
        self._count_buckets(found)

    def add(self, other: "Durations") -> None:
        """Adds the decisions of another count, which stays as it is."""
        self.total_ns += other.total_ns
        self.worst_ns = max(self.worst_ns, other.worst_ns)
        self._count_buckets(other.buckets)

    def _count_buckets(self, counts: dict[int, int]) -> None:
        for bucket, count in counts.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count


class DecisionTimes(msgspec.Struct, forbid_unknown_fields=True):
    """How long the bots of an entrant took for those of their decisions that were measured."""

    clock: Durations = msgspec.field(default_factory=Durations)
    """By the clock, from the moment when the bot was asked until it had answered, or was at fault."""
    processor: Durations = msgspec.field(default_factory=Durations)
    """For how long processors worked for the bot meanwhile; known of fewer decisions, or of none."""

    def add(self, other: "DecisionTimes") -> None:
        """Adds the decisions of another count, which stays as it is."""
        self.clock.add(other.clock)
        self.processor.add(other.processor)


class MeasuredTimes(NamedTuple):
    """The times of decisions, one by one, that are still to be counted."""

    clock_ns: list[int]
    """By the clock, in nanoseconds, at least one each."""
    processor_ns: list[int]
    """Of the processor, in nanoseconds, at least one each; not all may be known."""

    def note(self, clock_s: float, processor_s: float | None) -> None:
        """Notes a decision; without `processor_s`, its processor time is not known.

        A time that is not positive counts as the shortest. Processor time is negative where a process of the bot has
        ended during the decision and nobody has waited for it: what it had used before is lost to the accounts.
        """
        self.clock_ns.append(max(1, int(clock_s * 1e9)))
        if processor_s is not None:
            self.processor_ns.append(max(1, int(processor_s * 1e9)))

    def take(self) -> DecisionTimes:
        """Returns what was noted, counted, and notes from an empty list again."""
        taken = DecisionTimes()
        taken.clock.count(self.clock_ns)
        taken.processor.count(self.processor_ns)
        self.clock_ns.clear()
        self.processor_ns.clear()
        return taken


@cache
def reading_s() -> float:
    """Returns how long it takes to read the clock of the processor, by that clock, in seconds."""
    return min([-process_time_ns() + process_time_ns() for _ in range(READINGS)]) / 1e9


def duration_text(nanoseconds: float) -> str:
    """Returns a time in the unit that suits it, such as `12.3 us`."""
    if nanoseconds < 1e6:
        return f"{nanoseconds / 1e3:.1f} us"
    return f"{nanoseconds / 1e6:.1f} ms" if nanoseconds < 1e9 else f"{nanoseconds / 1e9:.1f} s"
