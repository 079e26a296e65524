"""The one policy for processes that may be killed from outside, those of bots and our own.

Somebody else than the bot may kill a process: the system when memory runs out, an administrator, another bot of the
same user. One such end proves nothing, so the work is done again. Whoever kills from outside does not hit the same
moment each time; therefore

- an end that may come from outside counts as the bot's own doing once it has come `SAME_ENDS` times at the same point:
  plays of a match that come to the same record, deaths of a worker at the same call of a bot, attempts to examine one;
- where the attempts differ, they end after `MOST_ATTEMPTS`, and so do attempts to load a bot for a match: that takes
  long, so whoever kills from outside may well hit it each time; likewise deaths of a worker at the same call of a bot
  in a process of its own: the call may include its start, and a bot there ends its worker by intent alone;
- an end that cannot come from outside counts after fewer: `OWN_ENDS` deaths at the same call, `OWN_STARTS` workers in
  a row that were never ready.
"""

import signal

SAME_ENDS = 5
"""How many identical ends count where each may come from outside."""
OWN_ENDS = 2
"""How many deaths of a worker at the same call count where none comes from outside."""
OWN_STARTS = 3
"""How many workers in a row may end by themselves before they are ready, until the run gives up."""
MOST_ATTEMPTS = 30
"""How many attempts are made where each one is killed: plays of a match, starts of a worker."""

OWN_SIGNALS = tuple([
    getattr(signal, f"SIG{name}")
    for name in ("ILL", "TRAP", "ABRT", "BUS", "FPE", "SEGV", "SYS", "XCPU", "XFSZ")
    if hasattr(signal, f"SIG{name}")
])  # fmt: skip
"""The signals that end a process for what it does itself; somebody else may have sent any other."""
BY_SIGNAL = 128
"""What shells and sandboxes add to the number of a signal to report it as an exit status."""


def ending_signal(exit_code: int) -> int:
    """Returns the number of the signal that ended a process, or 0 if it ended by itself.

    The exit code of our own child is the negative number; that of a shell or a sandbox is the number plus 128.
    """
    return -exit_code if exit_code < 0 else max(0, exit_code - BY_SIGNAL)


def signal_name(number: int) -> str:
    """Returns the name of the signal of that number."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def may_be_from_outside(exit_code: int) -> bool:
    """Returns whether somebody else may have ended the process with this exit code."""
    by = ending_signal(exit_code)
    return by in signal.valid_signals() and by not in OWN_SIGNALS


def ends_that_count(from_outside: bool, apart: bool) -> int:
    """Returns how many deaths of a worker at the same call of a bot are charged to the bot."""
    if from_outside:
        return MOST_ATTEMPTS if apart else SAME_ENDS
    return OWN_ENDS


def starts_in_vain(from_outside: bool) -> int:
    """Returns how many workers in a row may end before they are ready, until the run gives up."""
    return MOST_ATTEMPTS if from_outside else OWN_STARTS
