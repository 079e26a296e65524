"""The standings of a run's folder, finished or not."""

from dataclasses import dataclass
from pathlib import Path

from tourney import config
from tourney.config import Tournament
from tourney.errors import IncomparableError
from tourney.journal import counts_cache, folder, reader
from tourney.schedule.base import Schedule
from tourney.schedule.registry import schedule
from tourney.stats.outcome_counts import OutcomeCounts
from tourney.stats.ranking import TIEBREAKS, Ranking, ranking
from tourney.stats.seat_bias import seat_points
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak
from tourney.text_tables import standings_data, standings_text


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted of a run."""

    tournament: Tournament
    schedule: Schedule
    """That has been told of all records."""
    counts: OutcomeCounts
    matches: int
    """How many were read, counted or not."""
    left_out: int
    """Blocks that were left out, as a match in them had a fault."""

    def ranking(self, by: CommonTiebreak | None = None) -> Ranking:
        """The standings, by what is given, or as the format ranks.

        What only the format knows is about the whole tournament; of a part of it, it says nothing.

        Raises:
            IncomparableError: The games that were counted do not have in common what is to be ranked by.
        """
        games = self.counts.setups
        one_game = len({setup.game for setup in games}) == 1
        which = f"; {games[0].game} is there with different seats or options" if one_game else ""
        if by == "score" and len(games) > 1:
            raise IncomparableError(f"scores of several games have nothing in common{which}", one_game)
        if by == "place" and len({setup.seats for setup in games}) > 1:
            raise IncomparableError(f"the games have different numbers of seats{which}", one_game)
        natural = self.schedule.ranks_by()
        own = [each for each in natural if isinstance(each, Tiebreak)]
        if self.left_out or len(games) < len(self.tournament.setups):
            natural, own = [each for each in natural if not isinstance(each, Tiebreak)], []
        return ranking(self.tournament, self.counts, natural if by is None else TIEBREAKS[by], own)


def counted(path: Path, game: str | None = None, without_faults: bool = False) -> Counted:
    """What the records of a run come to: those of a game, or all; if wanted, without blocks in which there was a fault.

    They are counted, unless what is wanted was kept when the run was finished.
    """
    tournament = config.of_manifest(folder.read_manifest(path))
    if all([game in (None, setup.game) for setup in tournament.setups]):
        found = counts_cache.load(path, tournament)
        if found is not None and not (without_faults and found[0].any_faults):
            return Counted(tournament, schedule(tournament), *found, left_out=0)
    return _read(path, tournament, game, without_faults)


def _read(path: Path, tournament: Tournament, game: str | None, without_faults: bool) -> Counted:
    """The same, counted record by record."""
    plan = schedule(tournament)
    chosen = [setup for setup in tournament.setups if game in (None, setup.game)]
    counts = OutcomeCounts(tournament.names, chosen)
    matches = left_out = 0
    for found in reader.read_batches(path, plan):
        matches += len(found.batch.lines)
        if not without_faults:
            counts.add(found.batch)
            continue
        for batch in found.batch.by_block():
            if any([result.faults for result in batch.results()]):
                left_out += game in (None, batch.blocks[0].setup.game)
            else:
                counts.add(batch)
    return Counted(tournament, plan, counts, matches, left_out)


def write_standings(path: Path) -> None:
    """Writes the standings of a finished run into its folder, and keeps what was counted for them."""
    tournament, before = config.of_manifest(folder.read_manifest(path)), counts_cache.run_digest(path)
    write_counted(path, before, _read(path, tournament, None, without_faults=False))


def write_counted(path: Path, run: bytes, found: Counted) -> None:
    """The same with what was counted of all its matches, and the fingerprint of what was counted."""
    ranked = found.ranking()
    folder.write_whole(path / folder.STANDINGS_JSON, folder.json_text(standings_data(ranked.rows)))
    text = standings_text(ranked, seat_points(found.counts), "table")
    folder.write_whole(path / folder.STANDINGS_TEXT, f"{text}\n".encode())
    if not found.schedule.adapts:  # such a schedule ranks by more than what is counted
        counts_cache.save(path, run, found.counts, found.matches)
