"""Measures a bot in one cell of the table of strength: `python -m tests.strength --help`.

It plays mirrored deals in this process, and prints the points that the bot wins, in percent, with their 95 % interval
over the deals. What is played is kept in a file: the same command with more matches plays only those that are missing.
Deals that bots are tuned on (`--tuning`) are others than those that count.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import orjson

from tests.strength.cells import CELLS, FROZEN, Duel, PlayedDeal, played, summary
from tourney.base.errors import RunError, TourneyError, WriteError

KEPT = Path("results/strength.jsonl")


def main() -> None:
    """Plays what is missing, and prints; what cannot be played is said in a line, with exit code 2."""
    try:
        measure(arguments())
    except TourneyError as error:
        print(f"python -m tests.strength: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def measure(chosen: argparse.Namespace) -> None:
    """Plays what is missing, and prints.

    Raises:
        TourneyError: The bots cannot play, or what was played cannot be kept.
    """
    duel = Duel(chosen.cell, chosen.bot, chosen.options, chosen.against, chosen.their_options, chosen.tuning)
    key = [chosen.note, *duel]
    deals = list(known(chosen.kept, key))
    until = time.monotonic() + 60 * chosen.minutes
    wanted = (chosen.matches + 1) // 2
    with opened(chosen.kept) as file:
        for deal in played(duel, len(deals)) if len(deals) < wanted else ():
            deals.append(deal)
            file.write(orjson.dumps([key, *deal]) + b"\n")
            file.flush()
            if len(deals) >= wanted or time.monotonic() > until:
                break
    kind = "tuning" if duel.tuning else "measuring"
    print(f"{duel.cell}: {duel.bot} {{{duel.options}}} against {duel.against} {{{duel.their_options}}}, {kind} deals")
    print(summary(deals[:wanted]))


def known(file: Path, key: list[str | bool]) -> Iterator[PlayedDeal]:
    """Yields the deals that have been played before, in order.

    Raises:
        RunError: The file is no file of such deals.
    """
    if file.exists() and not file.is_file():
        raise RunError(f"--kept {file}: is no regular file; give the path of one")
    try:
        lines = file.read_bytes().splitlines() if file.exists() else []
    except OSError as error:
        raise RunError(f"--kept {file}: {error.strerror}; give another path") from None
    for number, line in enumerate(lines, 1):
        try:
            found, *deal = orjson.loads(line)
            is_wanted = found == key
            deal = PlayedDeal(*deal)
        except (ValueError, TypeError):
            raise RunError(f"--kept {file}: line {number} is no deal that was played; remove it") from None
        if is_wanted:
            yield deal


def opened(file: Path) -> BinaryIO:
    """Opens the file of what was played, to add to it.

    Raises:
        WriteError: It cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.open("ab")
    except OSError as error:
        raise WriteError(f"--kept {file}: {error.strerror}; give another path") from None


def positive(text: str) -> int:
    """Returns the number above 0 that a text is."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def arguments() -> argparse.Namespace:
    """Returns what the user says."""
    parser = argparse.ArgumentParser(prog="python -m tests.strength", description=__doc__)
    parser.add_argument("--cell", choices=CELLS, required=True, help="the game, with its number of seats")
    names = f"a bot's name, FILE.py:NAME, or one of {', '.join(FROZEN)}"
    parser.add_argument("--bot", default="seer", help=f"the bot that is measured: {names}  [default: seer]")
    parser.add_argument("--options", default="", help="its options, as in a tournament file: 'playouts = 25'")
    parser.add_argument("--against", default="steady-then", help="its opponent  [default: steady-then]")
    parser.add_argument("--their-options", default="", help="the options of the opponent")
    parser.add_argument("--matches", type=positive, default=1000, help="how many matches, two for each deal")
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="the minutes after which to stop; call again to go on"
    )
    parser.add_argument("--tuning", action="store_true", help="play the deals that bots may be tuned on")
    parser.add_argument("--note", default="", help="tells versions of the code apart in the file of what was played")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of what was played")
    return parser.parse_args()


if __name__ == "__main__":
    main()
