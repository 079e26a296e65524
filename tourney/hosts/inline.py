"""The inline host: a bot lives in the worker's own process, for bots that you trust.

It is quick, and no secrecy boundary: Python code in one process can reach everything in it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tourney.bot import Outcome, SeatFacts


class Inline:
    """One bot, for one match."""

    act: Callable[[Any, Sequence[int]], Any]
    """Asks the bot for its action; raises what the bot raises."""

    def __init__(self, make: Callable[[], Any], facts: SeatFacts) -> None:
        """Makes the bot and tells it the facts. What goes wrong here is raised by the first `act`."""
        self._bot: Any = None
        try:
            self._bot = make()
            start = getattr(self._bot, "start", None)
            if start is not None:
                start(facts)
            self.act = self._bot.act
        except BaseException as error:  # a bot may raise anything, SystemExit too
            self.act = _Raises(error)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what the bot raises."""
        end = getattr(self._bot, "end", None)
        if end is not None:
            end(outcome)


class _Raises:
    """Stands in for a bot that could not be started."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __call__(self, view: Any, legal: Sequence[int]) -> Any:
        raise self._error
