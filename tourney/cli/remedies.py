"""What a user can do about an error, in the words of the command line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from tourney.errors import TourneyError

Remedies: TypeAlias = Mapping[type[TourneyError], str]
"""What to do about each class of errors."""


@contextmanager
def remedies(known: Remedies) -> Iterator[None]:
    """Adds the remedy of its class to the message of an error that passes through.

    The rest of the program knows no command line: its errors say what is wrong and where.
    """
    try:
        yield
    except tuple(known) as error:
        remedy = next(text for kind, text in known.items() if isinstance(error, kind))
        error.args = (f"{error}; {remedy}", *error.args[1:])
        raise
