"""How long bots take for their decisions, by the clock."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import fsum, log2
from time import perf_counter_ns
from typing import Annotated, Any

import msgspec

BUCKETS = 16
"""How many buckets there are from one time to its double, so a bucket is 4.4 % wide."""


class DecisionTimes(msgspec.Struct, forbid_unknown_fields=True):
    """A histogram of decision times; several workers' histograms can be added.

    The worst time is exact. The mean, the median and other quantiles are known to 2.2 %, by logarithmic buckets.
    """

    worst_ns: int = 0
    buckets: dict[Annotated[int, msgspec.Meta(ge=0, le=1000)], Annotated[int, msgspec.Meta(ge=0)]] = {}
    """How many decisions took from 2**(b / 16) to 2**((b + 1) / 16) nanoseconds, by the number b of the bucket."""

    @property
    def decisions(self) -> int:
        """How many there are."""
        return sum(self.buckets.values())

    @property
    def mean_ns(self) -> float:
        """The mean; there must be a decision."""
        return fsum([count * _middle_ns(bucket) for bucket, count in self.buckets.items()]) / self.decisions

    def quantile_ns(self, share: float) -> float:
        """Returns the time that a share of the decisions took at most; there must be a decision."""
        order = sorted(self.buckets)
        counts = list(accumulate([self.buckets[bucket] for bucket in order]))
        return min(_middle_ns(order[bisect_left(counts, counts[-1] * share)]), self.worst_ns)

    def count(self, times_ns: Sequence[int]) -> None:
        """Counts decisions that took these times, in nanoseconds."""
        self.worst_ns = max([self.worst_ns, *times_ns])
        for each in times_ns:
            bucket = int(BUCKETS * log2(max(1, each)))
            self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    def add(self, other: "DecisionTimes") -> None:
        """Adds the decisions of another histogram."""
        self.worst_ns = max(self.worst_ns, other.worst_ns)
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count


def _middle_ns(bucket: int) -> float:
    return float(2 ** ((bucket + 0.5) / BUCKETS))


def timed(act: Callable[[Any, Sequence[int]], Any], times_ns: list[int]) -> Callable[[Any, Sequence[int]], Any]:
    """Returns a function that asks a bot in this process, and appends how long it took to `times_ns`."""

    def ask(view: Any, legal: Sequence[int]) -> Any:
        started = perf_counter_ns()
        try:
            return act(view, legal)
        finally:
            times_ns.append(perf_counter_ns() - started)

    return ask


def duration_text(nanoseconds: float) -> str:
    """Returns a time in the unit that suits it, such as `12.3 us`."""
    if nanoseconds < 1e6:
        return f"{nanoseconds / 1e3:.1f} us"
    return f"{nanoseconds / 1e6:.1f} ms" if nanoseconds < 1e9 else f"{nanoseconds / 1e9:.1f} s"
