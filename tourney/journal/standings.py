"""The standings of a run's folder, finished or not."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tourney import config
from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.journal import folder, reader
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.points import RankedBy, Tiebreak
from tourney.standings.ranking import TIEBREAKS, Ranking, ranking, seat_points, weights_of
from tourney.standings.runoff import runoff_tiebreaks
from tourney.standings.tables import standings_text


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

    def ranking(self, by: RankedBy | None = None) -> Ranking:
        """Ranks the entrants by the given criterion, or by default as the format does.

        The format's own criteria are about the whole tournament, so they are left out where only a part is ranked.
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
        if self.left_out or len(games) < len(self.tournament.setups):
            natural, own = natural[natural.index(own[-1]) + 1 if own else 0 :], []
            certainties = None if certainties is None else {}
        else:
            own += self.schedule.columns()
        last = self.schedule.disqualified()
        if by == "runoff":
            runoff = runoff_tiebreaks(self.counts, weights_of(self.tournament, games))
            return ranking(self.tournament, self.counts, runoff[:1], (*own, *runoff), certainties, last)
        by_those = natural if by is None else TIEBREAKS[by]
        return ranking(self.tournament, self.counts, by_those, own, certainties, last)


class RankedRun(NamedTuple):
    """A finished run, counted and ranked."""

    totals: RunTotals
    ranking: Ranking


def count_run(path: Path, game: str | None = None, without_faults: bool = False) -> RunTotals:
    """Counts the records of a run."""
    tournament = config.of_manifest(folder.read_manifest(path))
    plan = schedule(tournament)
    counts = OutcomeCounts(tournament.names, [setup for setup in tournament.setups if game in (None, setup.game)])
    matches = left_out = 0
    for found in reader.read_blocks(path, plan):
        matches += len(found.records)
        if without_faults and any([record.faults for record in found.records]):
            left_out += game in (None, found.block.setup.game)
        else:
            counts.add(found.block, found.records)
    return RunTotals(tournament, plan, counts, matches, left_out)


def write_standings(path: Path, totals: RunTotals) -> RankedRun:
    """Ranks a finished run, and writes its standings into its folder."""
    ranked = totals.ranking()
    seats = seat_points(totals.counts)
    folder.write_atomically(path / folder.STANDINGS_JSON, f"{standings_text(ranked, seats, 'json')}\n".encode())
    folder.write_atomically(path / folder.STANDINGS_TEXT, f"{standings_text(ranked, seats, 'table')}\n".encode())
    return RankedRun(totals, ranked)
