"""A report's data; the journal is read once, block by block."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from shlex import quote
from sys import maxsize
from typing import BinaryIO, NamedTuple

from tourney.base.errors import RunError, TourneyError, one_line
from tourney.config import Tournament
from tourney.contracts.match import Record, RecordedResult
from tourney.journal import folder, reader
from tourney.journal.alike import Likeness, Sample, likenesses
from tourney.journal.events import Event
from tourney.journal.history import HistoryFits, HistoryPoint
from tourney.journal.notes import Remarks
from tourney.journal.reader import JournalBlock
from tourney.journal.run import RunFolder
from tourney.journal.standings import RunTotals, joined_totals, joined_tournament
from tourney.journal.times import Times
from tourney.journal.told import Fact, Told
from tourney.plugins import registry
from tourney.report.matches_worth_a_look import ListedMatch, MatchCollector, NotableMatch
from tourney.review.analysis.file import MatchAnalysis, read_analysis
from tourney.review.analysis.summary import BotAnalysis, bot_analyses
from tourney.review.calibration import Calibration, Calibrations
from tourney.review.track import Tracked, matches_of, read_track
from tourney.runner import gate as gates
from tourney.schedule.base import Schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.gate import Gate
from tourney.standings.ranking import Ranking, SeatPoints, StandingsRow, rated, seat_points
from tourney.standings.results import RoundReport
from tourney.standings.tables import MOST_CELLS

FIRST_DEALS = 4  # deals before the first computation of ratings
GROWTHS = {12: 1.25, 100: 1.6, 300: 4, maxsize: 16}
"""Growth of the number of deals between them, up to this many entrants: with more, each takes longer."""
MOST_ROUNDS = 12  # the number of last rounds shown
FITS, LEAST_FITS = 400, 2  # a league's history is fitted in parts of this many points over its bots


class RatingsAfter(NamedTuple):
    """The bots' ratings after some deals, each with its interval."""

    deals: int
    ratings: Mapping[str, tuple[float, float, float]]


class GateData(NamedTuple):
    """A gate and its progress."""

    comparison: Gate
    ratios: Sequence[tuple[int, float]]
    """The log-likelihood ratio by number of deals."""


@dataclass(frozen=True)
class RunData:
    """The data of a run, or of several ranked together, finished or not."""

    runs: Sequence[RunFolder]
    tournament: Tournament
    totals: RunTotals
    ranking: Ranking
    by_game: Mapping[str, Ranking]  # empty for a single game
    deals: int  # over all games
    history: Sequence[RatingsAfter]  # the last entry has the final ratings
    matches: MatchCollector
    match_analyses: Mapping[str, MatchAnalysis]  # by match name
    gate: GateData | None  # None for other runs
    calibrations: Sequence[Calibration]  # for bots that noted values
    noted: Mapping[tuple[str, str], tuple[int, float]]  # by bot and note: the number of values and their sum
    remarks: Sequence[str]  # on the services that bots asked
    points: Sequence[HistoryPoint]  # a league's ratings over time
    blocks: int  # the number of complete blocks
    track: Tracked | None  # None for other runs
    told: Told  # the facts that its readers may have
    with_branches: bool = False  # whether matches have the branches of their analysis

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Each bot's number in the tournament file."""
        return {name: number for number, name in enumerate(self.tournament.names)}

    @cached_property
    def run_of(self) -> Mapping[str, RunFolder]:
        """Each game's run."""
        return {game: run for run in self.runs for game in run.tournament.games}

    @property
    def path(self) -> Path | None:
        """The run's folder; None if several runs are ranked together."""
        return self.runs[0].path if len(self.runs) == 1 else None

    @property
    def command_path(self) -> str:
        """The run as commands name it; a placeholder for several runs."""
        return "RUN" if self.path is None else quote(self.told.path(self.path))

    @cached_property
    def teams(self) -> Mapping[str, str]:
        """Each bot's team and author, if public; else an empty text."""
        told = self.told.has("authors")
        authors = {event.bot: event.author for event in self.events if event.author} if told else {}
        names = {each.name: (each.display, authors.get(each.name, "")) for each in self.tournament.entrants}
        return {bot: one_line(", ".join(filter(None, its))) for bot, its in names.items()}

    @property
    def finished(self) -> bool:
        """Whether all matches have been played."""
        return self.totals.schedule.is_over(self.totals.matches)

    @property
    def rows(self) -> Sequence[StandingsRow]:
        """The standings."""
        return self.ranking.rows

    @cached_property
    def first(self) -> Sequence[str]:
        """The first bots: only they have rows in matrices, lists and most pictures."""
        return [row.bot for row in self.rows[:MOST_CELLS]]

    @cached_property
    def seats(self) -> Sequence[SeatPoints]:
        """The value of each seat."""
        return seat_points(self.totals.counts)

    @cached_property
    def rounds(self) -> Sequence[RoundReport]:
        """The rounds, if the format has any."""
        return self.totals.schedule.round_reports()

    @cached_property
    def drawn_rounds(self) -> Sequence[RoundReport]:
        """The rounds of the bracket: a cup's last ones, with the first bots; a small Swiss tournament's last ones."""
        if self.is_cup:
            bots = [sum(map(len, (*each.tables, each.resting))) for each in self.rounds]
            return self.rounds[next((i for i, number in enumerate(bots) if number <= MOST_CELLS), len(bots)) :]
        is_swiss = any([row.round_score is not None for row in self.rows])
        return self.rounds[-MOST_ROUNDS:] if is_swiss and len(self.rows) <= MOST_CELLS else ()

    @cached_property
    def listed(self) -> Sequence[Sequence[str]]:
        """The groups of bots whose matches are listed: pairs of the first bots that met, and tables of the bracket."""
        pairs = [pair for pair in combinations(self.first, 2) if pair in self.ranking.pairs]
        tables = [[row.bot for row in table] for each in self.drawn_rounds for table in each.tables]
        return [*pairs, *[table for table in tables if len(table) > 1]]

    @cached_property
    def is_cup(self) -> bool:
        """Whether bots advance from round to round."""
        return any([row.advanced is not None for each in self.rounds for table in each.tables for row in table])

    @cached_property
    def notable(self) -> Sequence[NotableMatch]:
        """The notable matches."""
        return self.matches.picked(self.rows)

    @cached_property
    def analyses(self) -> Sequence[BotAnalysis]:
        """The cost of each bot's decisions; empty without an analysis."""
        return bot_analyses(self.match_analyses.values())

    @property
    def costliest(self) -> Sequence[ListedMatch]:
        """The matches with the costliest decisions."""
        names = [costly.match for each in self.analyses for costly in each.costliest]
        return [match for name in names if (match := self.matches.by_name.get(name))]

    @property
    def events(self) -> Sequence[Event]:
        """A league's events."""
        return self.runs[0].events

    @cached_property
    def likenesses(self) -> Sequence[Likeness]:
        """How often each two of the first bots decide alike, in some matches; empty if a game is not installed."""
        with suppress(TourneyError):
            return likenesses(self.totals.sample, among=set(self.first))
        return ()

    @cached_property
    def times(self) -> Times | None:
        """The times of all runs; None if missing for one."""
        total = Times()
        for run in self.runs:
            if run.times is None:
                return None
            total.add(run.times)
        return total


def read_runs(runs: Sequence[RunFolder], asked: Collection[Fact] = ()) -> RunData:
    """Reads a run, or several runs of the same bots at different games.

    Raises:
        RunError: A requested fact is still secret.
    """
    told = Told(runs, asked=asked)
    told.require_asked()
    tells_notes, alone = told.has("notes"), len(runs) == 1
    tournament = runs[0].tournament if alone else joined_tournament(runs)
    analysed = {name: match for run in runs for name, match in _analysed(run).items()}
    counts = OutcomeCounts(tournament.names, tournament.setups, registry.load_format(tournament.format).most_batches)
    of_games = {
        game: OutcomeCounts(tournament.names, [setup for setup in tournament.setups if setup.game == game])
        for game in (tournament.games if len(tournament.games) > 1 else ())
    }
    track = read_track(runs[0]) if alone else None
    changed = [name for jump in (track.jumps if track else ()) for deal in jump.deals for name in matches_of(deal)]
    matches = MatchCollector(tournament.names, {*analysed, *changed})
    history: list[RatingsAfter] = []
    growth = next(growth for most, growth in GROWTHS.items() if len(tournament.names) <= most)
    deals = blocks = 0
    due = FIRST_DEALS
    parts: list[RunTotals] = []
    comparison = gates.of_manifest(runs[0].manifest, tournament) if alone else None
    ratios = [(0, 0.0)]
    noted, calibrations, remarks = dict[tuple[str, str], tuple[int, float]](), Calibrations(), Remarks()
    for run in runs:
        plan = run.schedule()
        fits = HistoryFits(run, max(LEAST_FITS, FITS // max(len(run.tournament.names), 1)))
        seed, sample = -1, Sample(plan.goes_on)
        for block, records, lines, _ in (reading := _Reading(run, plan, fits, counts)):
            is_new = block.seed != seed  # blocks on one deal are consecutive
            if is_new and deals >= due and alone and not run.events:
                history.append(_ratings(tournament, counts, plan.hierarchical, deals))
                due = max(int(due * growth), deals + 1)
            counts.add(block, records)
            sample.add(lines)
            if of_games:
                of_games[block.setup.game].add(block, records)
            of_block = run.notes.of(block.number) if tells_notes else {}
            for record, line in zip(records, lines, strict=True):
                matches.add(record, plan.round_of(block.number), reading.offset)
                reading.offset += len(line)
                if comparison is not None and comparison.verdict is None:
                    comparison.add(record)
                if (its := of_block.get(record.match)) is not None:
                    its.sum_up(noted)
                    calibrations.add(record.game, f"{block.seed:x}", record.places, its)
                    remarks.add(its)
            if comparison is not None and comparison.deals > ratios[-1][0]:
                ratios.append((comparison.deals, comparison.llr))
            deals, seed = deals + is_new, block.seed
        blocks += reading.blocks
        if comparison is not None and run.is_ranked and run.times is not None:
            comparison.end(run.times.pace)
        parts.append(RunTotals(run.tournament, plan, counts, reading.matches, left_out=0, sample=sample))
    totals = parts[0] if alone else joined_totals(tournament, parts)
    ranking = totals.ranking()
    now = {
        row.bot: (row.rating, row.rating_low, row.rating_high)
        for row in ranking.rows
        if row.rating is not None and row.rating_low is not None and row.rating_high is not None
    }
    return RunData(
        runs,
        tournament,
        totals,
        ranking,
        by_game={game: replace(totals, counts=own).ranking() for game, own in of_games.items()},
        deals=deals,
        history=history + ([RatingsAfter(deals, now)] if now else []),
        matches=matches,
        match_analyses=analysed,
        gate=None if comparison is None else GateData(comparison, ratios),
        calibrations=calibrations.all(),
        noted=noted,
        remarks=remarks.lines(),
        points=fits.points(),
        blocks=blocks,
        track=track,
        told=told,
    )


class _Reading:
    """The blocks of a run that count; fits a league's history on the way."""

    def __init__(self, run: RunFolder, plan: Schedule, fits: HistoryFits, counts: OutcomeCounts) -> None:
        self._of = run, plan, fits, counts
        self.offset = self.blocks = self.matches = 0
        """The journal offset of the next line, and the numbers of complete blocks and of matches read so far."""

    def __iter__(self) -> Iterator[JournalBlock[RecordedResult]]:
        run, plan, fits, counts = self._of
        for some in run.results(plan):
            self.matches += len(some.records)
            self.blocks += some.complete
            if some.voided:
                self.offset += sum(map(len, some.lines))
            else:
                yield some
            fits.reach(self.blocks, plan, counts)


def _analysed(run: RunFolder) -> Mapping[str, MatchAnalysis]:
    """A run's match analyses; empty if only a part of the run is shown."""
    return read_analysis(run.path) if run.until is None else {}


class RecordReader(ExitStack):
    """Reads the records of listed matches; a context manager, in which each journal is open."""

    def __init__(self, data: RunData) -> None:
        super().__init__()
        self._data = data
        self._journals: dict[Path, BinaryIO] = {}

    def read(self, match: ListedMatch) -> tuple[Record, list[Record]]:
        """Reads the records of a match and of its twins, the next seating first."""
        file = self._data.run_of[match.game].path / folder.JOURNAL
        with folder.readable(file):
            if file not in self._journals:
                self._journals[file] = self.enter_context(file.open("rb"))
            self._journals[file].seek(match.offset)
            line = self._journals[file].readline()
            record = reader.parse_sealed_record(line, f"{file}, match {match.facts.id}")
            self._journals[file].seek(match.block)
            lines = list(reader.block_lines(self._journals[file], record.block))
        if record.match != match.facts.id or line not in lines:
            raise RunError(f"{file}: changed while reading; try again")
        own = lines.index(line)
        return record, [reader.parse_sealed_record(each, str(file)) for each in lines[own + 1 :] + lines[:own]]


def _ratings(tournament: Tournament, counts: OutcomeCounts, shrinks: bool, deals: int) -> RatingsAfter:
    ratings = rated(tournament, counts, counts.batches(), shrinks)
    return RatingsAfter(deals, {counts.names[bot]: ratings.of(bot) for bot in ratings.bots})
