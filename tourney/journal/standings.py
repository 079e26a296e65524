"""The standings of a run's folder, finished or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.config import Tournament
from tourney.journal import events, folder, reader
from tourney.journal.run import RunFolder
from tourney.plugins import registry
from tourney.plugins.entry_points import own_version
from tourney.schedule.base import Schedule, ScheduleSize, schedule
from tourney.schedule.league import League
from tourney.standings.counts import OutcomeCounts
from tourney.standings.hierarchy import Posterior
from tourney.standings.points import Tiebreak
from tourney.standings.ranking import TIEBREAKS, Ranking, StandingsRow, key_of, ranking, seat_points, weights_of
from tourney.standings.runoff import runoff_tiebreaks
from tourney.standings.sweeps import SweepResult, sweep_results
from tourney.standings.tables import standings_sheet

_decode_rows = msgspec.json.Decoder(tuple[StandingsRow, ...]).decode


@dataclass(frozen=True, slots=True)
class RunTotals:
    """The counts of a run, or of a part of it."""

    tournament: Tournament
    schedule: Schedule
    """The schedule, which has noted every record that was read."""
    counts: OutcomeCounts
    matches: int
    """How many matches the journal has, counted or not."""
    left_out: int
    """How many blocks were left out because a match in them had a fault."""

    def ranking(self, by: str | None = None) -> Ranking:
        """Ranks the entrants by the given criterion, or by default as the format does.

        The format's own criteria are about the whole tournament, so they are left out where only a part is ranked.

        Raises:
            ConfigError: There is no such criterion.
            RunError: It cannot be compared over several games.
        """
        games = self.counts.setups
        one_game = len({setup.game for setup in games}) == 1
        which = f" ({games[0].game} with different seats or options)" if one_game else ""
        remedy = "choose one game, or rank by something else"
        if by == "score" and len(games) > 1:
            raise RunError(f"by score: scores of several games cannot be compared{which}; {remedy}")
        if by == "place" and len({setup.seats for setup in games}) > 1:
            raise RunError(f"by place: the games have different numbers of seats{which}; {remedy}")
        natural = self.schedule.ranks_by()
        certainties = self.schedule.certainties()
        own = [each for each in natural if isinstance(each, Tiebreak)]
        whole = [*own, *self.schedule.columns()]
        of_format = {key_of(each): each for each in whole if {*each.values.values()} - {None}}
        if self.left_out or len(games) < len(self.tournament.setups):
            if by in of_format:
                raise RunError(f"by {by}: is about the whole tournament; rank all its games and blocks")
            natural, own = natural[natural.index(own[-1]) + 1 if own else 0 :], []
            certainties = None if certainties is None else {}
        else:
            own = whole
        if by is not None and by not in (known := [*TIEBREAKS, "runoff", *of_format]):
            raise ConfigError(f"by {by}: {did_you_mean(by, known)}")
        last, shrinks = self.schedule.disqualified(), self.schedule.shrinks_ratings
        if by == "runoff":
            runoff = runoff_tiebreaks(self.counts, weights_of(self.tournament, games))
            return ranking(self.tournament, self.counts, runoff[:1], (*own, *runoff), certainties, last, shrinks)
        by_those = natural if by is None else TIEBREAKS.get(by) or (of_format[by], "points")
        return ranking(self.tournament, self.counts, by_those, own, certainties, last, shrinks)

    def sweeps(self) -> list[SweepResult]:
        """What the sweeps have shown, by ratings that are shrunk; nothing before the first block.

        Of a part of the tournament, the results say it alone; of all of it, the format may have chosen the best.
        """
        if not self.tournament.sweeps or not any(map(any, self.counts.batches())):
            return []
        is_part = self.left_out or len(self.counts.setups) < len(self.tournament.setups)
        selection = None if is_part else self.schedule.selection()
        if selection is not None:
            return sweep_results(self.tournament, *selection)
        weights = weights_of(self.tournament, self.counts.setups)
        return sweep_results(self.tournament, Posterior(self.counts.batches(), weights, kinds=self.tournament.kinds))


class RankedRun(NamedTuple):
    """A finished run, counted and ranked."""

    totals: RunTotals
    ranking: Ranking


def count_run(path: Path, game: str | None = None, without_faults: bool = False, at: str | None = None) -> RunTotals:
    """Counts the records of a run; of a league, those of a moment, with those who had come by then."""
    manifest = folder.read_manifest(path)
    tournament = config.of_manifest(manifest)
    if at is None:
        try:
            return _count(path, tournament, _counts(tournament, game), game, without_faults)
        except RunError:
            if folder.read_manifest(path) == manifest:
                raise
            return count_run(path, game, without_faults)  # of a league whose field has changed meanwhile
    then = events.moment(path, at)
    before = tournament.events[: then.changes]
    to_come = {event.bot for event in tournament.events if event.event == "entered"}
    to_come -= {event.bot for event in before}
    entrants = tuple([entrant for entrant in tournament.entrants if entrant.name not in to_come])
    tournament = msgspec.structs.replace(tournament, entrants=entrants, events=before)
    totals = _count(path, tournament, _counts(tournament, game), game, without_faults, then.block)
    if not totals.matches:
        raise RunError(f"{path}: nothing was played before {at}; give a later event or date")
    return totals


def count_runs(
    paths: Sequence[Path], game: str | None = None, without_faults: bool = False, at: str | None = None
) -> RunTotals:
    """Counts the records of several runs of the same bots at different games, as of one tournament of all games.

    Raises:
        RunError: The runs do not fit each other, or one cannot be read.
    """
    if len(paths) == 1:
        return count_run(paths[0], game, without_faults, at)
    runs = [OpenedRun.of(path) for path in paths]
    whole = joined_tournament(runs)
    counts = _counts(whole, game)
    return joined_totals(whole, [_count(run.path, run.tournament, counts, game, without_faults) for run in runs])


def joined_totals(tournament: Tournament, parts: Sequence[RunTotals]) -> RunTotals:
    """What was counted of several runs, all of them into the same counts, as that of one tournament of all games."""
    matches, left_out = sum([part.matches for part in parts]), sum([part.left_out for part in parts])
    return RunTotals(tournament, JoinedSchedule(tournament, parts), parts[0].counts, matches, left_out)


class OpenedRun(NamedTuple):
    """The folder of a run with what its manifest says."""

    path: Path
    manifest: Mapping[str, Any]
    tournament: Tournament

    @classmethod
    def of(cls, path: Path) -> Self:
        """Reads the manifest of the run in a folder."""
        manifest = folder.read_manifest(path)
        return cls(path, manifest, config.of_manifest(manifest))

    def identities(self) -> dict[str, tuple[Any, ...]]:
        """What each bot is, wherever its files were: its fingerprint, its class or command, and its options."""
        known = self.manifest.get("bots", {})
        return {
            bot.name: (
                known.get(bot.name, {}).get("sha256"),
                [Path(word).name for word in (bot.use, *bot.command)],
                bot.options,
            )
            for bot in self.tournament.entrants
        }


class JoinedSchedule(Schedule):
    """The schedules of several runs that are ranked together."""

    def __init__(self, tournament: Tournament, parts: Sequence[RunTotals]) -> None:
        super().__init__(tournament)
        self._parts = parts
        self.shrinks_ratings = any([part.schedule.shrinks_ratings for part in parts])

    def size(self) -> ScheduleSize:
        """How many blocks and matches all of them have."""
        sizes = [part.schedule.size() for part in self._parts]
        return ScheduleSize(sum([size.blocks for size in sizes]), sum([size.matches for size in sizes]))

    def is_over(self, matches: int) -> bool:
        """Whether each of them is over."""
        return all([part.schedule.is_over(part.matches) for part in self._parts])

    def describe(self) -> str:
        """How many runs there are."""
        return f"{len(self._parts)} runs"


def joined_tournament(runs: Sequence[OpenedRun]) -> Tournament:
    """The tournament of all games of several runs, each with its weight; raises a `RunError` if they do not fit."""
    path, _, first = runs[0]
    bots, played = runs[0].identities(), dict[str, Path]()
    for run in runs:
        where, manifest, other = run
        if "gate" in manifest:
            raise RunError(f"{where}: a gate compares two bots and is not ranked with other runs; leave it out")
        if schedule(other).may_end_early:
            why = f"a {other.format} plays on where it is undecided and is not ranked with other runs"
            raise RunError(f"{where}: {why}; leave it out")
        if missing := sorted(set(first.names) ^ set(other.names)):
            raise RunError(f"{where}: {missing[0]} plays in one of it and {path}; rank runs of the same bots")
        for name, identity in run.identities().items():
            if identity != bots[name]:
                raise RunError(f"{where}: {name} is another bot than in {path}; rank runs of the same bots")
        for game in other.games:
            if game in played:
                raise RunError(f"{where}: plays {game}, as {played[game]} does; give one of them, or extend a run")
            played[game] = where
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


def _count(
    path: Path,
    tournament: Tournament,
    counts: OutcomeCounts,
    game: str | None,
    without_faults: bool,
    until: int | None = None,
) -> RunTotals:
    """Adds the records of a run to counts; only of the blocks before `until`, if that is given."""
    plan = schedule(tournament)
    matches = left_out = 0
    for found in reader.read_results(path, plan, until):
        matches += len(found.records)
        if without_faults and any([record.faults for record in found.records]):
            left_out += game in (None, found.block.setup.game)
        else:
            counts.add(found.block, found.records)
    return RunTotals(tournament, plan, counts, matches, left_out)


def write_standings(path: Path, totals: RunTotals) -> RankedRun:
    """Ranks a finished run, and writes its standings into its folder."""
    ranked = totals.ranking()
    sheet = standings_sheet(ranked, seat_points(totals.counts))
    folder.write_atomically(path / folder.STANDINGS_TEXT, f"{sheet.text('table')}\n".encode())
    folder.write_atomically(path / folder.STANDINGS_JSON, f"{sheet.text('json')}\n".encode())
    return RankedRun(totals, ranked)


def written_rows(run: RunFolder) -> Sequence[StandingsRow] | None:
    """The rows of a league's standings, as this version has written them; None if the league has changed since.

    Its journal only grows, so it has not if it has as many matches as the rows say, and the field is theirs.
    """
    try:
        rows = _decode_rows((run.path / folder.STANDINGS_JSON).read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    if not run.kind.goes_on or run.manifest["tourney"] != own_version():
        return None
    blocks, matches = reader.league_size(run.path, run.tournament)
    seats, states = run.tournament.setups[0].seats, League(run.tournament).states(blocks)
    is_same = sum([row.matches for row in rows]) == matches * seats and {row.bot: row.stopped for row in rows} == states
    return rows if is_same else None
