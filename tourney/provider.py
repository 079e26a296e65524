"""The contract of a provider: games and bots that are found by a prefix, and have no entry points of their own.

An entry point of the group `tourney.providers` names a class of this shape. It brings all games and bots whose names
begin with the name of the entry point and a colon, such as `open_spiel:hearts`.
"""

from typing import Any, Protocol

from tourney.fingerprints import Fingerprint
from tourney.game import Game


class Provider(Protocol):
    """What an entry point of the group `tourney.providers` names: games and bots that have no entry points."""

    def game(self, name: str) -> Game:
        """Returns the game of that name, prefix included; raises a `TourneyError` if there is none."""

    def bot(self, name: str) -> Any:
        """Returns the class of the bot of that name, prefix included; raises a `TourneyError` if there is none."""

    def fingerprint(self) -> Fingerprint:
        """Returns the fingerprint of all its games and bots."""
