"""Voleur: 2 to 5 seats, four tricks a round; the best combination in a hand scores. Rules: docs/rules/voleur.md."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from mypy_extensions import mypyc_attr

from tourney.base.errors import ViewError
from tourney.contracts.cards import STANDARD
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.contracts.wording import RoundWording
from tourney.games.tricks import mask_of
from tourney.games.voleur.encode import vector_of
from tourney.games.voleur.imagine import imagine
from tourney.games.voleur.position import position
from tourney.games.voleur.rules import COMBINATIONS, DEALT, DISCARD, KEEP, NAMES, Combination, best
from tourney.games.voleur.state import VoleurState
from tourney.games.voleur.view import VoleurOptions, VoleurView


class VoleurWording(RoundWording):
    """The words of Voleur."""

    goal = (
        "Keep four cards that make a good combination, and win the last trick with them, as its winner may rob "
        "somebody. The best score after several rounds wins."
    )
    glossary: ClassVar[Mapping[str, str]] = {
        "pair": "two of a rank",
        "run": "three in sequence",
        "two pairs": "two of a rank, twice",
        "pair run": "three in sequence, and another card of a rank among them",
        "sequence": "four in sequence",
        "triple": "three of a rank",
        "run flush": "three in sequence in one suit",
        "pair flush": "two pairs, each either red or black",
        "sequence flush": "four in sequence in one suit",
        "quadra": "four of a rank",
        "privilege": "who wins the last trick may score like the others, steal points or take a card",
        "keep": "to score like the others",
        "steal": "to get the points of its combination from another player",
        "take": "to get a better combination by a card of another player or of the discards",
    }
    deck = STANDARD
    seats = ("leader", "winner")


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
        state = VoleurState()
        state.begin(seats, options, seed)
        return state

    def max_decisions(self, seats: int, options: VoleurOptions) -> int:
        """Bounds the decisions of a match: six cards of each seat and a privilege a round."""
        return min((6 * seats + 1) * options.max_rounds, MOST_DECISIONS)

    def imagine(self, view: VoleurView, rng: Random) -> VoleurState:
        """Draws the hands and discards of the other seats and their secret picks."""
        if view.turn is None:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def combination(self, cards: Sequence[int]) -> Combination:
        """The best combination in any number of cards: its name and its points."""
        return best(mask_of(cards))

    def position(self, seats: int, options: VoleurOptions, **facts: Any) -> VoleurState:
        return position(seats, options, **facts)

    def encoding(self, seats: int, options: VoleurOptions) -> tuple[str, ...]:
        return vector_of(self.start(seats, options, 0).view(0)).names

    def encode(self, view: VoleurView) -> list[float]:
        return vector_of(view).values

    def event(self, entry: Entry) -> dict[str, Any]:
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
        """Hides what a seat does not learn.

        docs/rules/voleur, "What a seat sees": whose turn it is; in a secret decision this tells which seats have made
        theirs, and nothing about the cards. So the first of two discards is not noticed. The cards of a simultaneous
        trick are shown together.
        """
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        decider, action, legal = state.log[at]
        if DISCARD <= action < KEEP and decider != seat:
            return Observation(None if len(legal) == DEALT else "discard:?")
        if action >= DISCARD:
            return Observation(NAMES[action])
        if at + 1 < len(state.log):  # the card completed its trick
            return Observation(NAMES[action], tuple(range(at - len(state.scores) + 1, at)))
        secret = decider != seat and state.view(seat).leader is None
        return Observation("play:?" if secret else NAMES[action])


__all__ = ["COMBINATIONS", "Combination", "Voleur", "VoleurOptions", "VoleurState", "VoleurView"]
