"""The one policy for processes that are killed from outside, wherever a process of ours or of a bot is started.

Somebody else than the bot may kill a process: the system when memory runs out, an administrator, another bot of the
same user. One kill therefore proves nothing, and what the process was doing is done again. Whoever kills from outside
does not hit the same moment each time. So the same end at the same point, `SAME_ENDS` times, counts as the bot's own
doing, and a bot's result stands once it has come out the same that often. Where no two attempts are the same, they end
after `MOST_ATTEMPTS`. A process that ended by itself, without such a signal, needs fewer proofs: `OWN_ENDS`.
"""

import signal

SAME_ENDS = 5
"""How many times an end that may come from outside must be the same until it counts: replays of a match to the same
record, deaths of a worker at the same call of a bot, attempts to load a bot to see which games it plays."""
OWN_ENDS = 2
"""How many deaths of a worker at the same call count where the process ended by itself."""
MOST_ATTEMPTS = 30
"""How many attempts are made in all where processes are killed each time: plays of a match, starts of a worker."""
MOST_OWN_STARTS = 3
"""How many workers in a row may end by themselves before they are ready, until the run gives up."""

OUTSIDE_SIGNALS = (signal.SIGKILL, signal.SIGTERM)
"""The signals that somebody else may have sent."""
BY_SIGNAL = 128
"""Shells and sandboxes report a signal as an exit status: this number, plus that of the signal."""


def ending_signal(exit_code: int) -> int:
    """Returns the number of the signal that ended a process, or 0 if it ended by itself.

    A negative exit code is that of a child of ours; one above 128 is a shell's or a sandbox's word for the same.
    """
    return -exit_code if exit_code < 0 else max(0, exit_code - BY_SIGNAL)


def may_be_from_outside(exit_code: int) -> bool:
    """Returns whether somebody else may have ended the process that ended with this exit code."""
    return ending_signal(exit_code) in OUTSIDE_SIGNALS
