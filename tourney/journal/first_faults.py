"""The first fault of each entrant of a run."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from tourney.journal import folder
from tourney.journal.reader import parse_sealed_record, read_lines
from tourney.match import TAIL, Fault

_NONE = b'"faults":[]'


class FirstFault(NamedTuple):
    """The first fault of an entrant."""

    match: str
    """The name of the match."""
    fault: Fault
    decisions: int
    """How many decisions the match has; the fault's is one more if the bot failed when it was told the outcome."""


def first_faults(run: Path, names: Collection[str], game: str | None = None) -> dict[str, FirstFault]:
    """Returns the first fault of each of these entrants that has one, in the order of the schedule.

    The journal is read up to the last of them.
    """
    found: dict[str, FirstFault] = {}
    for number, line in enumerate(read_lines(run), 1):
        if line.endswith(_NONE, 0, -TAIL):
            continue
        record = parse_sealed_record(line, f"{run / folder.JOURNAL}, line {number}")
        if game not in (None, record.game):
            continue
        for fault in record.faults:
            name = record.seats[fault.seat]
            if fault.kind != "out" and name in names and name not in found:
                found[name] = FirstFault(record.match, fault, record.decisions)
        if len(found) == len(names):
            break
    return found
