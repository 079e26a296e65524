"""`python -m tests.bench.instructions`: counts by callgrind what a compiled run of random bots spends its work on.

It counts two runs in one process, a short and a long one, so that what a run costs besides its matches drops out. It
needs valgrind, and a checkout that is compiled (`make compile`).
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.bench.tables import table
from tests.bench.tournaments import SEATS
from tourney.table import table as table_module

DEALS = dict.fromkeys(SEATS, (150, 650)) | {"vole": (650, 2000)}
"""How many deals the two runs of a game have.

The standings take more for each match of a short run, as many outcomes are new to them; that shows where matches are
short.
"""
LINE = re.compile(r" *([\d,]+) \([^)]*\) +([*>]) +(\S*:)?(.*?)( \([\d,]+x\))?( \[.*\])?$")
"""A line of callgrind_annotate: the instructions of a function (*), or of its calls of another (>), and its name."""
MATCH, DECISIONS, RECORD = "CPyDef_table___play", "CPyDef_table____Table___play", "CPyDef_table____Table___record"
"""A match, its decisions and its record, as functions of the compiled table."""
LET_GO = "CPyDef_table____played", "_Py_Dealloc"
"""That the state of a match, with its log, is let go at its end."""
ROWS = (
    "calls of the bots, with what they do",
    "the rules: legal actions, views, moves",
    "the table: whose turn it is, whether the answer is legal, the log",
    "start and end of a match: the deal, the bots, their random numbers",
    "the record: encoding and hashing it",
    "the worker, the main process and the journal",
)
Counts = dict[tuple[str, str], int]
"""The instructions of each function, with all that it calls, and of its calls of each other: ("f", ""), ("f", "g")."""


def main() -> None:
    """Prints for each game which part of the work is spent on what, in percent."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.instructions", description=__doc__)
    parser.add_argument("--only", action="append", choices=SEATS, metavar="GAME", help="this game; may be repeated")
    games = parser.parse_args().only or [*SEATS]
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is missing")
    if Path(table_module.__file__).suffix == ".py":
        sys.exit("the checkout is not compiled; make compile")
    with tempfile.TemporaryDirectory() as name:
        found = {game: shares(*[counted(game, deals, Path(name)) for deals in DEALS[game]]) for game in games}
    print(table(["%", *found], [[row, *[f"{each[row]:.0f}" for each in found.values()]] for row in ROWS]))


def counted(game: str, deals: int, folder: Path) -> Counts:
    """Plays a run under callgrind, and returns what it has counted."""
    out = folder / f"{game}-{deals}"
    played = [sys.executable, "-m", "tests.bench.one_process", game, str(deals)]
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", *played], check=True)
    command = ["callgrind_annotate", "--inclusive=yes", "--tree=calling", "--threshold=100", out]
    return parsed(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def parsed(text: str) -> Counts:
    """Returns the counts that callgrind_annotate prints; those of the whole program are of ("", "")."""
    found: Counts = defaultdict(int)
    caller = ""
    for line in text.splitlines():
        if "PROGRAM TOTALS" in line:
            found["", ""] = int(line.split()[0].replace(",", ""))
        elif match := LINE.match(line):
            count, name = int(match[1].replace(",", "")), match[4]
            caller = name if match[2] == "*" else caller
            found[caller, "" if match[2] == "*" else name] += count
    return found


def shares(short: Counts, long: Counts) -> dict[str, float]:
    """Returns the percentages of the rows in what the long run has more than the short one."""
    more = {key: count - short.get(key, 0) for key, count in long.items()}
    inside = {callee: count for (caller, callee), count in more.items() if caller == DECISIONS}
    bots = sum([count for callee, count in inside.items() if callee.startswith("PyObject_Vectorcall")])
    rules = sum([count for callee, count in inside.items() if callee.startswith("CPyDef_") and "_table_" not in callee])
    table_itself = inside[""] - bots - rules + more[LET_GO]
    record, match = more[RECORD, ""], more[MATCH, ""]
    ends = match - bots - rules - table_itself - record
    counts = (bots, rules, table_itself, ends, record, more["", ""] - match)
    return {row: 100 * count / more["", ""] for row, count in zip(ROWS, counts, strict=True)}


if __name__ == "__main__":
    main()
