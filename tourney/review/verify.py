"""Verification of a run: each record is compared with the schedule and replayed by the rules of its game.

What a record says by itself is examined block by block, here or by worker processes. What depends on the records before
it is judged in the order of the journal, so it is all the same how many workers there are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import GameError, RunError, TourneyError, one_line
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, Match, Record
from tourney.hosts.base import BotHost
from tourney.journal.folder import JOURNAL
from tourney.journal.reader import BUFFER, identity_difference, parse_record, read_lines
from tourney.plugins.registry import load_game
from tourney.review.recheck import Difference, recheck
from tourney.runner.disqualification import FaultTally
from tourney.schedule.base import Schedule, schedule
from tourney.table.replay import check, in_time

if TYPE_CHECKING:
    from tourney.runner.pool.ordered import OrderedPool
    from tourney.runner.pool.worker import Player


class BlockLines(NamedTuple):
    """Consecutive lines of a journal: those of a block, or one of which the match is not known."""

    first: int
    """The number of the first of them, from 1."""
    spans: Sequence[tuple[int, int]]
    """Where each line begins in the journal, and its length, in bytes."""
    block: Block | None
    """The block that the schedule has in their place; the last one of a journal may have fewer lines than matches."""


class VerifiedLine(msgspec.Struct, frozen=True, array_like=True):
    """What was found about a line of the journal."""

    number: int
    """The number of the line, from 1."""
    end: int
    """Where the line ends in the journal, in bytes."""
    match: str = ""
    """The name of the match; empty if it is not known."""
    problem: str | None = None
    """The first thing that does not hold, or None."""
    seats: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()
    decisions: int = 0
    """How many decisions the match has."""
    differences: tuple[Difference | None, ...] | None = None
    """For each seat the first decision that its bot does not make again; None if the bots were not asked."""
    failure: tuple[str, str] | None = None
    """The message and the name of the game, if its code took too long: the end of the verification."""

    def __str__(self) -> str:
        if self.match:
            return f"match {self.match} (line {self.number}): {self.problem}"
        return f"line {self.number}: {self.problem}"


Examine: TypeAlias = Callable[[Iterator[BlockLines]], Iterator["tuple[BlockLines, list[VerifiedLine]] | None"]]
"""Examines lines, and yields them in order with what was found; None now and then while nothing is ready."""


class Verification:
    """Examines each line by itself, here or in the workers of a pool; there it can ask the bots again as well."""

    def __init__(self, run: Path, tournament: Tournament, bots: bool = False) -> None:
        self.asks_bots = bots
        self._path = run / JOURNAL
        self._tournament = tournament
        self._file: IO[bytes] | None = None  # opened by who examines the first line
        self._schedule: Schedule | None = None

    def close(self) -> None:
        """Closes the journal."""
        if self._file is not None:
            self._file.close()

    def perform(self, item: BlockLines, makers: Mapping[str, BotHost], player: "Player") -> bytes:
        """Returns what was found about each of the lines, as lines."""
        return b"".join([msgspec.json.encode(line) + b"\n" for line in self.examine(item, makers, player)])

    def game_error(self, item: BlockLines, why: str) -> GameError:
        """Returns the error of a game that does not return while lines are examined."""
        last = item.first + len(item.spans) - 1
        lines = f"line {last}" if last == item.first else f"lines {item.first} to {last}"
        game = "" if item.block is None else item.block.setup.game
        return GameError(f'game "{game}" does not end while {lines} of the journal are replayed: {why}', game)

    def examine(
        self, item: BlockLines, makers: Mapping[str, BotHost] | None = None, player: "Player | None" = None
    ) -> Iterator[VerifiedLine]:
        """Yields what is found about each of the lines by itself; after a game that took too long, only that."""
        matches: Sequence[Match | None] = [None] if item.block is None else item.block.matches()
        failure = None
        for number, ((start, size), match) in enumerate(zip(item.spans, matches, strict=False), item.first):
            found = VerifiedLine(number, start + size, failure=failure)
            if failure is None:
                if player is not None:
                    player.report_alive()
                try:
                    found = self._examined(found, self._read(start, size), match, makers, player)
                except GameError as error:
                    failure = one_line(str(error)), error.game
                    found = VerifiedLine(number, start + size, failure=failure)
            yield found

    def _read(self, start: int, size: int) -> bytes:
        if self._file is None:
            self._file = self._path.open("rb", BUFFER)
        self._file.seek(start)
        return self._file.read(size)

    def _examined(
        self,
        found: VerifiedLine,
        line: bytes,
        match: Match | None,
        makers: Mapping[str, BotHost] | None,
        player: "Player | None",
    ) -> VerifiedLine:
        """Returns what is found about a line."""
        difference, record = _difference(line, match, self._tournament.replay_s)
        name = match.id if match is not None else "" if record is None else one_line(record.match)
        if difference is not None or record is None:
            return VerifiedLine(found.number, found.end, name, one_line(difference or ""))
        differences = None
        if makers and player is not None and set(record.seats) <= set(self._tournament.names):
            hosts = [makers.get(name) for name in record.seats]  # none for a person
            names = self._block_names(record) if match is None else match.names
            differences = tuple(recheck(record, load_game(record.game), hosts, names, player.play))
        decisions = record.actions.count(" ") + 1
        return VerifiedLine(
            found.number, found.end, name, None, record.seats, record.places, record.faults, decisions, differences
        )

    def _block_names(self, record: Record) -> tuple[str, ...]:
        if self._schedule is None:
            self._schedule = schedule(self._tournament)
        return self._schedule.block_names(record.seats)


def here(verification: Verification) -> Examine:
    """Returns what examines lines in this process, without bots."""

    def examine(items: Iterator[BlockLines]) -> Iterator[tuple[BlockLines, list[VerifiedLine]] | None]:
        for item in items:
            yield item, list(verification.examine(item))

    return examine


def in_workers(pool: "OrderedPool") -> Examine:
    """Returns what examines lines in the workers of a pool whose performer is a `Verification`."""
    decoder = msgspec.json.Decoder(VerifiedLine)

    def examine(items: Iterator[BlockLines]) -> Iterator[tuple[BlockLines, list[VerifiedLine]] | None]:
        for played in pool.play(items):
            if played is None:
                yield None
                continue
            found = map(decoder.decode, played.lines.splitlines())
            for item in played.blocks:
                yield item, list(islice(found, len(item.spans)))

    return examine


def verified(run: Path, plan: Schedule, examine: Examine) -> Iterator[VerifiedLine | None]:
    """Verifies each line of a run's journal.

    If a round depends on a record that does not hold, it is unknown who should have met in it. Its records are then
    verified by the rules alone.
    """
    lines = _JournalLines(run)
    count = 0
    for found in _scheduled(lines, plan, examine):
        count += found is not None
        yield found
    most = count if plan.is_over(count) else plan.most_matches
    for each in examine(lines.alone(most)):
        if each is None:
            yield None
        else:
            yield from map(_unless_failed, each[1])
    for item in lines.alone():
        ((start, size),) = item.spans
        yield VerifiedLine(item.first, start + size, problem="the schedule has no more matches")
    if lines.error is not None:
        raise lines.error


def _scheduled(lines: "_JournalLines", plan: Schedule, examine: Examine) -> Iterator[VerifiedLine | None]:
    """Verifies the rounds up to the first one after which the next cannot be made."""
    tally = FaultTally()
    sound = True
    for blocks in plan.rounds():
        for each in examine(lines.of_blocks(blocks)):
            if each is None:
                yield None
                continue
            item, found = each
            assert item.block is not None
            held = []
            for examined in map(_unless_failed, found):
                # after a record that does not hold, the number of faults of each entrant is unknown
                line = _judged(examined, tally) if sound else examined
                yield line
                if line.problem is None:
                    plan.note(item.block.number, line.seats, line.places)
                    held.append(line)
                else:
                    sound = False
            for line in held:
                tally.add(line.seats, line.faults)
        if lines.ended or (plan.adapts and not sound):
            return


def _unless_failed(line: VerifiedLine) -> VerifiedLine:
    """Returns the line; raises a `GameError` if the code of its game took too long."""
    if line.failure is not None:
        raise GameError(*line.failure)
    return line


def _judged(line: VerifiedLine, tally: FaultTally) -> VerifiedLine:
    """Returns the line, with the first disqualification as its problem that the faults before do not justify."""
    for fault in line.faults:
        name = line.seats[fault.seat]
        reasons = tally.of[name].reasons()
        if fault.kind == "out" and fault.detail not in reasons:
            charged = reasons[0].removeprefix("after ")
            problem = f"faults: {name} is out {fault.detail}, but it had been charged {charged}"
            return msgspec.structs.replace(line, problem=problem)
    return line


def _difference(line: bytes, match: Match | None, replay_s: float) -> tuple[str | None, Record | None]:
    """Returns the first thing that does not hold about a line by itself, or None; and its record, if it is one."""
    record = None
    try:
        record = parse_record(line, "")
        difference = None if match is None else identity_difference(record, match)
        if difference is None:
            with in_time(record, replay_s):
                check(record, load_game(record.game))
            if record.line() != line:
                difference = "does not read as it was written (spaces, or the order of the keys)"
    except GameError:
        raise
    except TourneyError as error:
        difference = str(error)
    return difference, record


class _JournalLines:
    """The lines of a journal, given out in order; none is kept in memory."""

    def __init__(self, run: Path) -> None:
        self._lines = read_lines(run)
        self._number = 1  # of the next line
        self._offset = 0  # where it begins
        self.ended = False
        """Whether it was tried to read beyond the last line."""
        self.error: RunError | None = None
        """Why there are no more lines, if the journal cannot be read to its end."""

    def of_blocks(self, blocks: Iterator[Block]) -> Iterator[BlockLines]:
        """Gives out the lines of each block, until there are no more of either."""
        for block in blocks:
            if item := self._take(len(block.seatings), block):
                yield item
            if self.ended:
                return

    def alone(self, last: int | None = None) -> Iterator[BlockLines]:
        """Gives out each line alone, up to that one if it is given."""
        while last is None or self._number <= last:
            item = self._take(1, None)
            if item is None:
                return
            yield item

    def _take(self, count: int, block: Block | None) -> BlockLines | None:
        first = self._number
        spans: list[tuple[int, int]] = []
        while len(spans) < count and (size := self._next_size()):
            spans.append((self._offset, size))
            self._offset += size
            self._number += 1
        return BlockLines(first, spans, block) if spans else None

    def _next_size(self) -> int:
        """Returns the length of the next line, which is then read; 0 if there is none."""
        if not self.ended:
            try:
                return len(next(self._lines))
            except StopIteration:
                pass
            except RunError as error:
                self.error = error
            self.ended = True
        return 0
