"""The events of a league: submitted, entered, paused and retired bots, and started rounds.

The lines of `events.jsonl` are sealed and append-only. Writers lock the file, so bots can be submitted while the
league is played; they enter with a round that is not paired yet.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base import files as regular_files
from tourney.base.errors import RunError, WriteError, did_you_mean
from tourney.config.names import base_name
from tourney.config.tournament import FieldEvent
from tourney.contracts.match import Count
from tourney.journal.kinds import EVENTS
from tourney.journal.lines import Lines, LinesWriter

if TYPE_CHECKING:
    from tourney.schedule.league import PairedRound

BOTS = "bots"
"""The league's folder of submissions: a folder NAME@VERSION for each, .NAME@VERSION while it is checked."""
DATE = "%Y-%m-%dT%H:%M:%SZ"
"""The form of dates, which are in UTC."""
_DATE = re.compile(r"\d{4}-\d")
Kind: TypeAlias = Literal[
    "submitted", "checked", "refused", "entered", "paused", "retired", "restored", "round", "voided", "closed",
]  # fmt: skip
FIELD = ("entered", "paused", "retired", "restored")
"""The events that change who plays."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file."""

    event: Kind
    block: Count
    """Applies from the round starting with this block; for a round: its first block."""
    date: str
    """When it was written, for display only."""
    bot: str = ""
    """The entrant's name with its version."""
    why: str = ""
    author: str = ""
    table: dict[str, Any] = {}
    """Submitted: its `[[bot]]` table."""
    sha256: str = ""
    """Submitted: the bot's fingerprint, or the distribution and version if it is installed; closed: its seed's hash."""
    version: str = ""
    blocks: Count = 0
    """Round: the number of blocks."""
    tables: tuple[tuple[str, ...], ...] = ()
    """Round: who meets, so readers need not recompute it; voided: the sorted bots of each block."""
    voided: tuple[Count, ...] = ()
    """Voided: the blocks that count no more."""
    until: str = ""
    """Closed: the last moment of submissions."""
    twins: tuple[tuple[int, int], ...] = ()
    """Round: the newer version's table, keyed by the previous version's."""
    undecided: int | None = None
    """Round: the number of undecided orders that matter."""

    def __str__(self) -> str:
        return f"{self.event}:{self.bot}"


_EVENTS = Lines(EVENTS, Event, "an event", "restore the file from a backup")


def read_events(league: Path) -> list[Event]:
    """The events of a league; none for any other run."""
    return list(_EVENTS.read(league))


def require_events(league: Path) -> None:
    """Raises a `RunError` if the file of a league's events is missing."""
    if not (league / EVENTS).exists():
        raise RunError(f"{league / EVENTS}: missing; restore the file from a backup")


def rounds(events: Sequence[Event]) -> dict[int, "PairedRound"]:
    """The paired rounds of a league, keyed by their first block."""
    from tourney.schedule.league import PairedRound  # noqa: PLC0415 - brings many modules, and few runs are leagues

    paired = [event for event in events if event.event == "round"]
    return {each.block: PairedRound(list(each.tables), dict(each.twins), each.undecided) for each in paired}


def next_block(events: Sequence[Event]) -> int:
    """The first block of the next unpaired round."""
    return next((event.block + event.blocks for event in reversed(events) if event.event == "round"), 0)


def field_events(events: Sequence[Event]) -> tuple[FieldEvent, ...]:
    """The events that affect the schedule."""
    authors = {f"entered:{each.bot}": each.author for each in events if each.event == "submitted"}
    changes = [each for each in events if each.event in (*FIELD, "voided")]
    return tuple([
        FieldEvent(each.event, each.bot, each.block, authors.get(str(each), ""), each.voided, each.tables)  # type: ignore[arg-type]
        for each in changes
    ])  # fmt: skip


class EventLog(LinesWriter):
    """The events of a league, locked for appending after waiting for other writers; a torn last line is cut off."""

    name = EVENTS
    waits = True

    def __init__(self, league: Path) -> None:
        require_events(league)
        super().__init__(league)

    def _begin(self) -> None:
        self.truncate()
        self.events = list(_EVENTS.read(self.folder, lines=self.lines()))
        from shutil import rmtree  # noqa: PLC0415 - brings three ways of compression

        submitted = {event.bot for event in self.events}
        for path in (self.folder / BOTS).glob("*@*"):
            if path.name not in submitted and not _in_use(path):  # its submission was killed
                rmtree(path, ignore_errors=True)

    @property
    def next_block(self) -> int:
        """The first block of the next round."""
        return next_block(self.events)

    def add(self, *events: Event) -> None:
        """Adds events and syncs them to disk: all of them, or none after an error."""
        size = os.fstat(self._opened()).st_size
        try:
            super().add(*events)
            self.sync()
        except WriteError:
            with suppress(WriteError):  # the first error has the cause
                self.truncate(size)
            raise
        self.events += events


def _in_use(folder: Path) -> bool:
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            return regular_files.is_locked(opened)
        finally:
            os.close(opened)
    except OSError:  # it cannot be known
        return True


class Snapshot(NamedTuple):
    """A point in a league's history."""

    block: int
    """All blocks before this one had been played."""
    events: int
    """How many events there had been."""


def moment(league: Path, events: Sequence[Event], at: str) -> Snapshot:
    """The moment before an event, or at a date.

    An event is KIND:NAME, NAME (its entering; without a version, the latest version), or its line number in the
    file. A date without a time means the end of that day, UTC. A round in progress at a date counts as played.

    Raises:
        RunError: There is no such event or date.
    """
    if (date := _date(at)) is not None:
        count = sum([event.date <= date for event in events])
        if not count:
            created = f"created after {at}, at {events[0].date}; give a later date" if events else "no events"
            raise RunError(f"{league}: {created}")
        later = [event.block for event in events[count:] if event.event == "round"]
        return Snapshot(later[0] if later else next_block(events), count)
    if at.isdecimal() and len(at) < 10:
        if not 1 <= int(at) <= len(events):
            raise RunError(f"{league / EVENTS}: no line {at}; the last is {len(events)}")
        return Snapshot(events[int(at) - 1].block, int(at) - 1)
    numbers = {}
    for number, event in enumerate(events):
        if event.bot:
            numbers[str(event)] = number
            if event.event == "entered":
                numbers[event.bot] = numbers[base_name(event.bot)] = number
    if at not in numbers:
        remedy = did_you_mean(at, numbers)
        raise RunError(f'{league}: no event "{at}", nor is it a date such as 2026-11-26T12:00; {remedy}')
    return Snapshot(events[numbers[at]].block, numbers[at])


def date_of(text: str) -> str:
    """A date in the events' format, of a day its last second; raises a `RunError` for anything else."""
    if (date := _date(text)) is None:
        raise RunError(f"{text}: not a date; for example 2026-11-26 or 2026-11-26T12:00")
    return date


def _date(text: str) -> str | None:
    if not _DATE.match(text):
        return None
    try:
        date = datetime.fromisoformat(text)
        if len(text) <= len("2026-11-26"):
            date = date.replace(hour=23, minute=59, second=59)
    except ValueError as error:
        raise RunError(f"{text}: invalid date ({error}); for example 2026-11-26 or 2026-11-26T12:00") from None
    return (date if date.tzinfo is None else date.astimezone(UTC)).strftime(DATE)
