"""The events of a league: who was submitted, entered, paused or retired, and which rounds were begun.

The lines of `events.jsonl` are sealed, and only added to. Who adds some has locked the file: so a bot can be submitted
while the league is played, and the block from which it is there is that of a round that nobody has paired yet.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import msgspec

from tourney.base.errors import RunError, cannot_write
from tourney.config.tournament import FieldEvent
from tourney.contracts.match import Count
from tourney.journal.folder import read_lines
from tourney.journal.seals import sealed, unsealed
from tourney.schedule.league import PairedRound

EVENTS = "events.jsonl"
Kind: TypeAlias = Literal["submitted", "checked", "refused", "entered", "paused", "retired", "restored", "round"]
FIELD = ("entered", "paused", "retired", "restored")
"""The events that change who plays."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the file."""

    event: Kind
    block: Count
    """It holds from the round on that begins with this block; of a round: its first block."""
    date: str
    """When it was written; nothing is computed from it."""
    bot: str = ""
    """The name of the entrant, with its version."""
    why: str = ""
    author: str = ""
    table: dict[str, Any] = {}
    """Submitted: the `[[bot]]` table by which it is entered."""
    sha256: str = ""
    """Submitted: the fingerprint of the bot, and the distribution and version of one that is installed."""
    version: str = ""
    blocks: Count = 0
    """Round: how many blocks it has."""
    tables: tuple[tuple[str, ...], ...] = ()
    """Round: who meets, so that readers need not find it out again."""
    twins: tuple[tuple[int, int], ...] = ()
    """Round: by the number of a table of a version before, that of the newer one."""
    undecided: int | None = None
    """Round: how many orders that matter were not known."""


def read_events(league: Path) -> list[Event]:
    """The events of a league; none if the folder is that of another run."""
    if not (league / EVENTS).exists():
        return []
    found = []
    for number, line in enumerate(read_lines(league, EVENTS), 1):
        where = f"{league / EVENTS}, line {number}"
        if (body := unsealed(line.rstrip(b"\n"))) is None:
            raise RunError(f"{where}: was changed after it was written, or is damaged; restore the file")
        try:
            found.append(msgspec.json.decode(body, type=Event))
        except msgspec.DecodeError as error:
            raise RunError(f"{where}: not an event ({error}); restore the file") from None
    return found


def read_rounds(league: Path) -> dict[int, PairedRound]:
    """The rounds of a league that were paired, by their first blocks."""
    rounds = [event for event in read_events(league) if event.event == "round"]
    return {each.block: PairedRound(list(each.tables), dict(each.twins), each.undecided) for each in rounds}


def next_block(events: Sequence[Event]) -> int:
    """The block with which the next round begins that was not paired yet."""
    return next((event.block + event.blocks for event in reversed(events) if event.event == "round"), 0)


def field_events(events: Sequence[Event]) -> tuple[FieldEvent, ...]:
    """What the schedule has to know of the events."""
    return tuple([FieldEvent(each.event, each.bot, each.block) for each in events if each.event in FIELD])  # type: ignore[arg-type]


class EventLog:
    """The events of a league, locked for adding to them."""

    def __init__(self, league: Path) -> None:
        """Waits until nobody else adds any, then reads them and cuts off a torn last line."""
        self._path = league / EVENTS
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_APPEND)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX)
                self.events = read_events(league)
                os.ftruncate(self._file, sum(map(len, read_lines(league, EVENTS))))
            except BaseException:
                os.close(self._file)
                raise
        except FileNotFoundError:
            raise RunError(f"{league}: is no league; `tourney league new` makes one") from None
        except OSError as error:
            raise cannot_write(self._path, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    @property
    def next_block(self) -> int:
        """The block with which the next round begins."""
        return next_block(self.events)

    def add(self, *events: Event) -> None:
        """Adds events, which are on the disk then."""
        data = memoryview(b"".join([sealed(msgspec.json.encode(event)) + b"\n" for event in events]))
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise cannot_write(self._path, error) from None
        self.events += events
