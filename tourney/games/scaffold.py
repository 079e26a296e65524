"""What the games have in common: how a match begins, is set up, imagined and encoded, and the events of a trick."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from random import Random
from typing import Any, ClassVar, NamedTuple, TypeAlias

from tourney.base.errors import ConfigError, ViewError
from tourney.contracts.cards import Deck
from tourney.contracts.encoding import Vector
from tourney.contracts.game import Entry, Game, State

Cards: TypeAlias = tuple[int, ...] | list[int]


class Parts(NamedTuple):
    """The parts of a game, each from a module of its folder."""

    state: Callable[[], Any]
    """Makes a state, whose `begin` deals the cards."""
    imagine: Callable[[Any, Random], State]
    """Draws what the seat of a view does not see."""
    position: Callable[..., State]
    """Sets up a state from facts."""
    vector: Callable[[Any], Vector]
    """Makes the vector of a view."""
    over: Callable[[Any], bool] = attrgetter("over")
    """Whether the match of a view is over."""


class CardGame(Game):
    """A game of `parts`."""

    parts: ClassVar[Parts]

    def start(self, seats: int, options: Any, seed: int) -> Any:
        if isinstance(options, dict):
            raise ConfigError(f"options: expected the game's own, got a dict; pass game.options({seats}, {options})")
        state = self.parts.state()
        state.begin(seats, options, seed)
        return state

    def imagine(self, view: Any, rng: Random) -> State:
        if self.parts.over(view):
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return self.parts.imagine(view, rng)

    def hidden(self, state: State, seat: int) -> Mapping[str, Sequence[str]]:
        deck, view = self.wording.deck, state.view(seat)
        return {"hand": [deck.names[card] for card in getattr(view, "hand", ())]} if deck else {}

    def position(self, seats: int, options: Any, **facts: Any) -> State:
        return self.parts.position(seats, options, **facts)

    def encoding(self, seats: int, options: Any) -> tuple[str, ...]:
        return self.parts.vector(self.start(seats, options, 0).view(0)).names

    def encode(self, view: Any) -> list[float]:
        return self.parts.vector(view).values

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("trick", winner):
                return {"kind": "trick", "winner": winner}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")


def dealt(deck: Deck, hands: Iterable[Cards], up: int, rest: Cards, **of_round: int) -> dict[str, Any]:
    """The event of a round's deal, with the card turned up and the rest of the deck."""
    texts = {"hands": [deck.texts(hand) for hand in hands], "up": deck.text(up), "deck": deck.texts(rest)}
    return {"kind": "deal"} | of_round | texts
