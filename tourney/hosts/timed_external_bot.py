"""A bot in a process of its own whose decisions have a limit of time."""

from collections.abc import Sequence
from typing import Any

from tourney.hosts import protocol
from tourney.hosts.external_bot import ExternalBot


class TimedExternalBot(ExternalBot):
    """One bot in a process of its own, for one match, that is told with each decision how much time is left."""

    def _question(self, view: Any, legal: Sequence[int]) -> bytes:
        """Returns the message that asks for the next decision, with the time that is left for it."""
        assert self._facts.clock is not None, "whoever has a limit can read its clock"
        return protocol.with_time_left(super()._question(view, legal), self._facts.clock)
