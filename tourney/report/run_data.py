"""What a report says of a run, as data; the journal is read once, block by block."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.contracts.match import Record, RecordedResult
from tourney.journal import folder, reader, times
from tourney.journal.events import Event
from tourney.journal.history import HistoryFits, HistoryPoint
from tourney.journal.notes import NotesByBlock
from tourney.journal.notes import totals as totals_of_notes
from tourney.journal.standings import OpenedRun, RunTotals, joined_totals, joined_tournament
from tourney.journal.times import Times
from tourney.plugins import registry
from tourney.report.matches_worth_a_look import ListedMatch, MatchCollector, NotableMatch
from tourney.review.analysis.file import MatchAnalysis, read_analysis
from tourney.review.analysis.summary import BotAnalysis, bot_analyses
from tourney.review.track import Tracked, matches_of, read_track
from tourney.runner import gate as gates
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.gate import Gate
from tourney.standings.points import points
from tourney.standings.ranking import Ranking, SeatPoints, StandingsRow, rated, seat_points
from tourney.standings.results import RoundReport

FIRST_DEALS = 4  # the number of deals after which the ratings are computed first
GROWTH = 1.25  # they are computed again whenever the number of deals has grown by this factor …
GROWTH_OF_LARGE_FIELD = 1.6  # … or this one, as it takes longer, with more entrants than:
LARGE_FIELD = 12
FITS, LEAST_FITS = 400, 2  # of a league, as many points of its history as this over its bots are fitted at a time


class RatingsAfter(NamedTuple):
    """The ratings of the bots after some of the deals: of each bot its rating, and the ends of its interval."""

    deals: int
    ratings: Mapping[str, tuple[float, float, float]]


class GateData(NamedTuple):
    """A gate as far as it was played."""

    comparison: Gate
    ratios: Sequence[tuple[int, float]]
    """The log-likelihood ratio after each number of deals."""


BINS = 10
"""Values are compared in so many parts of the range from 0 to 1."""


class Bin(NamedTuple):
    """The decisions whose values lie in one part of the range."""

    value: float
    """The mean of what the bot expected, from 0 to 1."""
    points: float
    """The mean of what it got."""
    decisions: int


class Calibration(NamedTuple):
    """What the values of a bot at a game were worth."""

    bot: str
    game: str
    decisions: int
    brier: float
    """The mean of (value - points)²: 0 is the best, and always saying a half gives 0.25 at two seats without draws
    (Brier, Verification of Forecasts Expressed in Terms of Probability, 1950)."""
    bins: tuple[Bin, ...]
    """Those parts of the range in which there are values, in their order."""


@dataclass(frozen=True, slots=True)
class RunData:
    """What is known of a run, finished or not."""

    paths: Mapping[str, Path]
    """The folder of the run that has the matches of a game, by the game's name."""
    manifest: Mapping[str, Any]
    tournament: Tournament
    totals: RunTotals
    ranking: Ranking
    by_game: Mapping[str, Ranking]  # empty where there is one game
    seats: Sequence[SeatPoints]
    deals: int  # over all games
    history: Sequence[RatingsAfter]  # the last ones are those of the standings
    rounds: Sequence[RoundReport]
    matches: MatchCollector
    notable: Sequence[NotableMatch]
    times: Times | None  # None if the run keeps none, or they cannot be read
    analyses: Sequence[BotAnalysis]  # empty where nothing was analysed
    match_analyses: Mapping[str, MatchAnalysis]  # by the name of the match
    costliest: Sequence[ListedMatch]  # the matches in which the costliest decisions were made
    gate: GateData | None  # None for a run that is no gate
    notes: Mapping[str, NotesByBlock]  # what bots noted, by the game's name
    calibrations: Sequence[Calibration]  # of the bots that noted values
    noted: Mapping[tuple[str, str], tuple[int, float]]  # by bot and note, the numbers: how many, and their sum
    events: Sequence[Event] = ()  # of a league
    points: Sequence[HistoryPoint] = ()  # of a league, its ratings over time
    blocks: int = 0  # how many blocks are complete
    track: Tracked | None = None  # None for a run that is no track of commits

    @property
    def path(self) -> Path | None:
        """The run's folder; None if several runs are ranked together."""
        folders = set(self.paths.values())
        return folders.pop() if len(folders) == 1 else None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return self.totals.schedule.is_over(self.totals.matches)

    @property
    def rows(self) -> Sequence[StandingsRow]:
        """The standings."""
        return self.ranking.rows


def read_runs(runs: Sequence[Path]) -> RunData:
    """Reads a run, or several runs of the same bots at different games as one.

    Of a run that is being played these are the matches that were played before: more may come faster than they are
    read, and in a league they can be of bots that the manifest did not have.
    """
    ends = {path: (reader.last_line(path), reader.length(path)) for path in runs}
    opened = [OpenedRun.of(path) for path in runs]
    _, manifest, tournament = opened[0]
    if len(runs) > 1:
        tournament = joined_tournament(opened)
    analysed = {name: match for path in runs for name, match in read_analysis(path).items()}
    counts = OutcomeCounts(tournament.names, tournament.setups, registry.load_format(tournament.format).most_batches)
    of_games = {
        game: OutcomeCounts(tournament.names, [setup for setup in tournament.setups if setup.game == game])
        for game in (tournament.games if len(tournament.games) > 1 else ())
    }
    track = read_track(runs[0]) if len(runs) == 1 else None
    changed = [name for jump in (track.jumps if track else ()) for deal in jump.deals for name in matches_of(deal)]
    matches = MatchCollector(tournament.names, {*analysed, *changed})
    history: list[RatingsAfter] = []
    growth = GROWTH if len(tournament.names) <= LARGE_FIELD else GROWTH_OF_LARGE_FIELD
    deals = 0
    due = FIRST_DEALS
    parts: list[RunTotals] = []
    paths: dict[str, Path] = {}
    comparison = gates.of_manifest(manifest, tournament) if len(runs) == 1 else None
    ratios = [(0, 0.0)]
    blocks = 0
    for path, _, own in opened:
        plan = schedule(own)
        last, end = ends[path]
        fits = HistoryFits(path, own, last, max(LEAST_FITS, FITS // len(own.names)))
        paths |= dict.fromkeys(own.games, path)
        read = offset = 0
        seed = -1
        for block, records, lines in _blocks(path, plan, end):
            is_new = block.seed != seed  # blocks on one deal follow each other
            if is_new and deals >= due and len(runs) == 1 and not fits.events:
                history.append(_ratings(tournament, counts, plan.shrinks_ratings, deals))
                due = max(int(due * growth), deals + 1)
            counts.add(block, records)
            if of_games:
                of_games[block.setup.game].add(block, records)
            for record, line in zip(records, lines, strict=True):
                matches.add(record, plan.round_of(block.number), offset)
                offset += len(line)
                if comparison is not None and comparison.verdict is None:
                    comparison.add(record)
            if comparison is not None and comparison.deals > ratios[-1][0]:
                ratios.append((comparison.deals, comparison.llr))
            deals, seed, read = deals + is_new, block.seed, read + len(records)
            blocks += len(records) == len(block.seatings)
            fits.reach(blocks, plan, counts)
        parts.append(RunTotals(own, plan, counts, read, left_out=0))
    totals = joined_totals(tournament, parts) if len(runs) > 1 else parts[0]
    ranking = totals.ranking()
    now = {
        row.bot: (row.rating, row.rating_low, row.rating_high)
        for row in ranking.rows
        if row.rating is not None and row.rating_low is not None and row.rating_high is not None
    }
    analyses = bot_analyses(analysed.values())
    notes = {path: NotesByBlock(path) for path in runs}
    return RunData(
        paths,
        manifest,
        tournament,
        totals,
        ranking,
        {game: replace(totals, counts=own).ranking() for game, own in of_games.items()},
        seat_points(counts),
        deals,
        history + ([RatingsAfter(deals, now)] if now else []),
        totals.schedule.round_reports(),
        matches,
        matches.picked(ranking.rows),
        _times(runs),
        analyses,
        analysed,
        [match for each in analyses for costly in each.costliest if (match := matches.found.get(costly.match))],
        None if comparison is None else GateData(comparison, ratios),
        {game: notes[path] for game, path in paths.items()},
        [each for path, _, own in opened for each in calibrations(path, schedule(own), notes[path])],
        {key: found for path in runs for key, found in totals_of_notes(path).items()},
        fits.events,
        fits.points(),
        blocks,
        track,
    )


def _blocks(path: Path, plan: Schedule, end: int) -> Iterator[reader.JournalBlock[RecordedResult]]:
    """The blocks of a run; those that begin before this byte, if there are more by now."""
    read = 0
    for found in reader.read_results(path, plan):
        yield found
        read += sum(map(len, found.lines))
        if read >= end and reader.length(path) > end:
            return


def _times(runs: Sequence[Path]) -> Times | None:
    """The times of all runs; None if those of one are not known."""
    total = Times()
    for path in runs:
        if (found := times.load(path)) is None:
            return None
        total.add(found)
    return total


def read_record(path: Path, match: ListedMatch) -> Record:
    """Reads the record of a match from the journal."""
    file = path / folder.JOURNAL
    try:
        with file.open("rb") as journal:
            journal.seek(match.offset)
            line = journal.readline()
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None
    record = reader.parse_sealed_record(line, f"{file}, match {match.found.id}")
    if record.match != match.found.id:
        raise RunError(f"{file}: was changed while it was read; ask again")
    return record


def _ratings(tournament: Tournament, counts: OutcomeCounts, shrinks: bool, deals: int) -> RatingsAfter:
    ratings = rated(tournament, counts, counts.batches(), shrinks)
    return RatingsAfter(deals, {counts.names[bot]: ratings.of(bot) for bot in ratings.bots})


def calibrations(run: Path, plan: Schedule, noted: NotesByBlock) -> list[Calibration]:
    """The calibration of each bot that has noted values in a run, at each game, sorted by their names."""
    if not (run / folder.NOTES).exists():
        return []
    sums: dict[tuple[str, str], list[list[float]]] = {}
    for bot, game, value, got in _values(run, plan, noted):
        found = sums.setdefault((bot, game), [[0.0] * 4 for _ in range(BINS)])
        for at, number in enumerate((1.0, value, got, (value - got) ** 2)):
            found[min(int(value * BINS), BINS - 1)][at] += number
    return [_calibration(bot, game, sums[bot, game]) for bot, game in sorted(sums)]


def _calibration(bot: str, game: str, sums: list[list[float]]) -> Calibration:
    count, *_, error = map(sum, zip(*sums, strict=True))
    bins = [Bin(value / number, got / number, int(number)) for number, value, got, _ in sums if number]
    return Calibration(bot, game, int(count), error / count, tuple(bins))


def _values(run: Path, plan: Schedule, noted: NotesByBlock) -> Iterator[tuple[str, str, float, float]]:
    """The bot, the game, the value and what came of it, for each decision with a value."""
    for block, records, _ in reader.read_blocks(run, plan):
        of_block = noted.of(block.number)
        for record in records if of_block else ():
            if (found := of_block.get(record.match)) is not None and len(record.seats) > 1:
                won = points(record.places)
                for _, seat, note in found.notes:
                    if "value" in note:
                        yield record.seats[seat], record.game, float(note["value"]), won[seat]
