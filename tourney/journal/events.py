"""The events of a league: who was submitted, entered, paused or retired, and which rounds were begun.

The lines of `events.jsonl` are sealed, and only added to. Who adds some has locked the file: so a bot can be submitted
while the league is played, and the block from which it is there is that of a round that nobody has paired yet.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import RunError, did_you_mean
from tourney.config.tournament import FieldEvent
from tourney.contracts.match import Count
from tourney.journal.kinds import EVENTS
from tourney.journal.lines import Lines, LinesWriter
from tourney.schedule.league import PairedRound, base_name

DATE = "%Y-%m-%dT%H:%M:%SZ"
"""The form of dates, which are in UTC."""
_DATE = re.compile(r"\d{4}-\d")
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

    def __str__(self) -> str:
        return f"{self.event}:{self.bot}"


_EVENTS = Lines(EVENTS, Event, "an event", "restore the file")


def read_events(league: Path) -> list[Event]:
    """The events of a league; none if the folder is that of another run."""
    return list(_EVENTS.read(league))


def rounds(events: Sequence[Event]) -> dict[int, PairedRound]:
    """The rounds of a league that were paired, by their first blocks."""
    paired = [event for event in events if event.event == "round"]
    return {each.block: PairedRound(list(each.tables), dict(each.twins), each.undecided) for each in paired}


def next_block(events: Sequence[Event]) -> int:
    """The block with which the next round begins that was not paired yet."""
    return next((event.block + event.blocks for event in reversed(events) if event.event == "round"), 0)


def field_events(events: Sequence[Event]) -> tuple[FieldEvent, ...]:
    """What the schedule has to know of the events."""
    return tuple([FieldEvent(each.event, each.bot, each.block) for each in events if each.event in FIELD])  # type: ignore[arg-type]


class EventLog(LinesWriter):
    """The events of a league, locked for adding to them, once nobody else adds any; a torn last line is cut off."""

    name = EVENTS
    waits = True

    def _begin(self) -> None:
        self.truncate()
        self.events = list(_EVENTS.read(self.folder, lines=self.lines()))

    @property
    def next_block(self) -> int:
        """The block with which the next round begins."""
        return next_block(self.events)

    def add(self, *events: Event) -> None:
        """Adds events, which are on the disk then."""
        super().add(*events)
        self.sync()
        self.events += events


class Snapshot(NamedTuple):
    """A moment in the life of a league."""

    block: int
    """What was played then: all blocks before this one."""
    events: int
    """How many events there were by then."""


def moment(league: Path, events: Sequence[Event], at: str) -> Snapshot:
    """The moment before an event, or at a date.

    An event is KIND:NAME, NAME for the entering of a version (without one, the latest), or the number of its line in
    the file. At a date, which without a time is the first moment of the day in UTC, a round that was being played then
    counts as played.

    Raises:
        RunError: There is no such event or date.
    """
    if (date := _date(at)) is not None:
        there = sum([event.date <= date for event in events])
        if not there:
            raise RunError(f"{league}: began after {at}, at {events[0].date}" if events else f"{league}: has no events")
        later = [event.block for event in events[there:] if event.event == "round"]
        return Snapshot(later[0] if later else next_block(events), there)
    if at.isdecimal() and len(at) < 10:
        if not 1 <= int(at) <= len(events):
            raise RunError(f"{league / EVENTS}: has no line {at}; the last one is {len(events)}")
        return _before(events, int(at) - 1)
    numbers = {}
    for number, event in enumerate(events):
        if event.bot:
            numbers[str(event)] = number
            if event.event == "entered":
                numbers[event.bot] = numbers[base_name(event.bot)] = number
    if at not in numbers:
        remedy = did_you_mean(at, numbers)
        raise RunError(f'{league}: no event "{at}", nor a date such as 2026-11-26T12:00; {remedy}')
    return _before(events, numbers[at])


def _before(events: Sequence[Event], number: int) -> Snapshot:
    return Snapshot(events[number].block, number)


def _date(text: str) -> str | None:
    """A date as events have it; None if the text is not like one."""
    if not _DATE.match(text):
        return None
    try:
        date = datetime.fromisoformat(text)
    except ValueError as error:
        raise RunError(f"{text}: not a date ({error}); write it as in 2026-11-26 or 2026-11-26T12:00") from None
    return (date if date.tzinfo is None else date.astimezone(UTC)).strftime(DATE)
