"""Voleur: 2 to 5 seats, four tricks a round; the best combination in a hand scores. Rules: docs/rules/voleur.md.

`cards` numbers the cards and actions, `combinations` says what cards score, `tricks` who wins. `state` is a match that
is going on, `view` what a seat may know of it, `imagine` a match that fits a view. `position` sets up a match in the
middle.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from mypy_extensions import mypyc_attr

from tourney.cards import STANDARD
from tourney.errors import ViewError
from tourney.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.games.tricks import mask_of
from tourney.games.voleur.cards import NAMES
from tourney.games.voleur.combinations import COMBINATIONS, Combination, best
from tourney.games.voleur.encode import encode, sections_for
from tourney.games.voleur.imagine import imagine
from tourney.games.voleur.position import facts, position
from tourney.games.voleur.state import VoleurState
from tourney.games.voleur.tricks import VoleurTrick
from tourney.games.voleur.view import VoleurOptions, VoleurRound, VoleurView
from tourney.games.voleur.wording import VoleurWording, observe


@mypyc_attr(allow_interpreted_subclasses=True)
class Voleur(Game):
    """The rules of Voleur."""

    name = "voleur"
    title = "Voleur"
    rules = "docs/rules/voleur.md"
    seats = range(2, 6)
    Options = VoleurOptions
    actions = ("discard:CARD", "play:CARD", "keep", "steal:SEAT", "take:CARD")
    names = NAMES
    wording = VoleurWording()

    def start(self, seats: int, options: VoleurOptions, seed: int) -> VoleurState:
        """Returns a new match."""
        state = VoleurState()
        state.begin(seats, options, seed)
        return state

    def max_decisions(self, seats: int, options: VoleurOptions) -> int:
        """Returns how many decisions a match has at most: six cards of each seat and a privilege a round."""
        return min((6 * seats + 1) * options.max_rounds, MOST_DECISIONS)

    def imagine(self, view: VoleurView, rng: Random) -> VoleurState:
        """Returns a state in which the other seats' hands, discards and secret picks fit the view."""
        if view.turn is None:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def combination(self, cards: Sequence[int]) -> Combination:
        """Returns the best combination in any number of cards: its name and its points."""
        return best(mask_of(cards))

    def position(self, seats: int, options: VoleurOptions, **facts: Any) -> VoleurState:
        """Sets up a match in the middle; docs/rules/voleur.md names the facts."""
        return position(seats, options, **facts)

    def facts(self, state: VoleurState) -> dict[str, Any]:
        """Returns all that the state holds, by the names that `position` takes."""
        return facts(state)

    def encoding(self, seats: int, options: VoleurOptions) -> tuple[str, ...]:
        """Returns the names of the elements of `encode`."""
        return sections_for(seats).names

    def encode(self, view: VoleurView) -> list[float]:
        """Returns a view as a vector of numbers; docs/rules/voleur.md lists the elements."""
        return encode(view)

    def event(self, entry: Entry) -> dict[str, Any]:
        """Returns a deal, a trick or a score, as an event of the trace."""
        match entry:
            case ("deal", number, hands, up, deck):
                return {
                    "kind": "deal",
                    "round": number,
                    "hands": [STANDARD.texts(hand) for hand in hands],
                    "up": STANDARD.text(up),
                    "deck": STANDARD.texts(deck),
                }
            case ("trick", winner):
                return {"kind": "trick", "winner": winner}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")

    def observe(self, state: VoleurState, at: int, seat: int) -> Observation:
        """Returns what a seat learns from an entry of the log; see `wording`."""
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        return observe(state, at, seat)


__all__ = [
    "COMBINATIONS",
    "Combination",
    "Voleur",
    "VoleurOptions",
    "VoleurRound",
    "VoleurState",
    "VoleurTrick",
    "VoleurView",
]
