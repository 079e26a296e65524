"""For authors of games and bots: their contracts as tests, positions, and bots that do what bots must not.

`GameContract` and `BotContract` are classes that pytest collects in anybody's repository. `position`, `act`, `legal`
and `events` set up matches and read them. `tourney.testing.bots` has the bots. Nothing here needs pytest to
be imported.
"""

from tourney.testing.contracts import BotContract, GameContract
from tourney.testing.matches import BrokenContractError
from tourney.testing.positions import act, events, legal, position

__all__ = ["BotContract", "BrokenContractError", "GameContract", "act", "events", "legal", "position"]
