"""Ctrl-C, and a request to end, noted so that a run can end in good order."""

import signal
import sys
from types import FrameType

from tourney.errors import RunInterruptedError


class StopSignal:
    """Notes SIGINT and SIGTERM while it is entered, so that the run can end in good order; a second one ends it."""

    def __init__(self) -> None:
        """Nothing was received yet."""
        self.received = False

    def __enter__(self) -> "StopSignal":
        """Begins to listen."""
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        """Leaves the signals to whom they belonged before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received:
            sys.exit(RunInterruptedError.exit_code)
        self.received = True
