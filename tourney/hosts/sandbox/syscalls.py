"""Calls of the C library that report failure by their result and `errno`."""

import ctypes
import os

_PR_SET_PDEATHSIG, _SIGKILL = 1, 9  # `signal` would have to be imported


def die_with_parent(libc: ctypes.CDLL) -> None:
    """Has this process killed when its parent ends, if it has not ended yet.

    Raises:
        OSError: The system refuses.
    """
    checked(libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "pdeathsig")


def checked(result: int, what: str) -> int:
    """Returns the result of a call, which is negative where the call has failed.

    Raises:
        OSError: It has failed; the error says what was tried, and why it failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what} ({os.strerror(number)})")
    return result
