"""A host whose bots run beside a command that prints to stdout."""

from collections.abc import Callable
from typing import Any

from tourney.bot import SeatFacts
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.bot_prints import labelled
from tourney.hosts.clocks import SeatClock


class LabelledHost(BotHost):
    """Runs bots in another host, and labels what they print."""

    def __init__(self, host: BotHost, name: str) -> None:
        """Takes the host, and the name of its entrant."""
        self._host = host
        self._labelled = labelled(name)
        self.in_worker = host.in_worker
        self.limits = host.limits
        self.close = host.close  # type: ignore[method-assign]

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        """Makes a new bot and tells it the facts."""
        return _LabelledBot(self._labelled(self._host.begin)(facts, rng_seed, clock), self._labelled)


class _LabelledBot:
    def __init__(self, bot: HostedBot, label: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self.act, self.end, self.close = label(bot.act), label(bot.end), label(bot.close)
