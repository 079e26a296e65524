"""The matches of a run that pass a filter, and the keys for sorting them."""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from tourney.base.errors import RunError, did_you_mean
from tourney.config.names import base_name
from tourney.contracts.match import TAIL, Fault, Record, RecordedResult, match_name
from tourney.journal.reader import RECORDS
from tourney.journal.run import RunFolder
from tourney.schedule.seatings import Group
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
    voided: bool = False


_SHORT_NAME = re.compile(r"(.+)-([0-9]{1,9})-(0|[1-9][0-9]{0,8})")
"""A match name whose block may lack leading zeros."""


def _full_name(match: str) -> str:
    short = _SHORT_NAME.fullmatch(match)
    return match_name(short[1], int(short[2]), int(short[3])) if short else match


def find_records(run: RunFolder, *matches: str) -> list[Record]:
    """The records of some matches of a run in journal order; their names may lack zeros, for example vole-0-0."""
    wanted = {_full_name(match): match for match in matches}
    records = [record for full in wanted if (record := run.record(full)) is not None]
    if missing := wanted.keys() - {record.match for record in records}:
        names = deque((record.match for record in run.records()), maxlen=5000)
        if not names:
            raise RunError(f"{run}: no matches yet; resume the run")
        full = next(each for each in wanted if each in missing)
        raise RunError(f'{run}: no match "{wanted[full]}"; {did_you_mean(full, names)}')
    return sorted(records, key=lambda record: (record.block, int(record.match.rpartition("-")[2])))


def seats_of(record: Record, bot: str | None, seat: int | None) -> list[int]:
    """The seats of a match with this bot and number, or with all; a bot that did not play stands for its versions."""
    seats = record.seats
    own = [i for i, name in enumerate(seats) if bot in (None, name)]
    own = own or [i for i, name in enumerate(seats) if base_name(name) == bot]
    if not own:
        raise RunError(f"match {record.match}: {bot} did not play in it, only {', '.join(seats)}")
    if seat is not None and not 0 <= seat < len(seats):
        raise RunError(f"match {record.match}: seat must be 0 to {len(seats) - 1}, got {seat}")
    return [i for i in own if seat in (None, i)]


def find_blocks(
    run: RunFolder, matches: Sequence[str] = (), fault: str = "", during: Collection[range] = ()
) -> dict[int, Group]:
    """The complete blocks that count, by number, with their sorted entrants.

    A block is found by a match, by a fault of this kind, or by its number in one of these ranges.
    """
    wanted = set(map(_full_name, matches))
    missing, blocks = set(wanted), dict[int, Group]()
    for some in run.results(run.schedule()):
        names, number = {record.match for record in some.records}, some.block.number
        kinds = {each.kind for record in some.records for each in record.faults}
        missing -= names
        is_found = not wanted.isdisjoint(names) or fault in kinds or any([number in each for each in during])
        if is_found and some.complete and not some.voided:
            blocks[number] = tuple(sorted(some.records[0].seats))
    if missing:
        find_records(run, *[match for match in matches if _full_name(match) in missing])  # raises the error
    return blocks


class MatchFilter(NamedTuple):
    """The wanted matches; None means all."""

    bots: Sequence[str] = ()
    """All of them sat in it."""
    game: str | None = None
    round: int | None = None
    outcome: MatchOutcome | None = None
    """How it ended for the first of the bots, which must be given."""
    faulty: bool = False


class MatchSearch:
    """The matches of a run that pass a filter, in schedule order."""

    def __init__(self, run: RunFolder, chosen: MatchFilter) -> None:
        self._run = run
        self.plan = run.schedule()
        self._chosen = chosen
        self.count = 0
        self.last_round = 0
        """The round of the last match read; 0 if the format has no rounds."""

    def __iter__(self) -> Iterator[FoundMatch]:
        bots, game, number, ended, faulty = self._chosen
        round_of = self.plan.round_of
        for block, records, _, voided in self._run.blocks(self.plan):
            self.count += len(records)
            where = round_of(block.number)
            self.last_round = where or 0
            for record in records:
                if (
                    game in (None, record.game)
                    and number in (None, where)
                    and all([bot in record.seats for bot in bots])
                    and (record.faults or not faulty)
                    and (ended is None or ended == outcome(record.seats, record.places, bots[0]))
                ):
                    result = MatchResult.of(record)
                    yield FoundMatch(record.match, where, record.seats, result, record.decisions, voided)


def outcome(seats: Sequence[str], places: Sequence[int], bot: str) -> MatchOutcome:
    """How a match ended for a bot, by its best seat: won is first alone, drawn first with others."""
    if min([place for name, place in zip(seats, places, strict=True) if name == bot]) > 1:
        return "lost"
    others = [place for name, place in zip(seats, places, strict=True) if name != bot]
    return "drawn" if 1 in others else "won"


def sort_value(key: SortKey, bot: str | None) -> Callable[[FoundMatch], int]:
    """The sort key function, for a bot or for all."""
    if key == "length":
        return lambda match: match.decisions
    number = margin if key == "margin" else fault_count
    return lambda match: number(match, bot)


def lead(match: FoundMatch, bot: str | None) -> int:
    """By how much a bot, by default the winner, was ahead of the best other score; negative if it was behind."""
    name = match.seats[match.result.places.index(1)] if bot is None else bot
    own = [score for seat, score in zip(match.seats, match.result.scores, strict=True) if seat == name]
    others = [score for seat, score in zip(match.seats, match.result.scores, strict=True) if seat != name]
    return max(own) - max(others, default=max(own))


def margin(match: FoundMatch, bot: str | None) -> int:
    """By how much a bot, by default the winner, was ahead if it was first, or behind otherwise.

    It is negative if a fault demoted a better score.
    """
    lost = bot is not None and outcome(match.seats, match.result.places, bot) == "lost"
    return -lead(match, bot) if lost else lead(match, bot)


def fault_count(match: FoundMatch, bot: str | None) -> int:
    """How many faults a match has, of one bot or of all, not counting earlier disqualifications."""
    faults = [fault for fault in match.result.faults if fault.kind != "out"]
    return sum([bot in (None, match.seats[fault.seat]) for fault in faults])


_NO_FAULTS = b'"faults":[]'


class FirstFault(NamedTuple):
    """An entrant's first fault."""

    run: Path
    match: str
    fault: Fault
    decisions: int
    """The match's number of decisions; the fault's is one more if the bot failed at the end of the match."""


class FirstFaults(dict[str, FirstFault]):
    """Each entrant's first fault in some records, by name."""

    def add(self, run: Path, records: Iterable[Record | RecordedResult]) -> None:
        """Adds the faults in a run's next records."""
        for record in records:
            for fault in record.faults:
                name = record.seats[fault.seat]
                if fault.kind != "out" and name not in self:
                    self[name] = FirstFault(run, record.match, fault, record.decisions)


def first_faults(run: RunFolder, names: Collection[str]) -> FirstFaults:
    """The first fault that counts of each of these entrants, who have some, in schedule order."""
    firsts = FirstFaults()
    for record in RECORDS.read(run.path, wanted=lambda line: not line.endswith(_NO_FAULTS, 0, -TAIL)) if names else ():
        if record.block not in run.plan.voided:
            firsts.add(run.path, [record])
        if firsts.keys() >= set(names):
            break
    return firsts
