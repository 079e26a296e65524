"""A run for reading: the contents of its folder, each file read on first use, at most once.

If a run is being played, it contains the matches present when its manifest was read: more may arrive faster than they
are read, and a league's may have bots missing in the manifest.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from shlex import quote
from sys import maxsize
from typing import Any, Literal, Self

from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.config import Tournament
from tourney.config.names import base_name
from tourney.contracts.match import Record, RecordedResult
from tourney.journal import events, folder, notes, reader, times
from tourney.journal.kinds import KINDS, Kind, kind_of
from tourney.journal.reader import JournalBlock, Recorded
from tourney.schedule.base import Schedule, schedule


class RunFolder:
    """A run folder, as it was when its manifest was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._end = maxsize  # of the journal, in bytes
        self.until: int | None = None
        """The block from which on nothing of the run is shown; None for all of it."""
        self.merged: Mapping[str, str] = {}
        """The names under which versions are shown, see `by_name`."""
        self._scheduled: Tournament | None = None  # with all versions, if some are merged

    @classmethod
    def find(cls, name: str, kind: str = "run") -> Self:
        """The run in a folder, or with this name under results/; raises a `RunError` if there is none."""
        return cls(folder.find_run(name, kind))

    def at(self, moment: str) -> Self:
        """A league as it was just before an event or at a date, see `events.moment`, also for errors."""
        then = events.moment(self.path, self.require("league").events, moment)
        if not then.block:
            raise RunError(f"{self}: nothing was played before {moment}; give a later event or date")
        earlier = self._before(then.block)
        earlier.events = self.events[: then.events]
        known = self.tournament.events  # without those not yet played
        changes = tuple([each for each in events.field_events(earlier.events) if each in known])
        to_come = {event.bot for event in self.tournament.events if event.event == "entered"}
        to_come -= {event.bot for event in changes}
        entrants = tuple([entrant for entrant in self.tournament.entrants if entrant.name not in to_come])
        earlier.tournament = replace(self.tournament, entrants=entrants, events=changes)
        return earlier

    def by_name(self, *bots: str) -> Self:
        """The run with the versions of these bots, or of all, as one entrant, `karl` for `karl@1` and `karl@2`.

        Names of entrants stand for these alone.
        """
        tournament, names = self.tournament, self.tournament.names
        meant = {name: base_name(name) for name in names if not bots or base_name(name) in {*bots}.difference(names)}
        meant = {name: shown for name, shown in meant.items() if name not in bots}
        if not any([name != shown for name, shown in meant.items()]):
            return self
        entrants = {(name := meant.get(each.name, each.name)): replace(each, name=name) for each in tournament.entrants}
        if (anchor := tournament.anchor) is not None:
            anchor = replace(anchor, bot=meant.get(anchor.bot, anchor.bot))
        whole = copy(self)
        whole.plan, whole.merged, whole._scheduled = self.plan, meant, tournament
        whole.tournament = replace(tournament, entrants=tuple(entrants.values()), anchor=anchor)
        return whole

    def with_bots(self, *bots: str) -> Self:
        """Like `by_name` for some bots; raises a `RunError` if one is not in the run."""
        found = self.by_name(*bots) if bots else self
        for bot in bots:
            check_name("bot", bot, found.tournament.names)
        return found

    def versions(self, bot: str) -> list[str]:
        """The entrant of this name, or all versions of a bot; raises a `RunError` if there are none."""
        names = self.tournament.names
        meant = [name for name in names if name == bot] or [name for name in names if base_name(name) == bot]
        if not meant:
            check_name("bot", bot, names)
        return meant

    def after_round(self, number: int) -> Self:
        """The run as it was when a round had ended; raises a `RunError` if its format has no rounds."""
        plan = self.schedule()
        if plan.round_of(0) is None:
            raise RunError(f"{self.path}: the format {plan.name} has no rounds; show the whole run")
        later = (some.block.number for some in self.results(plan) if (plan.round_of(some.block.number) or 0) > number)
        return self if (block := next(later, None)) is None else self._before(block)

    def _before(self, block: int) -> Self:
        earlier = type(self)(self.path)
        earlier.manifest, earlier._end, earlier.until = self.manifest, self._end, block
        return earlier

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest without its seal; raises a `RunError` if it was changed."""
        with suppress(OSError):  # reported when the journal is read
            self._end = (self.path / folder.JOURNAL).stat().st_size
        return folder.read_manifest(self.path)

    @cached_property
    def kind(self) -> Kind:
        """The kind of run."""
        return kind_of(self.path, self.manifest)

    @cached_property
    def tournament(self) -> Tournament:
        """The manifest's tournament; its bots may be missing, and its folder is unknown."""
        tournament = config.of_manifest(self.manifest)
        voided = [each for each in events.field_events(self.events) if each.blocks and each not in tournament.events]
        return replace(tournament, events=(*tournament.events, *voided)) if voided else tournament  # they count no more

    @cached_property
    def plan(self) -> Schedule:
        """The schedule before the first round, for facts independent of results."""
        return schedule(self.tournament)

    def schedule(self, tournament: Tournament | None = None) -> Schedule:
        """A new schedule for reading the run, or a part of it, which recalls the paired rounds."""
        plan = schedule(tournament or self._scheduled or self.tournament)
        plan.recall(events.rounds(self.events).get if plan.goes_on else partial(reader.seats_from, self.path))
        return plan

    def record(self, match: str) -> Record | None:
        """The record of a match by its full name, without reading others; None if there is none."""
        line = reader.line_of(self.path, match, until=self.until, end=self._end)
        return reader.parse_sealed_record(line, f"{self.path / folder.JOURNAL}, {match}") if line else None

    def twins(self, match: str) -> list[Record]:
        """The records of the other matches of a match's block, the next seating first."""
        lines = reader.lines_of_block(self.path, match, self.until, self._end)[1:]
        return [reader.parse_sealed_record(line, str(self.path / folder.JOURNAL)) for line in lines]

    def records(self, voided: bool = True) -> Iterator[Record]:
        """The journal's records, compared with the schedule; optionally without the voided ones."""
        some = self.blocks(self.schedule())
        return (record for each in some if voided or not each.voided for record in each.records)

    def blocks(self, plan: Schedule) -> Iterator[JournalBlock[Record]]:
        """The journal's blocks, in the order of a schedule, see `reader.read_blocks`."""
        return self._begun(reader.read_blocks(self.path, plan, self.until))

    def results(self, plan: Schedule) -> Iterator[JournalBlock[RecordedResult]]:
        """The blocks of `blocks`, without the actions."""
        return self._begun(reader.read_results(self.path, plan, self.until))

    def _begun(self, blocks: Iterator[JournalBlock[Recorded]]) -> Iterator[JournalBlock[Recorded]]:
        read = 0
        for some in blocks:
            yield self._renamed(some) if self.merged else some
            read += sum(map(len, some.lines))
            if read >= self._end:
                return

    def _renamed(self, some: JournalBlock[Recorded]) -> JournalBlock[Recorded]:
        """A block with the merged names, but in its lines."""
        shown = [tuple([self.merged.get(name, name) for name in seats]) for seats in some.block.seatings]
        records = [replace(record, seats=seats) for record, seats in zip(some.records, shown, strict=False)]
        return some._replace(block=replace(some.block, seatings=tuple(shown)), records=records)

    @cached_property
    def last_line(self) -> bytes:
        """The last complete line of the journal; empty if there is none."""
        return reader.last_line(self.path, end=self._end) if self.manifest else b""

    @cached_property
    def events(self) -> list[events.Event]:
        """The events of a league; none for any other run."""
        if self.kind.name == "league":
            events.require_events(self.path)
        return events.read_events(self.path)

    @cached_property
    def notes(self) -> notes.NotesByBlock:
        """The bots' notes."""
        return notes.NotesByBlock(self.path)

    @cached_property
    def times(self) -> times.Times | None:
        """How long decisions took; None if unknown, or if only a part of the run is shown."""
        return times.load(self.path) if self.until is None else None

    @cached_property
    def standings(self) -> bytes:
        """The standings as JSON, as written; empty if missing or unreadable."""
        try:
            return (self.path / folder.STANDINGS_JSON).read_bytes()
        except OSError:
            return b""

    @property
    def is_ranked(self) -> bool:
        """Whether standings were written: the run is over, or a league's, with its previous standings."""
        return self.until is None and (self.path / folder.STANDINGS_JSON).is_file()

    def require(self, kind: str) -> Self:
        """The run itself; raises a `RunError` if it is of another kind."""
        if self.kind.name != kind:
            asked = KINDS[kind]
            raise RunError(f"{self.path}: not {asked.noun}; create one with `{asked.begun_by or asked.played_by}`")
        return self


def check_name(kind: Literal["bot", "game"], name: str | None, known: Sequence[str]) -> None:
    """Raises a `RunError` for a bot or game that is not in the run."""
    if name is not None and name not in known:
        raise RunError(f'no {kind} "{name}" in this run; {did_you_mean(name, known)}')


def require_kind(kind: str, tournament: Tournament, run: RunFolder, file: Path | None = None) -> None:
    """Raises an error if a folder or a file, meant for a new run of this kind, belongs to another kind."""
    places = [(f"{run}: already contains", run, ", or choose another folder")]
    if file is not None and file.name == folder.TOURNAMENT:
        places.append((f"{file}: belongs to", RunFolder(file.parent), ""))
    for what, where, remedy in places:
        if (where.path / folder.MANIFEST).is_file() and (kind_there := where.kind).name != kind:
            command = kind_there.played_by.replace("PATH", quote(str(where)))
            raise RunError(f"{what} {kind_there.noun}; play it with `{command}`{remedy}")
    for other in KINDS.values():
        if other.format == tournament.format and other.name != kind:
            raise ConfigError(f"{file or run}: describes {other.noun}; create one with `{other.begun_by}`")
