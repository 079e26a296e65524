"""The schedule of a tournament, by its format."""

from tourney.config import Tournament
from tourney.schedule.base import Schedule
from tourney.schedule.gauntlet import Gauntlet
from tourney.schedule.knockout import Knockout
from tourney.schedule.mirror import Mirror
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.swiss import Swiss

FORMATS: dict[str, type[Schedule]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "knockout": Knockout,
    "mirror": Mirror,
}


def schedule(tournament: Tournament) -> Schedule:
    """What the tournament plays; a new one, before the first round."""
    return FORMATS[tournament.format](tournament)
