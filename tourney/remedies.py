"""What a user can do about an error, in the words of the command line or of the library."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from tourney.errors import GameError, HelperLostError, SystemLimitError, TooManyFaultsError, TourneyError, WriteError

Remedies: TypeAlias = Mapping[type[TourneyError], str]
"""What to do about each class of errors."""


@contextmanager
def remedies(known: Remedies) -> Iterator[None]:
    """Adds the remedy of its class to the message of an error that passes through.

    What raises the errors knows neither flags nor arguments: it says what is wrong and where.
    """
    try:
        yield
    except tuple(known) as error:
        remedy = next(text for kind, text in known.items() if isinstance(error, kind))
        error.args = (f"{error}; {remedy}", *error.args[1:])
        raise


@contextmanager
def told_how_to_go_on(again: str, mended_game: str, many_faults: str) -> Iterator[None]:
    """Adds to an error that ends a run early how to go on.

    Args:
        again: What to do once there is room, or the system allows more.
        mended_game: What to do after the code of a game has failed.
        many_faults: What to do after too many matches had faults.
    """
    try:
        yield
    except (WriteError, SystemLimitError) as error:
        kind = SystemLimitError if isinstance(error, SystemLimitError) else WriteError  # the run had begun
        raise kind(f"{error}, then {again}") from None
    except HelperLostError as error:
        raise HelperLostError(f"{error}; {again}") from None
    except GameError as error:
        raise GameError(f"{error}; {mended_game}", error.game) from None
    except TooManyFaultsError as error:
        raise TooManyFaultsError(f"{error}; {many_faults}") from None
