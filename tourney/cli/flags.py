"""Errors about a value that was given on the command line, in the words of its flags.

The rooms below check such values as those of a tournament file, and name the keys of one.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from tourney.errors import TourneyError

Words: TypeAlias = tuple[str, str | Callable[[re.Match[str]], str]]
"""What stands in a message, as a regular expression, and what to write for it."""

HOSTS: tuple[Words, ...] = (
    (r'host = "([\w-]+)"( in its \[\[bot\]\] table)?', r"--host \1"),
    (r"^(?:\w+: )?bot [^:]*: (--host .*); leave out use and command, or take another host$", r"\1; take another"),
)
"""The words of hosts."""


@contextmanager
def in_flags(*words: Words) -> Iterator[None]:
    """Puts the message of an error that passes through into the words of the command line."""
    try:
        yield
    except TourneyError as error:
        text = str(error)
        for pattern, flag in words:
            text = re.sub(pattern, flag, text)
        error.args = (text, *error.args[1:])
        raise


def of_bot(command: str, name: str) -> Words:
    """Returns the words of the keys of a bot: `check: bot x: cpu_ms:` is `--cpu-ms:`."""
    return rf"^(?:{command}: )?bot {re.escape(name)}: (\w+):", lambda found: f"--{found[1].replace('_', '-')}:"
