"""The standings of a run folder, finished or not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.base.sheet import Part, Sheet, TableFormat, sentences_text
from tourney.config import Tournament
from tourney.contracts.match import RecordedResult
from tourney.journal import folder, reader
from tourney.journal.alike import Sample, alike_sentences, run_lines
from tourney.journal.reader import JournalBlock
from tourney.journal.run import RunFolder
from tourney.journal.search import FirstFaults
from tourney.plugins import registry
from tourney.plugins.entry_points import own_version
from tourney.schedule.base import Schedule, ScheduleSize
from tourney.schedule.seatings import seating_count
from tourney.standings.counts import OutcomeCounts
from tourney.standings.hierarchy import Posterior
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import TIEBREAKS, Ranking, StandingsRow, key_of, ranking, seat_points, weights_of
from tourney.standings.runoff import runoff_tiebreaks
from tourney.standings.sweeps import SweepResult, sweep_results
from tourney.standings.tables import standings_sheet


@dataclass(frozen=True, slots=True)
class RunTotals:
    """The counts of a run, or of a part of it."""

    tournament: Tournament
    schedule: Schedule
    counts: OutcomeCounts
    matches: int
    """How many matches the journal has, counted or not."""
    left_out: int
    """How many counting blocks were excluded, because of a fault or of two bots that sat together."""
    first_faults: FirstFaults = field(default_factory=FirstFaults)
    sample: Sequence[bytes] = ()
    """Some lines of the journal, of the first matches, or of a league's last ones."""
    merged: bool = False
    """Whether versions are counted together, see `RunFolder.by_name`."""

    def sheet(self, ranking: Ranking, *parts: Part) -> Sheet:
        """The standings with the points of seats, bots that decide alike, and further parts below."""

        def alike(form: TableFormat, width: int) -> str:
            tournament = self.tournament
            return sentences_text(alike_sentences(self.sample, tournament.names, tournament.bot_ids), form, width)

        return standings_sheet(ranking, seat_points(self.counts), alike, *parts)

    def ranking(self, by: str | None = None) -> Ranking:
        """Ranks the entrants by the given criterion, or by the format's default.

        The format's own criteria are about the whole tournament, so they do not apply to a part.

        Raises:
            ConfigError: There is no such criterion.
            RunError: It cannot be compared over several games.
        """
        games = self.counts.setups
        one_game = len({setup.game for setup in games}) == 1
        which = f" ({games[0].game} with different seats or options)" if one_game else ""
        remedy = "choose one game, or rank by something else"
        if by == "score" and len(games) > 1:
            raise RunError(f"by score: scores of different games cannot be compared{which}; {remedy}")
        if by == "place" and len({setup.seats for setup in games}) > 1:
            raise RunError(f"by place: the games have different numbers of seats{which}; {remedy}")
        natural = self.schedule.ranks_by()
        certainties = self.schedule.certainties()
        own = [each for each in natural if isinstance(each, Tiebreak)]
        whole = [*own, *self.schedule.columns()]
        of_format = {key_of(each): each for each in whole if {*each.values.values()} - {None}}
        if self.left_out or self.merged or len(games) < len(self.tournament.setups):
            if by in of_format:
                raise RunError(f"by {by}: only applies to the whole tournament; rank all its games and blocks")
            natural, own = natural[natural.index(own[-1]) + 1 if own else 0 :], []
            certainties = None if certainties is None else {}
        else:
            own = whole
        if by is not None and by not in (known := [*TIEBREAKS, "runoff", *of_format]):
            raise ConfigError(f"by {by}: {did_you_mean(by, known)}")
        last, shrinks = self.schedule.disqualified(), self.schedule.hierarchical
        if by == "runoff":
            runoff = runoff_tiebreaks(self.counts, weights_of(self.tournament, games))
            return ranking(self.tournament, self.counts, runoff[:1], (*own, *runoff), certainties, last, shrinks)
        by_those = natural if by is None else TIEBREAKS.get(by) or (of_format[by], "points")
        return ranking(self.tournament, self.counts, by_those, own, certainties, last, shrinks)

    def sweeps(self) -> list[SweepResult]:
        """The results of the sweeps, by shrunk ratings; empty before the first block.

        For a part of the tournament, its own results decide; for all of it, the format may have chosen the best.
        """
        if not self.tournament.sweeps or not any(map(any, self.counts.batches())):
            return []
        is_part = self.left_out or len(self.counts.setups) < len(self.tournament.setups)
        selection = None if is_part else self.schedule.selection()
        if selection is not None:
            return sweep_results(self.tournament, *selection)
        weights = weights_of(self.tournament, self.counts.setups)
        bot_ids = self.tournament.bot_ids
        return sweep_results(self.tournament, Posterior(self.counts.batches(), weights, bot_ids=bot_ids))


class RankedRun(NamedTuple):
    """A finished run, counted and ranked."""

    totals: RunTotals
    ranking: Ranking


def count_run(
    run: RunFolder, game: str | None = None, without_faults: bool = False, counts: OutcomeCounts | None = None,
    apart: Sequence[tuple[str, str]] = (), see: Callable[[JournalBlock[RecordedResult]], object] = lambda _: None,
) -> RunTotals:  # fmt: skip
    """Counts the records of a run, optionally into shared counts; `see` is called with each block.

    Blocks in which both bots of a pair in `apart` sit are left out.
    """
    tournament = run.tournament
    plan, counts = run.schedule(), counts or _counts(tournament, game)
    matches = left_out = 0
    firsts, sample = FirstFaults(), Sample(plan.goes_on)
    for block in run.results(plan):
        see(block)
        matches += len(block.records)
        if block.voided:
            continue
        if not run.merged:
            sample.add(block.lines)
        together = apart and any([{*pair} <= {*block.block.seatings[0]} for pair in apart])
        if together or (without_faults and any([record.faults for record in block.records])):
            left_out += game in (None, block.block.setup.game)
        else:
            counts.add(block.block, block.records)
            if game in (None, block.block.setup.game):
                firsts.add(run.path, block.records)
    return RunTotals(tournament, plan, counts, matches, left_out, firsts, sample, bool(run.merged))


def count_runs(
    runs: Sequence[RunFolder], game: str | None = None, without_faults: bool = False,
    apart: Sequence[tuple[str, str]] = (),
) -> RunTotals:  # fmt: skip
    """Counts several runs of the same bots at different games like one tournament of all games.

    Raises:
        RunError: The runs do not fit each other, or one cannot be read.
    """
    if len(runs) == 1:
        return count_run(runs[0], game, without_faults, apart=apart)
    whole = joined_tournament(runs)
    counts = _counts(whole, game)
    return joined_totals(whole, [count_run(run, game, without_faults, counts, apart) for run in runs])


def joined_totals(tournament: Tournament, parts: Sequence[RunTotals]) -> RunTotals:
    """Joins totals with shared counts into those of one tournament of all games."""
    matches, left_out = sum([part.matches for part in parts]), sum([part.left_out for part in parts])
    firsts = FirstFaults()
    for part in reversed(parts):
        firsts.update(part.first_faults)
    whole, sample = JoinedSchedule(tournament, parts), [line for part in parts for line in part.sample]
    return RunTotals(tournament, whole, parts[0].counts, matches, left_out, firsts, sample)


def identities(run: RunFolder) -> dict[str, tuple[Any, ...]]:
    """The identity of each bot, wherever its files were: its fingerprint, its class or command, and its options."""
    known = run.manifest.get("bots", {})
    return {
        bot.name: (
            known.get(bot.name, {}).get("sha256"),
            [Path(word).name for word in (bot.use, *bot.command)],
            bot.options,
        )
        for bot in run.tournament.entrants
    }


class JoinedSchedule(Schedule):
    """The schedules of several runs that are ranked together."""

    def __init__(self, tournament: Tournament, parts: Sequence[RunTotals]) -> None:
        super().__init__(tournament)
        self._parts = parts
        self.hierarchical = any([part.schedule.hierarchical for part in parts])

    def size(self) -> ScheduleSize:
        """The total number of blocks and matches."""
        sizes = [part.schedule.size() for part in self._parts]
        return ScheduleSize(sum([size.blocks for size in sizes]), sum([size.matches for size in sizes]))

    def is_over(self, matches: int) -> bool:
        """Whether all of them are over."""
        return all([part.schedule.is_over(part.matches) for part in self._parts])

    def describe(self) -> str:
        """The number of runs."""
        return f"{len(self._parts)} runs"


def joined_tournament(runs: Sequence[RunFolder]) -> Tournament:
    """The tournament of all games of several runs, with their weights; a `RunError` if they do not fit."""
    first = runs[0].tournament
    bots, played = identities(runs[0]), dict[str, RunFolder]()
    for run in runs:
        other = run.tournament
        if not run.kind.joinable or run.plan.may_end_early:
            what = f"a {other.format}" if run.kind.joinable else run.kind.noun
            raise RunError(f"{run}: cannot rank {what} with other runs: how often bots meet depends on results")
        if missing := sorted(set(first.names) ^ set(other.names)):
            raise RunError(f"{run}: {missing[0]} is only in this run or only in {runs[0]}; rank runs of the same bots")
        for name, identity in identities(run).items():
            if identity != bots[name]:
                raise RunError(f"{run}: {name} differs from the bot in {runs[0]}; rank runs of the same bots")
        for game in other.games:
            if game in played:
                raise RunError(f"{run}: plays {game}, like {played[game]}; choose one of them, or extend a run")
            played[game] = run
    tournaments = [run.tournament for run in runs]
    return msgspec.structs.replace(
        first,
        name="+".join([each.name for each in tournaments]),
        setups=tuple([setup for each in tournaments for setup in each.setups]),
        weights=tuple([weight for each in tournaments for weight in each.all_weights]),
        anchor=first.anchor if len({each.anchor for each in tournaments}) == 1 else None,
    )


def _counts(tournament: Tournament, game: str | None) -> OutcomeCounts:
    setups = [setup for setup in tournament.setups if game in (None, setup.game)]
    return OutcomeCounts(tournament.names, setups, registry.load_format(tournament.format).most_batches)


def write_standings(path: Path, totals: RunTotals) -> RankedRun:
    """Ranks a finished run and writes its standings into its folder."""
    totals, ranked = replace(totals, sample=[*run_lines(path, totals.tournament, totals.matches)]), totals.ranking()
    sheet = totals.sheet(ranked)
    folder.write_atomically(path / folder.STANDINGS_TEXT, f"{sheet.text('table')}\n".encode())
    folder.write_atomically(path / folder.STANDINGS_JSON, f"{sheet.text('json')}\n".encode())
    return RankedRun(totals, ranked)


def written_rows(run: RunFolder) -> Sequence[StandingsRow] | None:
    """The rows of a league's standings, as written by this version; None if the league has changed since.

    Its journal only grows, so it has not changed if the number of counting matches and the field are still the same.
    """
    if not run.plan.goes_on or run.manifest["tourney"] != own_version():
        return None
    try:
        rows = msgspec.json.decode(run.standings, type=tuple[StandingsRow, ...])
    except msgspec.DecodeError:
        return None
    from tourney.schedule.league import LeagueSchedule  # noqa: PLC0415 - few runs are leagues

    blocks, matches = reader.league_size(run.path, run.tournament)
    plan, seats = LeagueSchedule(run.tournament), run.tournament.setups[0].seats
    matches -= len(plan.voided) * seating_count(run.tournament.seatings, seats)
    is_same = sum([row.matches for row in rows]) == matches * seats
    is_same &= {row.bot: row.stopped for row in rows} == plan.states(blocks)
    return rows if is_same else None
