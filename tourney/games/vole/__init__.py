"""The Vole in the Valley: 2 seats, 13 tricks a round, odd ranks with abilities. Rules: docs/rules/vole.md."""

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from mypy_extensions import mypyc_attr

from tourney.base.errors import ViewError
from tourney.contracts.cards import VOLE
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.contracts.wording import RoundWording
from tourney.games.vole.encode import vector_of
from tourney.games.vole.imagine import imagine
from tourney.games.vole.position import position
from tourney.games.vole.rules import BURY, NAMES, VoleTrick
from tourney.games.vole.state import VoleState
from tourney.games.vole.view import VoleOptions, VoleRound, VoleView


class VoleWording(RoundWording):
    """The words of The Vole in the Valley."""

    goal = (
        "Win few tricks of a round (at most 3) or a good many (7 to 9): both are worth 6 points, what is between them "
        "little, and more nothing. The first to reach the target wins."
    )
    glossary: ClassVar[Mapping[str, str]] = {
        "1": "who plays it and loses the trick leads the next one",
        "3": "its player may swap the trump card with a card of its hand",
        "5": "its player draws a card, and buries one under the deck",
        "7": "whoever wins the trick gets a point for it",
        "9": "counts as a trump if it is the only 9 in the trick",
        "11": "if it is led, the other must play its highest card of that suit, or its 1",
    }
    deck = VOLE
    seats = ("leader", "winner")
    at_end = "for 7s"


@mypyc_attr(allow_interpreted_subclasses=True)
class Vole(Game):
    """The rules of The Vole in the Valley."""

    name = "vole"
    title = "The Vole in the Valley"
    rules = "docs/rules/vole.md"
    seats = range(2, 3)
    Options = VoleOptions
    actions = ("play:CARD", "swap:CARD", "keep", "bury:CARD")
    names = NAMES
    wording = VoleWording()

    def start(self, seats: int, options: VoleOptions, seed: int) -> VoleState:
        state = VoleState()
        state.begin(options, seed)
        return state

    def max_decisions(self, seats: int, options: VoleOptions) -> int:
        """Bounds the decisions of a match: 26 cards a round, and what the 3s and 5s leave to decide.

        Both seats together score 6 points a round or more.
        """
        rounds = min(options.max_rounds, (options.target - 1) // 3 + 1)
        return min(32 * rounds, MOST_DECISIONS)

    def imagine(self, view: VoleView, rng: Random) -> VoleState:
        """Draws the hand of the other seat, the order of the deck, and hidden burials."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def position(self, seats: int, options: VoleOptions, **facts: Any) -> VoleState:
        return position(options, **facts)

    def encoding(self, seats: int, options: VoleOptions) -> tuple[str, ...]:
        return vector_of(self.start(seats, options, 0).view(0)).names

    def encode(self, view: VoleView) -> list[float]:
        return vector_of(view).values

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("deal", number, leader, first, second, up, deck):
                hands = [VOLE.texts(first), VOLE.texts(second)]
                return {
                    "kind": "deal",
                    "round": number,
                    "leader": leader,
                    "hands": hands,
                    "up": VOLE.text(up),
                    "deck": VOLE.texts(deck),
                }
            case ("trick", winner):
                return {"kind": "trick", "winner": winner}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")

    def observe(self, state: VoleState, at: int, seat: int) -> Observation:
        """Hides the cards that the other seat buries."""
        decider, action, *_ = state.log[at]
        if isinstance(decider, int) and action >= BURY and decider != seat:
            # docs/rules/vole, "What a seat sees": not even when the round is over
            return Observation("bury:?")
        return super().observe(state, at, seat)


__all__ = ["Vole", "VoleOptions", "VoleRound", "VoleState", "VoleTrick", "VoleView"]
