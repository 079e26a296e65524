"""Bots' notes on their decisions: `notes.jsonl` in the run's folder, one sealed line per match.

The journal does not depend on it. Only matches with notes have a line; the lines are in schedule order, each written
before its match's record, so no notes are lost if a run is killed. Resuming cuts off lines without a record.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum, inf
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING, Self

import msgspec

from tourney.base.errors import ServiceError, one_line
from tourney.contracts.wording import pairs_text
from tourney.hosts.notes import Note, NoteTaker
from tourney.journal.folder import NOTES
from tourney.journal.lines import Lines, LinesWriter
from tourney.journal.lines import line_of as sealed_line
from tourney.journal.reader import line_of, lines_from, place_of
from tourney.journal.times import Times

if TYPE_CHECKING:
    from tourney.standings.ranking import StandingsRow

SHOWN = 300
"""How many letters of a text a line shows."""
_COUNTED = b'"cut":{', b'"cost":', b'"model":'
"""Lines without any of these are not read while a run is played."""


class MatchNotes(msgspec.Struct, frozen=True, omit_defaults=True):
    """The notes of a match."""

    match: str
    seats: tuple[str, ...] = ()
    """The entrant's name in each seat."""
    notes: list[tuple[int, int, Note]] = []
    """The decision, counted from 1 over all seats, the seat, and the bot's note."""
    cut: dict[str, int] = {}
    """Number of notes cut or left out, too large or malformed, by entrant name."""

    @classmethod
    def of(cls, match: str, seats: tuple[str, ...], taken: NoteTaker) -> Self | None:
        """The notes taken in a match; None if there are none."""
        if not taken:
            return None
        cut: dict[str, int] = {}
        for seat, count in taken.cut.items():
            if count:
                cut[seats[seat]] = cut.get(seats[seat], 0) + count
        return cls(match, seats, taken.notes, cut)

    def line(self) -> bytes:
        """The notes as a line of the file."""
        return sealed_line(self)

    @property
    def cost(self) -> float:
        """The cost of the match's decisions, in dollars."""
        return fsum([note.get("cost", 0.0) for *_, note in self.notes])  # type: ignore[misc]

    def sum_up(self, totals: dict[tuple[str, str], tuple[int, float]]) -> None:
        """Adds the numbers to the `totals` of other matches."""
        for _, seat, note in self.notes:
            for key, value in note.items():
                if not isinstance(value, str):
                    count, total = totals.get((self.seats[seat], key), (0, 0.0))
                    totals[self.seats[seat], key] = count + 1, total + value

    def by_decision(self, seat: int | None = None) -> dict[int, Note]:
        """The notes by decision number: all, or one seat's."""
        return {decision: note for decision, of, note in self.notes if seat in (None, of)}


_NOTES = Lines(NOTES, MatchNotes, "the notes of a match", "restore the file from a backup, or remove it")


def read(run: Path) -> Iterator[MatchNotes]:
    """The notes of a run, match by match; none if there is no such file."""
    return _NOTES.read(run)


def of_match(run: Path, match: str) -> MatchNotes:
    """The notes of a match, by its full name."""
    line = line_of(run, match, NOTES) if (run / NOTES).exists() else b""
    return _NOTES.parse(line, str(run / NOTES)) if line else MatchNotes(match)


def in_words(note: Note, shortened: bool = True) -> str:
    """A note in a line: `value 0.63, depth 4, thought two trumps are left`; safe to print to a terminal."""
    said = {key: f"{value:.4g}" if type(value) is float else value for key, value in note.items()}
    for key, text in said.items() if shortened else ():
        said[key] = f"{text[:SHOWN]} ..." if isinstance(text, str) and len(text) > SHOWN else text
    return one_line(pairs_text(said))


def totals(run: Path) -> dict[tuple[str, str], tuple[int, float]]:
    """The number of values in a run and their sum, by entrant and numeric note."""
    totals_of: dict[tuple[str, str], tuple[int, float]] = {}
    for match in read(run):
        match.sum_up(totals_of)
    return totals_of


SECONDS = "seconds"
"""The name under which a bot's decision times appear among its notes."""
AMOUNTS = ("attempts", "cost", SECONDS, "tokens_in", "tokens_out")
"""The notes that are summed; all others, such as `depth`, are only averaged."""


class NoteTotal(msgspec.Struct, frozen=True):
    """One numeric note of a bot over a run; the field names are the keys in JSON and CSV."""

    bot: str
    note: str
    """The note's name; `seconds` is the decision time, measured by the run."""
    decisions: int
    mean: float
    sum: float | None
    """None for notes that are not amounts; see `AMOUNTS`."""
    per_match: float | None
    """The sum divided by the number of the bot's matches; None before the first, and without a sum."""
    rating_per_dollar: float | None
    """For `cost`: its rating above the weakest bot's, divided by `per_match`."""


def summed(
    noted: Mapping[tuple[str, str], tuple[int, float]], times: Times | None, rows: Sequence["StandingsRow"]
) -> list[NoteTotal]:
    """Bots' `totals` with their times, per match by their standings rows."""
    rows_of = dict(noted)
    for name, its in ({} if times is None else times.bots).items():
        counts = [count for (bot, _), (count, _) in noted.items() if bot == name]
        if counts and its.decisions:
            decisions = max(its.decisions, *counts)  # some bots are measured on a sample of their decisions
            rows_of.setdefault((name, SECONDS), (decisions, its.mean_ns / 1e9 * decisions))
    matches = {row.bot: row.matches for row in rows}
    ratings = {row.bot: row.rating for row in rows if row.rating is not None}
    totals = []
    for (name, note), (count, total) in sorted(rows_of.items()):
        per_match = total / matches[name] if note in AMOUNTS and matches.get(name) else None
        worth = None
        if note == "cost" and per_match and name in ratings:
            worth = (ratings[name] - min(ratings.values())) / per_match
        whole = total if note in AMOUNTS else None
        totals.append(NoteTotal(name, note, count, total / count, whole, per_match, worth))
    return totals


def costs(lines: Iterable[bytes]) -> list[float]:
    """The cost of each match in dollars, by its line; an empty line is a match without notes."""
    return [_NOTES.parse(line, NOTES).cost if line else 0.0 for line in lines]


class Remarks:
    """What notes tell about the services that bots ask: models that change behind their names, and unknown costs."""

    def __init__(self) -> None:
        self._models: dict[str, dict[str, tuple[int, str]]] = {}  # by bot: decisions and first match of each model
        self._odd: Counter[str] = Counter()

    def add(self, noted: MatchNotes) -> None:
        """Adds the notes of the next match.

        Raises:
            ServiceError: A bot notes another model than before, and `pin_model`.
        """
        for _, seat, note in noted.notes:
            bot, model = noted.seats[seat], note.get("model")
            self._odd[bot] += bool(note.get("odd_usage"))
            if not isinstance(model, str) or not model:
                continue
            models = self._models.setdefault(bot, {})
            decisions, first = models.get(model, (0, noted.match))
            if models and not decisions and note.get("pin_model"):
                raise ServiceError(
                    f"bot {bot}: the model {next(iter(models))} changed to {model} in {first}; resume when the earlier "
                    "model answers again, or remove pin_model and force the run to resume"
                )
            models[model] = decisions + 1, first

    def lines(self) -> list[str]:
        """The remarks, a line for each."""
        lines = []
        for bot, models in sorted(self._models.items()):
            if len(models) > 1:
                (first, (decisions, _)), *later = models.items()
                since = ", ".join([f"{model} ({count}, from {match} on)" for model, (count, match) in later])
                lines.append(f"{bot}: {len(models)} models answered: {first} ({decisions} decisions), {since}")
        odd = "no usable token counts for {} decisions, which cost as the longest answers do"
        lines += [f"{bot}: {odd.format(count)}" for bot, count in sorted(self._odd.items()) if count]
        return [one_line(line) for line in lines]


class NotesByBlock:
    """The notes of a run by block number, fastest in schedule order; one line is in memory."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._lines: Iterator[bytes] = iter(())
        self._held: list[bytes] = []  # the line read beyond the last block, if any
        self._last = maxsize

    def of(self, block: int) -> dict[str, MatchNotes]:
        """The notes of a block, by match name."""
        if block <= self._last:
            self._lines = lines_from(self._run, block, name=NOTES) if (self._run / NOTES).exists() else iter(())
            self._held = []
        lines, noted = chain(self._held, self._lines), dict[str, MatchNotes]()
        self._last, self._held = block, []
        for line in lines:
            place = place_of(line) or (block, 0)
            if place[0] > block:
                self._held = [line]
                break
            if place[0] == block:
                notes = _NOTES.parse(line, str(self._run / NOTES))
                noted[notes.match] = notes
        return noted


class NotesWriter(LinesWriter):
    """The file of a run's notes, created with the first of them."""

    name = NOTES

    def __init__(self, run: Path) -> None:
        super().__init__(run, opens=False)
        self.cost = 0.0
        """The cost of the decisions in all lines, in dollars."""
        self.cut: Counter[str] = Counter()
        self.remarks = Remarks()

    def resume(self, block: int, matches: int) -> None:
        """Cuts off lines without a match in the journal, which ends with `matches` matches of `block`."""
        size = 0
        for line in _NOTES.raw(self.folder):
            if (place_of(line) or (inf,)) >= (block, matches):
                break
            size += len(line)
            self._count(line)
        if self.path.exists():
            self.truncate(size)

    def append(self, lines: bytes) -> None:
        """Appends lines, if any; raises what `Remarks.add` raises."""
        if lines:
            self._count(lines)
            super().append(lines)

    def _count(self, lines: bytes) -> None:
        for line in lines.splitlines(keepends=True) if any([each in lines for each in _COUNTED]) else ():
            if any([each in line for each in _COUNTED]):
                noted = _NOTES.parse(line, str(self.path))
                self.remarks.add(noted)
                self.cost += noted.cost
                self.cut.update(noted.cut)
