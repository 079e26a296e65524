"""The floor: what it takes to call a Python bot with a clock on both sides, and to see that its action is legal."""

from collections.abc import Sequence
from time import perf_counter_ns

from tests.bench.timing import Measures, rate

CALLS = 1000


class _Bot:
    def act(self, view: object, legal: Sequence[int]) -> int:
        return legal[0]


def measures() -> Measures:
    """Calls of a bot that does nothing."""
    return {"floor": lambda seconds: rate(seconds, _calls)}


def _calls() -> int:
    bot, view, legal, longest = _Bot(), object(), (3, 7, 20, 41), 0
    for _ in range(CALLS):
        begun = perf_counter_ns()
        action = bot.act(view, legal)
        longest = max(longest, perf_counter_ns() - begun)
        assert action in legal
    return CALLS
