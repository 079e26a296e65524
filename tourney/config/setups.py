"""The games of a tournament, read from its tables."""

from math import isfinite

from tourney import plugins, validation
from tourney.config.schema import GameTable
from tourney.errors import ConfigError, TourneyError
from tourney.game_failures import reading_options
from tourney.match import GameSetup


def game_setup(game: GameTable, where: str) -> GameSetup:
    """Returns the game of a `[[game]]` table, with those of its options that differ from their defaults."""
    try:
        rules = plugins.load_game(game.name)
    except TourneyError as error:
        raise ConfigError(f"{where}.name: {error}") from None
    seats = game.seats
    if seats is None:
        if len(rules.seats) > 1:
            raise ConfigError(f"{where}: say how many seats, as in seats = {rules.seats[0]}")
        seats = rules.seats[0]
    if seats not in rules.seats:
        raise ConfigError(f"{where}.seats: {rules.no_such_seats(seats)}")
    with reading_options(rules):
        options = rules.options(seats, game.options, f"{where}.options")
        defaults = type(options)()
    if not isfinite(game.weight):
        raise ConfigError(f"{where}.weight: {game.weight} is no weight; take a number above 0, as in weight = 2")
    names = [name for name in options.__struct_fields__ if getattr(options, name) != getattr(defaults, name)]
    return GameSetup(game.name, seats, validation.plain({name: getattr(options, name) for name in names}))
