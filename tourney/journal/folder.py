"""The folder of a run: what was to be played, the journal of what was played, and how to go on after any end.

    tournament.toml   the tournament file, as given
    manifest.json     the resolved configuration, and which code games and bots are
    journal.jsonl     one record a line, in schedule order
    standings.json    the standings of the finished run
    standings.txt     the same, as a table
    counts.json       what was counted for them
    logs/NAME.txt     what bots in processes of their own wrote to stderr

A line of the journal is whole, or it is the torn last one, which resuming cuts off.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import orjson

from tourney import match_results
from tourney.config import Tournament
from tourney.errors import RunError, WriteError
from tourney.match import Block, Match, Record, is_sealed
from tourney.match_results import Ending, ResultBatch
from tourney.rng import seed_text
from tourney.schedule.base import Schedule

TOURNAMENT = "tournament.toml"
MANIFEST = "manifest.json"
JOURNAL = "journal.jsonl"
STANDINGS_JSON = "standings.json"
STANDINGS_TEXT = "standings.txt"
LOGS = "logs"
NEW = ".new"
"""The end of the name of a file that is being written, and is renamed when it is whole."""

MAX_LINE = 64 * 1024 * 1024
"""A longer line is no record; nothing reads it into memory whole."""

TOGETHER = 200
"""So many matches, or somewhat more, are read from a journal at a time."""
BUFFER = 1 << 17
"""So many bytes of a journal are read at a time; a line is often several thousand."""


def find_run(name: str) -> Path:
    """The folder of a run: a path, or the name of a folder under results/."""
    for path in (Path(name), Path("results") / name):
        if (path / MANIFEST).is_file():
            return path
    if Path(name).exists():
        raise RunError(f"{name}: holds no run (there is no {MANIFEST}); `tourney run` makes one")
    raise RunError(f"{name}: there is no such run, neither here nor under results/")


def create(path: Path, text: str, manifest: dict[str, Any]) -> None:
    """Makes the folder of a new run; a `RunError` if there is something in it already.

    The manifest comes last: a folder without it, which a start left that was stopped half-way, can be used again.
    """
    try:
        if path.exists() and not _is_free(path):
            if (path / MANIFEST).is_file():
                raise RunError(f"{path}: holds a run already; go on with it by --resume, or choose another --out")
            raise RunError(f"{path}: is not an empty folder; choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        (path / JOURNAL).touch()
        (path / TOURNAMENT).write_text(text, encoding="utf-8")
        write_whole(path / MANIFEST, json_text(manifest))
    except (OSError, WriteError) as error:
        reason = str(error) if isinstance(error, WriteError) else _cannot(path, error)
        raise WriteError(f"{reason}, or choose another folder, and run it again") from None


def _is_free(path: Path) -> bool:
    """Whether a run may be made in a folder: it is empty, or a start that was stopped left it like that."""
    if not path.is_dir():
        return False
    found = {file.name for file in path.iterdir()}
    left = {JOURNAL, TOURNAMENT, MANIFEST + NEW}
    return not found or (JOURNAL in found and found <= left and not (path / JOURNAL).stat().st_size)


def logs_folder(path: Path, tournament: Tournament) -> Path:
    """The folder of a run for what bots in processes of their own write to stderr; made, if there are such bots."""
    logs = path / LOGS
    if any([entrant.host != "inline" for entrant in tournament.entrants]):
        try:
            logs.mkdir(exist_ok=True)
        except OSError as error:
            raise WriteError(_cannot(logs, error)) from None
    return logs


def json_text(value: Any) -> bytes:
    """The value as JSON for people: indented, with a line end."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all; a `WriteError` if it cannot be."""
    new = path.with_name(path.name + NEW)
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        with suppress(OSError):  # what there is of it takes room, and is no use
            new.unlink()
        raise WriteError(_cannot(path, error)) from None


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run."""
    file = path / MANIFEST
    try:
        manifest = orjson.loads(file.read_bytes())
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None
    except orjson.JSONDecodeError as error:
        raise RunError(f"{file}: is damaged: {error}; restore it, or run the tournament anew") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("tournament"), dict):
        raise RunError(f"{file}: is not the manifest of a run; restore it, or run the tournament anew")
    return manifest


def manifest_differences(old: Any, new: Any, where: str = "") -> list[str]:
    """What differs between two manifests, a line each: `tournament.deals: 10 became 20`.

    The version of Python and the anchor of the ratings do not count: they change nothing in the journal.
    """
    if where in ("python", "tournament.anchor"):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        below = [manifest_differences(old.get(key), new.get(key), f"{where}.{key}" if where else key) for key in keys]
        return [line for lines in below for line in lines]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        below = [manifest_differences(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(old, new, strict=True))]
        return [line for lines in below for line in lines]
    if old == new:
        return []
    return [f"{where}: {_short(old)} became {_short(new)}"]


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 40 else text[:37] + "..."


class Journal:
    """The journal of a run, open for writing by one process at a time."""

    def __init__(self, path: Path) -> None:
        """Opens the journal at its end; a `RunError` if another process is writing to it."""
        self.path = path / JOURNAL
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise WriteError(_cannot(self.path, error)) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise RunError(f"{path}: another process is writing to this run; wait for it, or stop it") from None

    def resume(self, schedule: Schedule, count: "Callable[[JournalBlocks], None]") -> tuple[int, int]:
        """Checks that the journal is the beginning of this schedule, and cuts off a torn last line.

        Calls `count` with each block that was begun, and adds the records of whole ones to the schedule. Returns how
        many blocks are whole, and how many records of the next one are there.
        """
        whole = size = known = 0
        for begun in in_blocks(self.path.parent, schedule):
            size += sum(map(len, begun.ended.lines))
            count(begun)
            if begun.whole:
                whole += 1
            else:
                known = len(begun.ended.lines)
        self._cut(size)
        return whole, known

    def _cut(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError as error:
            raise WriteError(_cannot(self.path, error)) from None

    def append(self, lines: bytes) -> None:
        """Writes whole lines to the end; a `WriteError` if there is no room, which leaves at most a torn last line."""
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            raise WriteError(_cannot(self.path, error)) from None

    def sync(self) -> None:
        """Waits until what was written is on the disk, and sees that the journal is still in its place."""
        try:
            os.fsync(self._file)
            here, there = os.fstat(self._file), self.path.stat()
        except OSError as error:
            raise WriteError(_cannot(self.path, error)) from None
        if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            raise WriteError(f"{self.path}: cannot be written (another file is in its place); put it back")

    def close(self) -> None:
        """Lets other processes write."""
        os.close(self._file)


class JournalBlocks(NamedTuple):
    """Blocks that a journal has begun, one after the other; all but the last are whole."""

    ended: ResultBatch
    """How their matches ended, with the lines."""
    parsed: Sequence[Record] | None
    """Their records, where the lines had to be parsed whole."""

    @property
    def whole(self) -> bool:
        """Whether no record of the blocks is lacking."""
        return len(self.ended.lines) == sum([len(block.seatings) for block in self.ended.blocks])

    def records(self) -> Sequence[Record]:
        """The records of the lines."""
        return match_results.records(self.ended) if self.parsed is None else self.parsed

    def by_block(self) -> "Iterator[JournalBlocks]":
        """The same, each block apart."""
        if len(self.ended.blocks) == 1:
            yield self
            return
        for ended in self.ended.by_block():
            yield JournalBlocks(ended, None)


def scheduled(path: Path, schedule: Schedule) -> Iterator[JournalBlocks]:
    """The journal of a run against its schedule: the blocks that it has begun, a number of them at a time.

    Only the last block may lack records; what counts of the others is noted in a schedule that rests on it. Raises a
    `RunError` for a record that was changed, or is not the one which the schedule has in that place.
    """
    journal = path / JOURNAL
    lines = _Lines(path)
    usual = match_results.Endings()
    number = 0
    blocks = schedule.blocks_from_journal(lines.seats)
    while ahead := _ahead(blocks, 1 if schedule.adapts else TOGETHER):
        found = lines.take(sum([len(block.seatings) for block in ahead]))
        for begun in _read(usual, ahead, found, journal, number):
            if schedule.adapts and begun.whole:
                for block, seats, ending in begun.ended.matches():
                    schedule.note(block, seats, ending.places)
            yield begun
            if not begun.whole:
                return
        if not found:
            return
        number += len(found)
    if lines.take(1):
        raise RunError(f"{journal}, line {number + 1}: the schedule has no more matches; the journal is damaged")


def in_blocks(path: Path, schedule: Schedule) -> Iterator[JournalBlocks]:
    """As `scheduled`, one block at a time."""
    for begun in scheduled(path, schedule):
        yield from begun.by_block()


def _ahead(blocks: Iterator[Block], matches: int) -> list[Block]:
    """The next blocks, as many as it takes for so many matches; none at the end."""
    found = []
    for block in blocks:
        found.append(block)
        matches -= len(block.seatings)
        if matches <= 0:
            break
    return found


def _read(
    usual: match_results.Endings, blocks: Sequence[Block], lines: Sequence[bytes], journal: Path, number: int
) -> Iterator[JournalBlocks]:
    """The blocks as far as lines were found for them; the first of these is behind so many others."""
    begun, left = 0, len(lines)
    while left > 0:
        left -= len(blocks[begun].seatings)
        begun += 1
    if not begun:
        return
    ended = usual.of(blocks[:begun], lines)
    if ended is not None:
        yield JournalBlocks(ended, None)
        return
    first = 0
    for block in blocks[:begun]:  # one by one, so that those before a damaged one are given
        found = lines[first : first + len(block.seatings)]
        ended = usual.of((block,), found)
        yield JournalBlocks(ended, None) if ended is not None else _parsed(usual, block, found, journal, number + first)
        first += len(found)


def _parsed(
    usual: match_results.Endings, block: Block, lines: Sequence[bytes], journal: Path, number: int
) -> JournalBlocks:
    """The block with its records parsed whole; the first of the lines is behind so many others."""
    found, ended = [], []
    for i, (match, line) in enumerate(zip(block.matches(), lines, strict=False), number + 1):
        where = f"{journal}, line {i}"
        record = parse_line(line, where)
        if difference := identity_difference(record, match):
            raise RunError(f"{where}: {difference}; the journal is damaged or of another tournament")
        found.append(record)
        ended.append(Ending(record.scores, record.places, record.faults))
    return JournalBlocks(usual.noted(block, lines, ended), found)


class _Lines:
    """The lines of a journal, with a look at the next one."""

    def __init__(self, path: Path) -> None:
        self._lines = read_lines(path)
        self._next: bytes | None = None

    def take(self, count: int) -> list[bytes]:
        """So many of the lines, or as many as there are."""
        if self._next is None:
            return list(islice(self._lines, count))
        line, self._next = self._next, None
        return [line, *islice(self._lines, count - 1)]

    def seats(self) -> tuple[str, ...] | None:
        """The seats of the next record, none if it is no record; None at the end."""
        if self._next is None:
            self._next = next(self._lines, None)
        if self._next is None:
            return None
        try:
            return parse_unsealed(self._next, "the line").seats
        except RunError:
            return ()


def records(path: Path, schedule: Schedule) -> Iterator[Record]:
    """The records of a run, checked against its schedule."""
    for begun in scheduled(path, schedule):
        yield from begun.records()


def read_lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a run's journal; a torn last line is left out."""
    file = path / JOURNAL
    number, most = 0, MAX_LINE
    try:
        with file.open("rb", buffering=BUFFER) as lines:
            while (line := lines.readline(most)).endswith(b"\n"):
                number += 1
                yield line
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None
    if len(line) == most:
        raise RunError(f"{file}, line {number + 1}: is longer than any record; the file is damaged, restore it")


def parse_line(line: bytes, where: str) -> Record:
    """The record of a line of the journal; a `RunError` that starts with `where` if it is none, or was changed."""
    record = parse_unsealed(line, where)
    if not is_sealed(line):
        raise RunError(f"{where}: was changed after it was written; restore the file, `tourney verify` says more")
    return record


def parse_unsealed(line: bytes, where: str) -> Record:
    """The record of a line of the journal, whether its seal holds or not."""
    try:
        return msgspec.convert(orjson.loads(line), Record)
    except (orjson.JSONDecodeError, msgspec.ValidationError) as error:
        raise RunError(f"{where}: is no record ({error}); the file is damaged, restore it") from None


def identity_difference(record: Record, match: Match) -> str | None:
    """The first thing in which a record is not of this match; None if it is."""
    pairs = [
        ("match", record.match, match.id),
        ("game", record.game, match.setup.game),
        ("options", record.options, match.setup.options),
        ("block", record.block, match.block),
        ("seed", record.seed, seed_text(match.seed)),
        ("seats", record.seats, match.seats),
    ]
    for key, found, expected in pairs:
        if found != expected:
            return f"{key} is {_short(found)}, the schedule says {_short(expected)}"
    return None


def _cannot(path: Path, error: OSError) -> str:
    return f"{path}: cannot be written ({error.strerror or error}); make room"
