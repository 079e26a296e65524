"""Le Léon: 2 to 10 seats bid how many tricks they will win; the joker may be any card. Rules: docs/rules/leon.md.

`cards` numbers the cards and actions, `tricks` says who wins, `scores` what bids and sanctions pay. `state` is a match
that is going on, `view` what a seat may know of it, `rounds` what that says about rounds and hands, `imagine` a match
that fits a view. `position` sets up a match in the middle.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
from mypy_extensions import mypyc_attr

from tourney.cards import LEON as DECK
from tourney.errors import ConfigError, ViewError
from tourney.game import Entry, Game, Observation
from tourney.games.leon.cards import LARGEST, NAMES
from tourney.games.leon.encode import encode, sections_for
from tourney.games.leon.imagine import imagine
from tourney.games.leon.position import facts, position
from tourney.games.leon.scores import SANCTION_POINTS, SANCTIONS
from tourney.games.leon.state import LeonState
from tourney.games.leon.view import LeonOptions, LeonView, largest_of
from tourney.games.leon.wording import LeonWording, observe


@mypyc_attr(allow_interpreted_subclasses=True)
class Leon(Game):
    """The rules of Le Léon."""

    name = "leon"
    title = "Le Léon"
    rules = "docs/rules/leon.md"
    seats = range(2, 11)
    Options = LeonOptions
    actions = ("trump:SUIT", "bid:N", "play:CARD", "leon:CARD", "confess", "silent", "leon")
    names = NAMES
    wording = LeonWording()

    def start(self, seats: int, options: LeonOptions, seed: int) -> LeonState:
        """Returns a new match."""
        state = LeonState()
        state.begin(seats, options, seed)
        return state

    def options(self, seats: int, given: Mapping[str, Any], where: str = "options") -> LeonOptions:
        """Returns the options with the given values, `max_cards` filled in for the number of seats."""
        options: LeonOptions = super().options(seats, given, where)
        return msgspec.structs.replace(options, max_cards=largest_of(options, seats))

    def validate(self, seats: int, options: LeonOptions) -> None:
        """Refuses hands for which the pack is too small."""
        if options.max_cards is not None and options.max_cards > LARGEST[seats]:
            raise ConfigError(
                f"max_cards: {options.max_cards} is more than {LARGEST[seats]}, the largest hand of {seats} seats"
            )

    def max_decisions(self, seats: int, options: LeonOptions) -> int:
        """Returns how many decisions a match has at most: in a round a trump suit, bids, cards, and answers."""
        largest = largest_of(options, seats)
        return 2 * largest * (1 + seats + 2 * seats * largest)

    def imagine(self, view: LeonView, rng: Random) -> LeonState:
        """Returns a state in which hands, secret bids and unnoticed revokes of the other seats fit the view."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def position(self, seats: int, options: LeonOptions, **facts: Any) -> LeonState:
        """Sets up a match in the middle; docs/rules/leon.md names the facts."""
        return position(seats, options, **facts)

    def facts(self, state: LeonState) -> dict[str, Any]:
        """Returns all that the state holds, by the names that `position` takes."""
        return facts(state)

    def encoding(self, seats: int, options: LeonOptions) -> tuple[str, ...]:
        """Returns the names of the elements of `encode`."""
        return sections_for(seats).names

    def encode(self, view: LeonView) -> list[float]:
        """Returns a view as a vector of numbers; docs/rules/leon.md lists the elements."""
        return encode(view)

    def event(self, entry: Entry) -> dict[str, Any]:
        """Returns a deal, a sanction, a trick or a score, as an event of the trace."""
        match entry:
            case ("deal", number, dealer, hands, up, deck):
                return {
                    "kind": "deal",
                    "round": number,
                    "dealer": dealer,
                    "hands": [DECK.texts(hand) for hand in hands],
                    "up": DECK.text(up),
                    "deck": DECK.texts(deck),
                }
            case ("sanction", seat, kind):
                return {"kind": "sanction", "seat": seat, "name": SANCTIONS[kind], "points": SANCTION_POINTS[kind]}
            case ("trick", winner):
                return {"kind": "trick", "winner": winner}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")

    def observe(self, state: LeonState, at: int, seat: int) -> Observation:
        """Returns what a seat learns from an entry of the log; see `wording`."""
        return observe(state, at, seat)


__all__ = ["Leon", "LeonOptions", "LeonState", "LeonView"]
