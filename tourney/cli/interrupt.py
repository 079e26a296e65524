"""Ctrl-C and SIGTERM, noted so that a run can stop between two matches."""

import signal
import sys
from types import FrameType

from tourney.errors import RunInterruptedError


class StopSignal:
    """A context that notes SIGINT and SIGTERM instead of acting on them; a second signal ends the process."""

    def __init__(self) -> None:
        """No signal has been received yet."""
        self.received = False

    def __enter__(self) -> "StopSignal":
        """Takes over the signals."""
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        """Restores the handlers that were there before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received:
            sys.exit(RunInterruptedError.exit_code)
        self.received = True
