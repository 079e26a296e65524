"""The schedule of a tournament, by its format."""

from tourney import plugins
from tourney.config import Tournament
from tourney.schedule.base import Schedule


def schedule(tournament: Tournament) -> Schedule:
    """Returns a new schedule of the tournament, before the first round."""
    made: Schedule = plugins.load_format(tournament.format)(tournament)
    return made
