"""Plays bots that stall, and prints a table: `python -m tests.stalls --help`. Busy loops beside it change nothing."""

import argparse
import sys
import time

from tabulate import tabulate

from tests.stalls import attack


def main() -> int:
    """Returns 1 if an innocent was charged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=50, help="the least number of matches for each line")
    parser.add_argument("--only", nargs="+", default=list(attack.HOSTS), choices=attack.HOSTS, metavar="HOST")
    parser.add_argument("--seats", nargs="+", type=int, default=list(attack.TABLES), choices=attack.TABLES)
    parser.add_argument("--ways", nargs="+", default=list(attack.WAYS), choices=attack.WAYS)
    parser.add_argument("--workers", type=int, default=4, help="while bots stall; they need no processor for that")
    chosen = parser.parse_args()
    started, rows, fair = time.monotonic(), [], True
    for each in attack.attacks(chosen.only, chosen.seats, chosen.ways, chosen.matches, chosen.workers):
        rows.append(each.row())
        fair &= not each.innocents_charged
        print(*each.row(), sep=", ", file=sys.stderr, flush=True)
    print(tabulate(rows, attack.HEADERS, tablefmt="github", disable_numparse=True))
    print(f"{'fair' if fair else 'NOT FAIR'}; {time.monotonic() - started:.0f} s")
    return 0 if fair else 1


if __name__ == "__main__":
    sys.exit(main())
