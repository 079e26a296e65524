"""A run that is read: what its folder holds, each file read when it is first asked for, and at most once.

Of a run that is being played these are the matches that were there when its manifest was read: more may come faster
than they are read, and in a league they can be of bots that the manifest does not have.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from shlex import quote
from sys import maxsize
from typing import Any, Self

from tourney import config
from tourney.base.errors import ConfigError, RunError
from tourney.config import Tournament
from tourney.contracts.match import Record, RecordedResult
from tourney.journal import events, folder, notes, reader, times
from tourney.journal.kinds import KINDS, Kind, kind_of
from tourney.journal.reader import JournalBlock, Recorded
from tourney.schedule.base import Schedule, schedule


class RunFolder:
    """The folder of a run, as it was when its manifest was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._end = maxsize  # of the journal, in bytes

    @classmethod
    def find(cls, name: str) -> Self:
        """The run in a folder, or of this name under results/; raises a `RunError` if there is none."""
        return cls(folder.find_run(name))

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest without its seal; raises a `RunError` if it was changed."""
        with suppress(OSError):  # said when the journal is read
            self._end = (self.path / folder.JOURNAL).stat().st_size
        return folder.read_manifest(self.path)

    @cached_property
    def kind(self) -> Kind:
        """What kind of run it is."""
        return kind_of(self.path, self.manifest)

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament of the manifest; its bots need not be there, and its folder is not known."""
        return config.of_manifest(self.manifest)

    @cached_property
    def plan(self) -> Schedule:
        """The schedule before the first round, for what no result changes."""
        return schedule(self.tournament)

    def schedule(self, tournament: Tournament | None = None) -> Schedule:
        """A new schedule, or that of a part, to be read with; of a league, it knows the rounds that were paired."""
        plan = schedule(tournament or self.tournament)
        if plan.goes_on:
            plan.recall(events.rounds(self.events))
        return plan

    def records(self) -> Iterator[Record]:
        """The records of the journal, compared with the schedule."""
        return (record for some in self.blocks(self.schedule()) for record in some.records)

    def blocks(self, plan: Schedule) -> Iterator[JournalBlock[Record]]:
        """The blocks that the journal has begun, in the order of a schedule, see `reader.read_blocks`."""
        return self._begun(reader.read_blocks(self.path, plan))

    def results(self, plan: Schedule, until: int | None = None) -> Iterator[JournalBlock[RecordedResult]]:
        """The blocks as `blocks` yields them, without the actions, and none from `until` on."""
        return self._begun(reader.read_results(self.path, plan, until))

    def _begun(self, blocks: Iterator[JournalBlock[Recorded]]) -> Iterator[JournalBlock[Recorded]]:
        read = 0
        for some in blocks:
            yield some
            read += sum(map(len, some.lines))
            if read >= self._end:
                return

    @cached_property
    def last_line(self) -> bytes:
        """The last complete line of the journal; empty if there is none."""
        return reader.last_line(self.path, end=self._end) if self.manifest else b""

    @cached_property
    def events(self) -> list[events.Event]:
        """The events of a league; none of another run."""
        return events.read_events(self.path)

    @cached_property
    def notes(self) -> notes.NotesByBlock:
        """What its bots have noted."""
        return notes.NotesByBlock(self.path)

    @cached_property
    def times(self) -> times.Times | None:
        """How long decisions took; None if the run does not say it."""
        return times.load(self.path)

    @cached_property
    def standings(self) -> bytes:
        """Its standings as JSON, as they were written; empty if they were not, or cannot be read."""
        try:
            return (self.path / folder.STANDINGS_JSON).read_bytes()
        except OSError:
            return b""

    @property
    def is_ranked(self) -> bool:
        """Whether its standings were written: it is over, or of a league, they are those of before."""
        return (self.path / folder.STANDINGS_JSON).is_file()

    def require(self, kind: str) -> Self:
        """The run itself; raises a `RunError` if it is of another kind."""
        if self.kind.name != kind:
            asked = KINDS[kind]
            raise RunError(f"{self.path}: not {asked.noun}; `{asked.begun_by or asked.played_by}` makes one")
        return self

    def why_secret(self) -> str | None:
        """Why the seeds of the run are to be told to nobody: others still play its deals; None if nobody does."""
        if self.plan.goes_on:
            return "is a league, which goes on, so that its seeds stay secret"
        if self.tournament.salts:
            return "was extended and can be again, so that its seeds stay secret"
        return None if self.is_ranked else "is not over, so that its seeds are still secret"


def require_kind(kind: str, tournament: Tournament, run: RunFolder, file: Path | None = None) -> None:
    """Raises an error if a folder or a file, from which a run of this kind is to be played, is that of another kind."""
    places = [(f"{run}: holds", run, ", or use another folder")]
    if file is not None and file.name == folder.TOURNAMENT:
        places.append((f"{file}: belongs to", RunFolder(file.parent), ""))
    for what, where, remedy in places:
        if (where.path / folder.MANIFEST).is_file() and (kind_there := where.kind).name != kind:
            command = kind_there.played_by.replace("PATH", quote(str(where)))
            raise RunError(f"{what} {kind_there.noun}; play it with `{command}`{remedy}")
    for other in KINDS.values():
        if other.format == tournament.format and other.name != kind:
            raise ConfigError(f"{file or run}: describes {other.noun}; begin one with `{other.begun_by}`")
