"""A run's records examined one by one: against the schedule, and against what the rules make of their actions."""

from collections.abc import Iterator
from pathlib import Path

from tourney.errors import TourneyError, one_line
from tourney.journal.reader import identity_difference, parse_record, read_lines
from tourney.match import Match, Record
from tourney.plugins import load_game
from tourney.replay import check
from tourney.runner.disqualification import FaultTally
from tourney.schedule.base import Schedule

Lines = Iterator[tuple[int, bytes]]


def problems(path: Path, schedule: Schedule) -> Iterator[str | None]:
    """For each line of a run's journal, None if it holds, else the match and the first thing that does not.

    Where a round rests on one with a record that does not hold, nobody can say who should have met; its records are
    held against the rules alone.
    """
    lines = enumerate(read_lines(path), 1)
    left = schedule.size().matches
    for problem in _scheduled(lines, schedule):
        left -= 1
        yield problem
    for number, line in lines:
        left -= 1
        yield _problem(number, line, None)[0] if left >= 0 else f"line {number}: the schedule has no more matches"


def _scheduled(lines: Lines, schedule: Schedule) -> Iterator[str | None]:
    """The problems of the rounds up to the first that another cannot rest on."""
    tally = FaultTally()
    sound = True
    for blocks in schedule.rounds():
        for block in blocks:
            records = []
            for match in block.matches():
                number, line = next(lines, (0, b""))
                if not line:
                    return
                # behind a record that does not hold nobody can say who had faulted how often
                problem, record = _problem(number, line, match, tally if sound else None)
                yield problem
                if problem is None and record is not None:
                    schedule.add(record)
                    records.append(record)
                else:
                    sound = False
            for record in records:
                tally.add(record)
        if schedule.adapts and not sound:
            return


def _problem(
    number: int, line: bytes, match: Match | None, tally: FaultTally | None = None
) -> tuple[str | None, Record | None]:
    """The first thing that does not hold in a line, if something does not, and its record, if it is one.

    With a match, the line should be the record of that; with a tally, whoever is out must have faulted like that.
    """
    record = None
    try:
        record = parse_record(line, "the line")
        difference = None if match is None else identity_difference(record, match)
        if difference is None:
            check(record, load_game(record.game))
            if record.line() != line:
                difference = "the line does not read as it was written (spaces, or the order of the keys)"
            elif tally is not None:
                difference = _out_difference(record, tally)
    except TourneyError as error:
        difference = str(error)
    if difference is None:
        return None, record
    name = match.id if match is not None else "" if record is None else one_line(record.match)
    return f"match {name} (line {number}): {difference}" if name else f"line {number}: {difference}", record


def _out_difference(record: Record, tally: FaultTally) -> str | None:
    """Who is said to be out of the tournament without the faults for that, if somebody is."""
    for fault in record.faults:
        name = record.seats[fault.seat]
        reasons = tally.of(name).reasons()
        if fault.kind == "out" and fault.detail not in reasons:
            return f"faults: {name} is out {fault.detail}, but it had been charged {reasons[0].removeprefix('after ')}"
    return None
