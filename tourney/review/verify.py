"""Verification of a run: each record is compared with the schedule and replayed by the rules of its game.

Workers examine each record by itself; its relation to earlier records is judged here, in order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import GameError, RunError, TourneyError, one_line
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, Match, Record
from tourney.hosts.base import BotHost
from tourney.journal.folder import BUFFER, JOURNAL, read_lines
from tourney.journal.reader import identity_difference, parse_record
from tourney.plugins.registry import load_game
from tourney.review.recheck import Difference, recheck
from tourney.schedule.base import Schedule, schedule
from tourney.schedule.faults import ABSENT, FaultTally
from tourney.table.replay import check, in_time

if TYPE_CHECKING:
    from tourney.runner.pool.ordered import OrderedPool
    from tourney.runner.pool.worker import Player


class BlockLines(NamedTuple):
    """Consecutive lines of a journal: a block's, or one with an unknown match."""

    first: int  # the number of the first line, from 1
    spans: Sequence[tuple[int, int]]  # each line's offset in the journal, and its length, in bytes
    block: Block | None  # the schedule's block; a journal's last one may have fewer lines than matches


class VerifiedLine(msgspec.Struct, frozen=True, array_like=True):
    """The result for a line of the journal."""

    number: int  # from 1
    end: int  # the line's end offset in the journal, in bytes
    match: str = ""  # empty if unknown
    problem: str | None = None  # the first thing wrong with the line, or None
    seats: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()
    decisions: int = 0
    differences: tuple[Difference | None, ...] | None = None  # by seat; None if the bots were not asked

    def __str__(self) -> str:
        line = f"line {self.number}"
        return f"{f'match {self.match} ({line})' if self.match else line}: {self.problem}"


Examined: TypeAlias = Iterator[tuple[BlockLines, list[VerifiedLine]] | None]
"""Lines in order with their results; None occasionally while none is ready."""
Examine: TypeAlias = Callable[[Iterator[BlockLines]], Examined]


class Verification:
    """Examines each line by itself, here or in a pool's workers, where it can also ask the bots again."""

    def __init__(self, run: Path, tournament: Tournament, bots: bool = False) -> None:
        self.asks_bots = bots
        self._path = run / JOURNAL
        self._tournament = tournament
        self._file: IO[bytes] | None = None  # opened for the first line

    def close(self) -> None:
        """Closes the journal."""
        if self._file is not None:
            self._file.close()

    def perform(self, item: BlockLines, makers: Mapping[str, BotHost], player: "Player") -> bytes:
        """The results for the lines, as lines."""
        return b"".join([msgspec.json.encode(line) + b"\n" for line in self.examine(item, makers, player)])

    def game_error(self, item: BlockLines, why: str) -> GameError:
        """The error of a game that does not return while its lines are examined."""
        last = item.first + len(item.spans) - 1
        lines = f"line {last}" if last == item.first else f"lines {item.first} to {last}"
        game = "" if item.block is None else item.block.setup.game
        return GameError(f'game "{game}" does not end while replaying {lines} of the journal: {why}', game)

    def examine(
        self, item: BlockLines, makers: Mapping[str, BotHost] | None = None, player: "Player | None" = None
    ) -> Iterator[VerifiedLine]:
        """Yields the result for each line by itself; a `GameError` if a game takes too long."""
        if self._file is None:
            self._file = self._path.open("rb", BUFFER)
        matches: Sequence[Match | None] = [None] if item.block is None else item.block.matches()
        for number, ((start, size), match) in enumerate(zip(item.spans, matches, strict=False), item.first):
            if player is not None:
                player.report_alive()
            self._file.seek(start)
            line = self._file.read(size)
            yield self._examined(VerifiedLine(number, start + size), line, match, makers, player)

    @cached_property
    def _schedule(self) -> Schedule:
        return schedule(self._tournament)

    def _examined(
        self, verified_line: VerifiedLine, line: bytes, match: Match | None, makers: Mapping[str, BotHost] | None,
        player: "Player | None",
    ) -> VerifiedLine:  # fmt: skip
        difference, record = _difference(line, match, self._tournament.replay_s)
        name = match.id if match is not None else "" if record is None else one_line(record.match)
        if difference is not None or record is None:
            return msgspec.structs.replace(verified_line, match=name, problem=one_line(difference or ""))
        differences = None
        if makers and player is not None and set(record.seats) <= set(self._tournament.names):
            hosts = [makers.get(name) for name in record.seats]  # none for a person
            names = self._schedule.block_names(record.seats) if match is None else match.names
            differences = tuple(recheck(record, load_game(record.game), hosts, names, player.play))
        known = name, None, record.seats, record.places, record.faults, record.decisions, differences
        return VerifiedLine(verified_line.number, verified_line.end, *known)


def here(verification: Verification, items: Iterator[BlockLines]) -> Examined:
    """Examines lines in this process, without bots."""
    for item in items:
        yield item, list(verification.examine(item))


def in_workers(pool: "OrderedPool", items: Iterator[BlockLines]) -> Examined:
    """Examines lines in the workers of a pool whose performer is a `Verification`."""
    decoder = msgspec.json.Decoder(VerifiedLine)
    for played in pool.play(items):
        if played is None:
            yield None
            continue
        examined = map(decoder.decode, played.lines.splitlines())
        for item in played.blocks:
            yield item, list(islice(examined, len(item.spans)))


def verified(run: Path, plan: Schedule, examine: Examine) -> Iterator[VerifiedLine | None]:
    """Verifies each line of a journal; by the rules alone once a round depends on an invalid record."""
    lines = _JournalLines(run)
    count = 0
    for verified_line in _scheduled(lines, plan, examine):
        count += verified_line is not None
        yield verified_line
    most = count if plan.is_over(count) else plan.most_matches
    for each in examine(lines.alone(most)):
        yield from [None] if each is None else each[1]
    for item in lines.alone():
        ((start, size),) = item.spans
        yield VerifiedLine(item.first, start + size, problem="the schedule has no more matches")
    if lines.error is not None:
        raise lines.error


def _scheduled(lines: "_JournalLines", plan: Schedule, examine: Examine) -> Iterator[VerifiedLine | None]:
    tally = FaultTally()
    sound = True
    for blocks in plan.rounds():
        for each in examine(lines.of_blocks(blocks)):
            if each is None:
                yield None
                continue
            item, examined_lines = each
            assert item.block is not None
            valid = []
            for examined in examined_lines:
                # after an invalid record, each entrant's number of faults is unknown
                line = _judged(examined, tally, plan.goes_on) if sound else examined
                yield line
                if line.problem is None:
                    plan.note(item.block.number, line.seats, line.places, line.faults)
                    valid.append(line)
                else:
                    sound = False
            for line in valid:
                tally.add(line.seats, line.faults)
        if lines.ended or (plan.adapts and not sound):
            return


def _judged(line: VerifiedLine, tally: FaultTally, pauses: bool) -> VerifiedLine:
    for fault in line.faults:
        name = line.seats[fault.seat]
        reasons = tally.of[name].reasons()
        if fault.kind == "out" and fault.detail not in ((ABSENT,) if pauses else reasons):
            charged = reasons[0].removeprefix("after ")
            problem = f"faults: {name} disqualified {fault.detail}, but had {charged}"
            return msgspec.structs.replace(line, problem=problem)
    return line


def _difference(line: bytes, match: Match | None, replay_s: float) -> tuple[str | None, Record | None]:
    record = None
    try:
        record = parse_record(line, "")
        difference = None if match is None else identity_difference(record, match)
        if difference is None:
            with in_time(record, replay_s):
                check(record, load_game(record.game))
            if record.line() != line:
                difference = "not in the original form (spaces or key order differ)"
    except GameError:
        raise
    except TourneyError as error:
        difference = str(error)
    return difference, record


class _JournalLines:
    def __init__(self, run: Path) -> None:
        self._lines = read_lines(run)
        self._number = 1  # of the next line
        self._offset = 0  # its offset
        self.ended = False  # whether the last line was passed
        self.error: RunError | None = None  # why the journal cannot be read to its end

    def of_blocks(self, blocks: Iterator[Block]) -> Iterator[BlockLines]:
        for block in blocks:
            if item := self._take(len(block.seatings), block):
                yield item
            if self.ended:
                return

    def alone(self, last: int | None = None) -> Iterator[BlockLines]:
        while (last is None or self._number <= last) and (item := self._take(1, None)):
            yield item

    def _take(self, count: int, block: Block | None) -> BlockLines | None:
        first = self._number
        spans: list[tuple[int, int]] = []
        try:
            for line in islice(self._lines, count):
                spans.append((self._offset, len(line)))
                self._offset += len(line)
        except RunError as error:
            self.error = error
        self._number += len(spans)
        self.ended = len(spans) < count
        return BlockLines(first, spans, block) if spans else None
