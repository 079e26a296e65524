"""What the number of deals of a tournament can tell, in words."""

from itertools import pairwise
from math import ceil, inf
from pathlib import Path

import msgspec

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.wording import counted
from tourney.journal import folder
from tourney.schedule.base import schedule
from tourney.standings.resolution import Resolution

LEAGUE_MATCHES = 1000


class _Rated(msgspec.Struct):
    bot: str
    rating: float | None


def resolution_lines(tournament: Tournament, path: Path) -> list[str]:
    """A line with the least difference that the deals can tell; none if that depends on results.

    `path` is the run's folder, whose standings may have an earlier field.
    """
    found = _of(tournament)
    elo = inf if found is None else found.elo(tournament.deals)
    if elo == inf:
        return []
    close = _closer(tournament, path, elo)
    lie = f"; {counted(close, 'neighbour')} of the last field {'lies' if close == 1 else 'lie'} closer" if close else ""
    deals = counted(tournament.deals, "deal")
    return [f"{deals} tell bots apart that differ by {ceil(elo)} Elo, in four of five runs{lie}"]


def deals_line(tournament: Tournament, elo: float) -> str:
    """A line with the number of deals that can tell this difference; raises a `ConfigError` if that is unknown."""
    found = _of(tournament)
    if found is None:
        how = "with fixed seatings" if tournament.seatings == "fixed" else f"in a {tournament.format}"
        raise ConfigError(f"no known number of deals tells {elo:g} Elo {how}; use a round-robin with rotations")
    return f"to tell bots apart that differ by {elo:g} Elo, in four of five runs: deals = {found.deals(elo)}"


def league_line(tournament: Tournament) -> str:
    """A line with the least difference that a number of matches per bot can tell, in a league of many bots."""
    setups = tournament.setups
    seats = setups[0].seats
    duels = LEAGUE_MATCHES / len(setups) / seats * (seats - 1) / seats
    elo = Resolution(setups, tournament.all_weights, duels).elo(1)
    return f"{LEAGUE_MATCHES} matches per bot tell bots apart that differ by {ceil(elo)} Elo, in four of five leagues"


def _of(tournament: Tournament) -> Resolution | None:
    duels = None if tournament.seatings == "fixed" else schedule(tournament).duels()
    return None if not duels else Resolution(tournament.setups, tournament.all_weights, duels / tournament.deals)


def _closer(tournament: Tournament, path: Path, elo: float) -> int:
    """How many neighbours in the run's standings are closer than this, of the bots that are entered again."""
    try:
        rows = msgspec.json.decode((path / folder.STANDINGS_JSON).read_bytes(), type=list[_Rated])
    except (OSError, msgspec.DecodeError):
        return 0
    ratings = sorted([row.rating for row in rows if row.rating is not None and row.bot in tournament.names])
    return sum([high - low < elo for low, high in pairwise(ratings)])
