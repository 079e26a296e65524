"""Measures a bot in one cell of the table of strength: `python -m tests.strength --help`.

It plays mirrored deals in this process, and prints the points that the bot wins, in percent, with their 95 % interval
over the deals. Deals that bots are tuned on (`--tuning`) are others than those that count.
"""

import argparse
import sys
import time

from tests.strength.cells import CELLS, FROZEN, Duel, played, summary
from tourney.base.errors import TourneyError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength", description=__doc__)
    parser.add_argument("--cell", choices=CELLS, required=True, help="the game, with its number of seats")
    names = f"a bot's name, FILE.py:NAME, or one of {', '.join(FROZEN)}"
    parser.add_argument("--bot", default="seer", help=f"the bot that is measured: {names}  [default: seer]")
    parser.add_argument("--options", default="", help="its options, as in a tournament file: 'playouts = 25'")
    parser.add_argument("--against", default="steady-then", help="its opponent  [default: steady-then]")
    parser.add_argument("--their-options", default="", help="the options of the opponent")
    parser.add_argument("--matches", type=int, default=1000, help="how many matches, two for each deal")
    parser.add_argument("--minutes", type=float, default=1e9, help="the minutes after which to stop")
    parser.add_argument("--tuning", action="store_true", help="play the deals that bots may be tuned on")
    chosen = parser.parse_args()
    duel = Duel(chosen.cell, chosen.bot, chosen.options, chosen.against, chosen.their_options, chosen.tuning)
    until = time.monotonic() + 60 * chosen.minutes
    deals = []
    try:
        for deal in played(duel):
            deals.append(deal)
            if 2 * len(deals) >= chosen.matches or time.monotonic() > until:
                break
    except TourneyError as error:
        print(f"python -m tests.strength: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    kind = "tuning" if duel.tuning else "measuring"
    print(f"{duel.cell}: {duel.bot} {{{duel.options}}} against {duel.against} {{{duel.their_options}}}, {kind} deals")
    print(summary(deals))


if __name__ == "__main__":
    main()
