"""A run's records examined one by one: against the schedule, and against what the rules make of their actions."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tourney.catalog import load_game
from tourney.errors import TourneyError
from tourney.match import Block, Match
from tourney.replay import check
from tourney.store import identity_difference, parse_unsealed, read_lines


def problems(path: Path, blocks: Iterable[Block]) -> Iterator[str | None]:
    """For each line of a run's journal, None if it holds, else the match and the first thing that does not."""
    lines = enumerate(read_lines(path), 1)
    for match in _matches(blocks):
        number, line = next(lines, (0, b""))
        if not line:
            return
        problem = _problem(line, match)
        yield None if problem is None else f"match {match.id} (line {number}): {problem}"
    for number, _ in lines:
        yield f"line {number}: the schedule has no more matches"


def _matches(blocks: Iterable[Block]) -> Iterator[Match]:
    for block in blocks:
        yield from block.matches()


def _problem(line: bytes, match: Match) -> str | None:
    """The first thing that does not hold in the line, which should be the record of this match."""
    try:
        record = parse_unsealed(line, "the line")
        if difference := identity_difference(record, match):
            return difference
        check(record, load_game(record.game))
    except TourneyError as error:
        return str(error)
    if record.line() != line:
        return "the line does not read as it was written (spaces, or the order of the keys)"
    return None
