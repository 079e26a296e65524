"""The floor: calls of a Python bot with a clock on both sides, and a test that its action is legal."""

from collections.abc import Sequence
from time import perf_counter_ns

from tests.bench.timing import Rates, rate

CALLS = 1000


class _Bot:
    def act(self, view: object, legal: Sequence[int]) -> int:
        return legal[0]


def rates() -> Rates:
    return {"floor": lambda seconds: rate(seconds, _calls)}


def _calls() -> int:
    bot, view, legal, longest = _Bot(), object(), (3, 7, 20, 41), 0
    for _ in range(CALLS):
        start = perf_counter_ns()
        action = bot.act(view, legal)
        longest = max(longest, perf_counter_ns() - start)
        assert action in legal
    return CALLS
