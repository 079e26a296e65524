"""The options that both programs have."""

import argparse
from collections.abc import Callable
from pathlib import Path


def parser(program: str, description: str | None, numbers: str, repeats: str) -> argparse.ArgumentParser:
    """Returns a parser of the common options.

    `numbers` is the default file for the numbers, and `repeats` says what is repeated.
    """
    made = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    made.add_argument("--repeats", type=at_least(1), default=3, help=f"{repeats} (%(default)s)")
    made.add_argument("--pure", action="store_true", help="leave out the compiled build")
    made.add_argument(
        "--json", type=Path, default=Path(numbers), metavar="FILE", help="where the numbers go (%(default)s)"
    )
    return made


def at_least(least: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers that are not less than `least`."""

    def number(text: str) -> int:
        if (value := int(text)) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return value

    return number


def positive(text: str) -> float:
    """Parses a number above 0."""
    if not (value := float(text)) > 0:
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return value
