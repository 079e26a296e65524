"""What the bots of a run noted of their decisions: `notes.jsonl` beside its journal, a sealed line a match.

The journal does not know of it. Only matches with notes have a line; the lines stand in the order of the schedule, and
each is written before the record of its match, so that none is lost where a run is killed. What is there without its
record is cut off when the run is resumed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum, inf
from pathlib import Path
from typing import Self

import msgspec

from tourney.base.errors import one_line
from tourney.contracts.wording import pairs_text
from tourney.hosts.notes import Note, NoteTaker
from tourney.journal.folder import NOTES
from tourney.journal.lines import Lines, LinesWriter, line_of
from tourney.journal.reader import place_of
from tourney.journal.tail import JournalTail
from tourney.journal.times import Times
from tourney.standings.ranking import StandingsRow

SHOWN = 300
"""How many letters of a text are shown in a line."""
_CUT = b'"cut":{'
_COST = b'"cost":'


class MatchNotes(msgspec.Struct, frozen=True, omit_defaults=True):
    """The notes of a match."""

    match: str
    """The name of the match."""
    seats: tuple[str, ...] = ()
    """The name of the entrant in each seat."""
    notes: list[tuple[int, int, Note]] = []
    """The decision, counted from 1 over all seats, the seat, and what its bot noted of it."""
    cut: dict[str, int] = {}
    """By the name of the entrant, how many of its notes were cut or left out: too large, or of a wrong shape."""

    @classmethod
    def of(cls, match: str, seats: tuple[str, ...], taken: NoteTaker) -> Self | None:
        """What was taken in a match; None if nothing was noted."""
        if not taken:
            return None
        cut: dict[str, int] = {}
        for seat, count in taken.cut.items():
            if count:
                cut[seats[seat]] = cut.get(seats[seat], 0) + count
        return cls(match, seats, taken.notes, cut)

    def line(self) -> bytes:
        """The notes as a line of the file, with its line end."""
        return line_of(self)

    @property
    def cost(self) -> float:
        """What the decisions of the match cost, in dollars."""
        return fsum([note.get("cost", 0.0) for *_, note in self.notes])  # type: ignore[misc]

    def sum_up(self, totals: dict[tuple[str, str], tuple[int, float]]) -> None:
        """Adds the numbers to those of other matches, see `totals`."""
        for _, seat, note in self.notes:
            for key, value in note.items():
                if not isinstance(value, str):
                    count, total = totals.get((self.seats[seat], key), (0, 0.0))
                    totals[self.seats[seat], key] = count + 1, total + value

    def by_decision(self, seat: int | None = None) -> dict[int, Note]:
        """The notes by the number of their decision: all, or those of one seat alone."""
        return {decision: note for decision, of, note in self.notes if seat in (None, of)}


_NOTES = Lines(NOTES, MatchNotes, "the notes of a match", "restore the file, or remove it")


def read(run: Path) -> Iterator[MatchNotes]:
    """The notes of a run, match by match; none if there is no such file."""
    return _NOTES.read(run)


def of_match(run: Path, match: str) -> MatchNotes:
    """The notes of a match, by its full name."""
    start = f'{{"match":"{match}"'.encode()
    return next(_NOTES.read(run, wanted=lambda line: line.startswith(start)), MatchNotes(match))


def in_words(note: Note, shortened: bool = True) -> str:
    """A note in a line: `value 0.63, depth 4, thought two trumps are left`; nothing in it can steer a terminal."""
    said = {key: f"{value:.4g}" if type(value) is float else value for key, value in note.items()}
    for key, text in said.items() if shortened else ():
        said[key] = f"{text[:SHOWN]} ..." if isinstance(text, str) and len(text) > SHOWN else text
    return one_line(pairs_text(said))


def totals(run: Path) -> dict[tuple[str, str], tuple[int, float]]:
    """By the name of an entrant and that of a numeric note: how many there are in a run, and their sum."""
    totals_of: dict[tuple[str, str], tuple[int, float]] = {}
    for match in read(run):
        match.sum_up(totals_of)
    return totals_of


SECONDS = "seconds"
"""What stands among the notes of a bot for the time that its decisions took."""


class NoteTotal(msgspec.Struct, frozen=True):
    """What a bot has noted of a number in a run; the field names are the keys in JSON and CSV."""

    bot: str
    note: str
    """The name of the note; `seconds` is the time of its decisions, which the run has measured."""
    decisions: int
    mean: float
    sum: float
    per_match: float | None
    """The sum divided by the number of the bot's matches; None before the first."""
    rating_per_dollar: float | None
    """Of `cost`: how far its rating is above that of the weakest bot, divided by `per_match`."""


def summed(
    noted: Mapping[tuple[str, str], tuple[int, float]], times: Times | None, rows: Sequence[StandingsRow]
) -> list[NoteTotal]:
    """What bots have noted by `totals`, with their times, for each match by their rows in the standings."""
    rows_of = dict(noted)
    for name, its in ({} if times is None else times.bots).items():
        counts = [count for (bot, _), (count, _) in noted.items() if bot == name]
        if counts and its.decisions:
            decisions = max(its.decisions, *counts)  # of some bots only a sample of the decisions is measured
            rows_of.setdefault((name, SECONDS), (decisions, its.mean_ns / 1e9 * decisions))
    matches = {row.bot: row.matches for row in rows}
    ratings = {row.bot: row.rating for row in rows if row.rating is not None}
    totals = []
    for (name, note), (count, total) in sorted(rows_of.items()):
        per_match = total / matches[name] if matches.get(name) else None
        worth = None
        if note == "cost" and per_match and name in ratings:
            worth = (ratings[name] - min(ratings.values())) / per_match
        totals.append(NoteTotal(name, note, count, total / count, total, per_match, worth))
    return totals


class NotesByBlock:
    """The notes of a run by the number of their block; of the file, only where its lines are is in memory."""

    def __init__(self, run: Path) -> None:
        """Reads the file once, if there is one."""
        self._file = run / NOTES
        self._lines = JournalTail(run, NOTES)
        if self._file.exists():
            self._lines.read()

    def of(self, block: int) -> dict[str, MatchNotes]:
        """The notes of a block, by the names of its matches."""
        parsed = [_NOTES.parse(line, str(self._file)) for line in self._lines.of_block(block)]
        return {notes.match: notes for notes in parsed}


class NotesWriter(LinesWriter):
    """The file of a run's notes, which is made with the first of them."""

    name = NOTES

    def __init__(self, run: Path) -> None:
        super().__init__(run, opens=False)
        self.cost = 0.0
        """What the decisions of all lines cost, in dollars."""
        self.cut: Counter[str] = Counter()
        """By the name of the entrant, how many notes were cut or left out."""

    def resume(self, block: int, matches: int) -> None:
        """Cuts off what is of no match of the journal, which ends with so many matches of a block."""
        size = 0
        for line in _NOTES.raw(self.folder):
            if (place_of(line) or (inf,)) >= (block, matches):
                break
            size += len(line)
            self._count(line)
        if self.path.exists():
            self.truncate(size)

    def append(self, lines: bytes) -> None:
        """Writes lines to the end of the file."""
        if lines:
            super().append(lines)
            self._count(lines)

    def _count(self, lines: bytes) -> None:
        for line in lines.splitlines(keepends=True) if _COST in lines or _CUT in lines else ():
            if _COST in line or _CUT in line:
                noted = _NOTES.parse(line, str(self.path))
                self.cost += noted.cost
                self.cut.update(noted.cut)
