"""The host of a person, who decides at the terminal of `tourney play`; elsewhere there is no one to ask.

Asking the person may raise anything, such as at the end of the input. That is not a fault, and ends the match.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from tourney.base.errors import ConfigError
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Options
from tourney.hosts.base import PERSON_HOST, ActingBot, BotHost, BotSpec, HostedBot
from tourney.hosts.clocks import SeatClock

Decide: TypeAlias = Callable[[SeatFacts, Any, Sequence[int]], int]
"""Takes the facts of a seat, a view and the legal actions, and returns the action that the person chooses."""


class PersonOptions(Options, frozen=True):
    """What a person saw beyond the seat's views."""

    open: bool = False
    """Whether the person saw the hands of all seats."""


class PersonHost(BotHost):
    """The host of entrants that are people. It has no bots."""

    name = PERSON_HOST
    Options = PersonOptions
    has_bots = False
    needs_clock = False
    enforces = frozenset()

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        raise nobody_to_ask(spec.name)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Refuses: a person plays in no tournament file."""
        raise ConfigError(f'bot {spec.name}: host = "{PERSON_HOST}" is only for `tourney play`; choose another host')


class AskedPerson(PersonHost):
    """The host of a person who can be asked now."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        return ActingBot(partial(self._decide, facts))  # the caller shows the person the outcome


def nobody_to_ask(name: str) -> ConfigError:
    """Returns the error for a person who has played and cannot be asked again."""
    return ConfigError(f"bot {name}: a person decided for it, and cannot be asked again; choose another bot")
