"""The matches of a run that pass a filter, and the numbers by which they can be sorted."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from tourney.base.errors import RunError, did_you_mean
from tourney.contracts.match import TAIL, Fault, Record, RecordedResult, match_name
from tourney.journal.reader import RECORDS
from tourney.journal.run import RunFolder
from tourney.standings.results import MatchResult

MatchOutcome: TypeAlias = Literal["won", "drawn", "lost"]
SortKey: TypeAlias = Literal["margin", "faults", "length"]


class FoundMatch(NamedTuple):
    """A match of a run."""

    id: str
    round: int | None
    """The number of its round, from 1; None if the format has no rounds."""
    seats: tuple[str, ...]
    result: MatchResult
    decisions: int


_SHORT_NAME = re.compile(r"(.+)-([0-9]{1,9})-(0|[1-9][0-9]{0,8})")
"""The name of a match whose block may have been given with fewer zeros."""


def find_records(run: RunFolder, *matches: str) -> list[Record]:
    """The records of some matches of a run in the order of its journal; their names may lack zeros, as in vole-0-0."""
    wanted = {}
    for match in matches:
        short = _SHORT_NAME.fullmatch(match)
        wanted[match_name(short[1], int(short[2]), int(short[3])) if short else match] = match
    names, records = [], []
    for record in run.records():
        names.append(record.match)
        if wanted.pop(record.match, None) is not None:
            records.append(record)
            if not wanted:
                return records
    if not names:
        raise RunError(f"{run}: no match was played yet; resume the run")
    full, given = next(iter(wanted.items()))
    raise RunError(f'{run}: no match "{given}"; {did_you_mean(full, names[-5000:])}')


class MatchFilter(NamedTuple):
    """Which matches are found; None stands for all."""

    bot: str | None = None
    game: str | None = None
    round: int | None = None
    outcome: MatchOutcome | None = None
    """How it ended for the bot, which must be given."""
    faulty: bool = False


class MatchSearch:
    """Reads the matches of a run, and yields those that pass a filter, in the order of the schedule."""

    def __init__(self, run: RunFolder, chosen: MatchFilter) -> None:
        self._run = run
        self.plan = run.schedule()
        """The schedule, which notes what is read."""
        self._chosen = chosen
        self.count = 0
        """How many matches were read so far."""
        self.last_round = 0
        """The round of the last one that was read; 0 if the format has no rounds."""

    def __iter__(self) -> Iterator[FoundMatch]:
        bot, game, number, ended, faulty = self._chosen
        round_of = self.plan.round_of
        for block, records, _ in self._run.blocks(self.plan):
            self.count += len(records)
            where = round_of(block.number)
            self.last_round = where or 0
            for record in records:
                if (
                    game in (None, record.game)
                    and number in (None, where)
                    and (bot is None or bot in record.seats)
                    and (record.faults or not faulty)
                    and (bot is None or ended in (None, outcome(record.seats, record.places, bot)))
                ):
                    yield FoundMatch(record.match, where, record.seats, MatchResult.of(record), record.decisions)


def outcome(seats: Sequence[str], places: Sequence[int], bot: str) -> MatchOutcome:
    """How a match ended for a bot, by the best of its seats: won is first alone, drawn first with others."""
    if min([place for name, place in zip(seats, places, strict=True) if name == bot]) > 1:
        return "lost"
    others = [place for name, place in zip(seats, places, strict=True) if name != bot]
    return "drawn" if 1 in others else "won"


def sort_value(key: SortKey, bot: str | None) -> Callable[[FoundMatch], int]:
    """The function by which matches are sorted, for a bot or for all."""
    if key == "length":
        return lambda match: match.decisions
    number = margin if key == "margin" else fault_count
    return lambda match: number(match, bot)


def margin(match: FoundMatch, bot: str | None) -> int:
    """By how much a bot was ahead of the best other score if it was first, or behind it otherwise.

    Without a bot, by how much the first was ahead. It is negative where a fault put a better score behind.
    """
    result = match.result
    name = match.seats[result.places.index(1)] if bot is None else bot
    own = [score for seat, score in zip(match.seats, result.scores, strict=True) if seat == name]
    others = [score for seat, score in zip(match.seats, result.scores, strict=True) if seat != name]
    ahead = max(own) - max(others, default=max(own))
    return -ahead if outcome(match.seats, result.places, name) == "lost" else ahead


def fault_count(match: FoundMatch, bot: str | None) -> int:
    """How many faults there were in a match, of one bot or of all; being out before it does not count."""
    faults = [fault for fault in match.result.faults if fault.kind != "out"]
    return sum([bot in (None, match.seats[fault.seat]) for fault in faults])


_NO_FAULTS = b'"faults":[]'


class FirstFault(NamedTuple):
    """The first fault of an entrant."""

    run: Path
    match: str
    fault: Fault
    decisions: int
    """How many decisions the match has; the fault's is one more if the bot failed at the end of the match."""


class FirstFaults(dict[str, FirstFault]):
    """By the name of the entrant, the first of its faults in some records."""

    def add(self, run: Path, records: Iterable[Record | RecordedResult]) -> None:
        """Adds those of the next records of a run."""
        for record in records:
            for fault in record.faults:
                name = record.seats[fault.seat]
                if fault.kind != "out" and name not in self:
                    self[name] = FirstFault(run, record.match, fault, record.decisions)


def first_faults(run: Path, names: Collection[str]) -> FirstFaults:
    """The first fault of each of these entrants, who have some, in the order of the schedule."""
    firsts = FirstFaults()
    for record in RECORDS.read(run, wanted=lambda line: not line.endswith(_NO_FAULTS, 0, -TAIL)) if names else ():
        firsts.add(run, [record])
        if firsts.keys() >= set(names):
            break
    return firsts
