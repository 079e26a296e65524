"""The bots' decision times, by the clock."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import exp, fsum, log, log2, sqrt
from time import perf_counter_ns
from typing import Annotated, Any, NamedTuple

import msgspec

BUCKETS = 16  # from one time to its double, so a bucket is 4.4 % wide
RISK = 0.01  # the maximum probability of calling one of two equally quick bots slower
LEAST_FACTOR = 1.1
"""How many times as long the slower of two must surely take: less can come from where its code is in memory."""


class DecisionTimes(msgspec.Struct, forbid_unknown_fields=True):
    """A histogram of decision times; several workers' histograms can be added.

    The worst time is exact. The mean, the median and other quantiles are known to 2.2 %, by logarithmic buckets.
    """

    worst_ns: int = 0
    buckets: dict[Annotated[int, msgspec.Meta(ge=0, le=1000)], Annotated[int, msgspec.Meta(ge=0)]] = {}
    """The number of decisions from 2**(b / 16) to 2**((b + 1) / 16) nanoseconds, by the number b of the bucket."""

    @property
    def decisions(self) -> int:
        """The number of decisions."""
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


class Slowdown(NamedTuple):
    """How much longer one of two bots takes for a decision."""

    one_ns: float
    other_ns: float
    sure: float

    @property
    def factor(self) -> float:
        """How many times as long it took."""
        return self.one_ns / self.other_ns

    def text(self, other: str) -> str:
        """The factor over the other bot, in words."""
        times = f"{self.factor:.1f}" if self.factor < 9.95 else f"{self.factor:.0f}"
        ours, its = duration_text(self.one_ns), duration_text(self.other_ns)
        return f"{times} times as long as {other} ({ours} : {its} a decision)"


class Pace(msgspec.Struct):
    """The decision times of two bots on the same deals; several workers' paces can be added.

    Each block gives the mean decision time of the one, x, and of the other, y. If the two are equally quick, their
    difference in a block is as likely to go either way, whatever the machine's noise. For such numbers d the sum is
    above c times the root of the sum of their squares with a probability of exp(-c² / 2) at most (Efron 1969, Student's
    t-test under symmetry conditions, JASA 64). Two d are used, so c = √(2 log(2 / risk)): log x - log y - log f, which
    a rare pause hardly moves, and x - f y, which catches occasional slowness. The bot surely takes f times as long for
    every f at which either is above.
    """

    blocks: int = 0
    logs: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The sums of log x, log y and (log x - log y)²."""
    means: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """The sums of x, y, x², x y and y²."""

    def count(self, ones_ns: Sequence[int], others_ns: Sequence[int]) -> None:
        """Counts a block in which the decisions of both took these times, in nanoseconds."""
        one, other = [max(1.0, fsum(times) / len(times)) for times in (ones_ns, others_ns)]
        logs = log(one), log(other), log(one / other) ** 2
        self.add(Pace(1, logs, (one, other, one * one, one * other, other * other)))

    def add(self, more: "Pace") -> None:
        """Adds another pace's blocks."""
        self.blocks += more.blocks
        a, b, c = [mine + its for mine, its in zip(self.logs, more.logs, strict=True)]
        self.logs = a, b, c
        x, y, xx, xy, yy = [mine + its for mine, its in zip(self.means, more.means, strict=True)]
        self.means = x, y, xx, xy, yy

    @property
    def is_enough(self) -> bool:
        """Whether there are enough blocks to call the first slower."""
        return self.blocks > 2 * log(2 / RISK)

    @property
    def slowdown(self) -> Slowdown | None:
        """How much longer the first surely takes; None if it does not, or if there are too few blocks."""
        blocks, square = self.blocks, 2 * log(2 / RISK)
        if not self.is_enough:
            return None
        log_one, log_other, log_squares = [each / blocks for each in self.logs]
        lead = log_one - log_other
        half = sqrt(square * max(0.0, log_squares - lead * lead) / (blocks - square))
        by_logs = Slowdown(exp(log_one), exp(log_other), exp(lead - half))
        # where blocks (x - f y)² = c² mean (x - f y)², for the means x and y: a quadratic equation in f
        one, other, ones, products, others = [each / blocks for each in self.means]
        a = blocks * other * other - square * others
        b = blocks * one * other - square * products
        c = blocks * one * one - square * ones
        root = max(0.0, b * b - a * c)
        by_means = Slowdown(one, other, (b - sqrt(root)) / a if a > 0 else 0.0)
        surest = max(by_logs, by_means, key=lambda each: each.sure)
        return surest if surest.sure > LEAST_FACTOR else None


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
