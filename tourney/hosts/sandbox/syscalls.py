"""Calls of the C library that report failure by their result and `errno`."""

import ctypes
import os


def checked(result: int, what: str) -> int:
    """Returns the result of a call, which is negative where the call has failed.

    Raises:
        OSError: It has failed; the error says what was tried, and why it failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what} ({os.strerror(number)})")
    return result
