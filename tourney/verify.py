"""Verification of a run: each record is compared with the schedule and replayed by the rules of its game."""

from collections.abc import Iterator
from pathlib import Path

from tourney.errors import GameError, TourneyError, one_line
from tourney.journal.reader import identity_difference, parse_record, read_lines
from tourney.match import Match, Record
from tourney.plugins import load_game
from tourney.replay import MATCH_S, check
from tourney.runner.disqualification import FaultTally
from tourney.schedule.base import Schedule

Lines = Iterator[tuple[int, bytes]]


def problems(path: Path, schedule: Schedule, most_s: float = MATCH_S) -> Iterator[str | None]:
    """Verifies each line of a run's journal.

    If a round depends on a record that does not hold, it is unknown who should have met in it. Its records are then
    verified by the rules alone.

    Args:
        path: The folder of the run.
        schedule: The schedule of the run, at its beginning.
        most_s: How long the code of a game may take for one match, in seconds.

    Yields:
        For each line None if it holds, or the match and the first thing that does not.

    Raises:
        RunError: The journal cannot be read.
        GameError: The code of a game took longer.
    """
    lines = enumerate(read_lines(path), 1)
    count = 0
    for problem in _scheduled(lines, schedule, most_s):
        count += 1
        yield problem
    most = count if schedule.is_over(count) else schedule.most_matches
    for number, line in lines:
        yield (
            _problem(number, line, None, most_s)[0]
            if number <= most
            else f"line {number}: the schedule has no more matches"
        )


def _scheduled(lines: Lines, schedule: Schedule, most_s: float) -> Iterator[str | None]:
    """Verifies the rounds up to the first one after which the next cannot be made."""
    tally = FaultTally()
    sound = True
    for blocks in schedule.rounds():
        for block in blocks:
            records = []
            for match in block.matches():
                number, line = next(lines, (0, b""))
                if not line:
                    return
                # after a record that does not hold, the number of faults of each entrant is unknown
                problem, record = _problem(number, line, match, most_s, tally if sound else None)
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
    number: int, line: bytes, match: Match | None, most_s: float, tally: FaultTally | None = None
) -> tuple[str | None, Record | None]:
    """Verifies one line.

    Args:
        number: The number of the line.
        line: The line.
        match: The match that the line should be the record of, if it is known.
        most_s: How long the code of the game may take, in seconds.
        tally: The faults of the records before, if they are known; they must justify each disqualification.

    Returns:
        The first thing that does not hold, or None; and the record, or None if the line is none.
    """
    record = None
    try:
        record = parse_record(line, "the line")
        difference = None if match is None else identity_difference(record, match)
        if difference is None:
            check(record, load_game(record.game), most_s)
            if record.line() != line:
                difference = "the line does not read as it was written (spaces, or the order of the keys)"
            elif tally is not None:
                difference = _out_difference(record, tally)
    except GameError:
        raise
    except TourneyError as error:
        difference = str(error)
    if difference is None:
        return None, record
    name = match.id if match is not None else "" if record is None else one_line(record.match)
    return f"match {name} (line {number}): {difference}" if name else f"line {number}: {difference}", record


def _out_difference(record: Record, tally: FaultTally) -> str | None:
    """Returns the first disqualification that the faults before do not justify, or None."""
    for fault in record.faults:
        name = record.seats[fault.seat]
        reasons = tally.of(name).reasons()
        if fault.kind == "out" and fault.detail not in reasons:
            return f"faults: {name} is out {fault.detail}, but it had been charged {reasons[0].removeprefix('after ')}"
    return None
