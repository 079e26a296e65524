"""Cold Blooded: 4 to 8 seats, hidden roles, one action card each, a series of games. Rules: docs/rules/cold-blooded.md.

A state is built up in layers, one a file: its cards, its turns, the actions in them, and the series of games.
"""

from random import Random
from typing import Any

from tourney.errors import ConfigError, ViewError
from tourney.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.games.cold_blooded.encode import encode, sections_for
from tourney.games.cold_blooded.imagine import imagine
from tourney.games.cold_blooded.position import facts, position
from tourney.games.cold_blooded.rules import CARDS, NAMES, ROLES
from tourney.games.cold_blooded.state import GAMES, ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, DeckCounts
from tourney.games.cold_blooded.wording import ColdBloodedWording, observe


class ColdBlooded(Game):
    """The rules of Cold Blooded."""

    name = "cold-blooded"
    title = "Cold Blooded"
    rules = "docs/rules/cold-blooded.md"
    seats = range(4, 9)
    Options = ColdBloodedOptions
    actions = (
        *("draw", "pass", "trade:SEAT", "trade:duke", "sniper:SEAT", "knife:SEAT", "knife:duke", "bomb", "uprising"),
        *("accept", "decline", "shell", "sacrifice", "stay", "show", "hide"),
        *("say:nothing", "say:guard", "say:CARD", "say:accuse:SEAT", "say:trust:SEAT"),
    )
    names = NAMES
    wording = ColdBloodedWording()

    def validate(self, seats: int, options: ColdBloodedOptions) -> None:
        """Refuses a deck that is too small.

        Raises:
            ConfigError: If there are fewer than two cards more than hands.
        """
        hands = max(seats, 5)
        cards = sum(options.deck.by_card())
        if cards < hands + 2:
            raise ConfigError(
                f"deck: {cards} cards are too few for {seats} seats; there must be at least {hands + 2}, "
                f"two more than the {hands} hands"
            )

    def start(self, seats: int, options: ColdBloodedOptions, seed: int) -> ColdBloodedState:
        """Starts a match."""
        state = ColdBloodedState()
        state.begin(seats, options, seed)
        return state

    def max_decisions(self, seats: int, options: ColdBloodedOptions) -> int:
        """Returns how many decisions a match has at most.

        In a turn, a seat talks and acts twice at most. An action takes a move, an answer or a shell, whether each seat
        gives a sacrifice, and whether a card is shown.
        """
        return min(GAMES * options.max_turns * (1 + 2 * (3 + seats)), MOST_DECISIONS)

    def imagine(self, view: ColdBloodedView, rng: Random) -> ColdBloodedState:
        """Draws a state that fits the view: roles, cards and who is being asked.

        Raises:
            ViewError: If the match of this view is over.
        """
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def position(self, seats: int, options: ColdBloodedOptions, **facts: Any) -> ColdBloodedState:
        """Returns the state with these facts; docs/rules/cold-blooded.md describes them under "Positions"."""
        return position(seats, options, **facts)

    def facts(self, state: ColdBloodedState) -> dict[str, Any]:
        """Returns all that the state holds, by the names that `position` takes."""
        return facts(state)

    def encoding(self, seats: int, options: ColdBloodedOptions) -> tuple[str, ...]:
        """Returns the names of the elements of `encode`."""
        return sections_for(seats).names

    def encode(self, view: ColdBloodedView) -> list[float]:
        """Returns a view as a vector of numbers; docs/rules/cold-blooded.md lists the elements."""
        return encode(view)

    def event(self, entry: Entry) -> dict[str, Any]:
        """Returns a deal or a score as an event of the trace."""
        match entry:
            case ("deal", number, duke, roles, hands, dummy, deck, starts):
                event = {
                    "kind": "deal",
                    "game": number,
                    "duke": duke,
                    "roles": [ROLES[role - 1] for role in roles],
                    "hands": [CARDS[card - 1] for card in hands],
                }
                if dummy is not None:
                    event["dummy"] = CARDS[dummy - 1]
                return event | {"deck": [CARDS[card - 1] for card in deck], "starts": starts}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")

    def observe(self, state: ColdBloodedState, at: int, seat: int) -> Observation:
        """What a seat learns from an entry of the log; see `wording`."""
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        return observe(state, at, seat)


__all__ = ["ColdBlooded", "ColdBloodedOptions", "ColdBloodedState", "ColdBloodedView", "DeckCounts"]
