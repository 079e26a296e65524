"""A host that measures how long its bots in this process take for their decisions, where no clock is read for them."""

from collections.abc import Sequence
from time import perf_counter_ns, process_time_ns
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.clocks import SeatClock, Timekeeper
from tourney.hosts.decision_times import MeasuredTimes, reading_s


class MeasuredHost(BotHost):
    """Makes the bots of another host in this process, and measures each of their decisions."""

    in_worker = True

    def __init__(self, inner: BotHost, name: str, keeper: Timekeeper) -> None:
        """Measures nothing yet.

        Args:
            inner: The host, in whose place this one is used.
            name: The name of the entrant.
            keeper: What notes the times.
        """
        self._inner = inner
        self._name = name
        self._keeper = keeper
        self._reading_ns = int(reading_s() * 1e9)
        self.limits = inner.limits
        self.tracebacks = inner.tracebacks

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        """Makes a bot of the other host; where it has a clock, that measures it."""
        bot = self._inner.begin(facts, rng_seed, clock)
        return bot if clock is not None else _MeasuredBot(bot, self._keeper.times_of(self._name), self._reading_ns)


class _MeasuredBot:
    """A bot in this process whose decisions are measured."""

    def __init__(self, bot: HostedBot, times: MeasuredTimes, reading_ns: int) -> None:
        self._act = bot.act
        self._bot = bot
        self._times = times
        self._reading_ns = reading_ns
        self.close = bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        """Returns the bot's answer; raises what the bot raises."""
        worked = process_time_ns()
        begun = perf_counter_ns()
        try:
            return self._act(view, legal)
        finally:
            took = perf_counter_ns() - begun
            worked = process_time_ns() - worked - self._reading_ns
            self._times.clock_ns.append(took)
            self._times.processor_ns.append(max(1, worked))

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended."""
        self._bot.end(outcome)
