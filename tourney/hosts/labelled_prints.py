"""A host whose bots run in this process beside a command that prints: what they print goes to stderr, named."""

from collections.abc import Sequence
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts import bot_prints
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.clocks import SeatClock


class LabelledHost(BotHost):
    """Runs bots in another host, and has what they print labelled with the name of their entrant."""

    def __init__(self, host: BotHost, name: str) -> None:
        """Takes the host, and the name of its entrant."""
        self._host = host
        self._name = name
        self.in_worker = host.in_worker
        self.limits = host.limits

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        """Makes a new bot and tells it the facts."""
        with bot_prints.labelled(self._name):
            return _LabelledBot(self._host.begin(facts, rng_seed, clock), self._name)

    def close(self) -> None:
        """Ends what the host keeps from match to match."""
        self._host.close()


class _LabelledBot:
    """A bot whose prints are labelled while it is called."""

    def __init__(self, bot: HostedBot, name: str) -> None:
        self._bot = bot
        self._name = name

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        with bot_prints.labelled(self._name):
            return self._bot.act(view, legal)

    def end(self, outcome: Outcome) -> None:
        with bot_prints.labelled(self._name):
            self._bot.end(outcome)

    def close(self) -> None:
        with bot_prints.labelled(self._name):
            self._bot.close()
