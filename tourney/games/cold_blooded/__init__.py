"""Cold Blooded: 4 to 8 seats, hidden roles, a card each, a series of games. Rules: docs/rules/cold-blooded.md."""

from random import Random
from typing import Any

from tourney.base.errors import ConfigError, ViewError
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.contracts.wording import RoundWording
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.encode import vector_of
from tourney.games.cold_blooded.imagine import imagine
from tourney.games.cold_blooded.position import position
from tourney.games.cold_blooded.rules import CARDS, NAMES, ROLES
from tourney.games.cold_blooded.state import GAMES, ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, DeckCounts


class ColdBloodedWording(RoundWording):
    """The words of Cold Blooded."""

    numbered_by = "game"
    seats = ("duke", "starts", "seat")

    def to_trick(self, action: str) -> str | None:
        """None, as there are no tricks."""
        return None

    def holding(self, view: ColdBloodedView) -> str | None:
        """The one card in the hand of the seat."""
        return view.card


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
        """Refuses a deck of fewer than two cards more than hands."""
        hands = max(seats, 5)
        cards = sum(options.deck.by_card())
        if cards < hands + 2:
            raise ConfigError(
                f"deck: {cards} cards are too few for {seats} seats; there must be at least {hands + 2}, "
                f"two more than the {hands} hands"
            )

    def start(self, seats: int, options: ColdBloodedOptions, seed: int) -> ColdBloodedState:
        state = ColdBloodedState()
        state.begin(seats, options, seed)
        return state

    def max_decisions(self, seats: int, options: ColdBloodedOptions) -> int:
        """Bounds the decisions of a match.

        In a turn, a seat talks and acts twice at most. An action takes a move, an answer or a shell, whether each seat
        gives a sacrifice, and whether a card is shown.
        """
        return min(GAMES * options.max_turns * (1 + 2 * (3 + seats)), MOST_DECISIONS)

    def imagine(self, view: ColdBloodedView, rng: Random) -> ColdBloodedState:
        """Draws roles, cards and who is being asked."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return imagine(view, rng)

    def position(self, seats: int, options: ColdBloodedOptions, **facts: Any) -> ColdBloodedState:
        return position(seats, options, **facts)

    def encoding(self, seats: int, options: ColdBloodedOptions) -> tuple[str, ...]:
        return vector_of(self.start(seats, options, 0).view(0)).names

    def encode(self, view: ColdBloodedView) -> list[float]:
        return vector_of(view).values

    def event(self, entry: Entry) -> dict[str, Any]:
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
        """Hides what a seat does not learn.

        docs/rules/cold-blooded: somebody else's knife is a trade until its victim dies or is saved, and stays one if it
        is declined; nobody learns that another seat was asked for a shell or a sacrifice and did nothing.
        """
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        decider, action, _ = state.log[at]
        # a trade, or what looks like one, is open while it may be declined or somebody may sacrifice itself
        is_open = state.seat is not None and state.legal() in (cb.CHOICES[cb.ANSWER], cb.CHOICES[cb.ASK_SACRIFICE])
        answered = not is_open and action in (cb.ACCEPT, cb.STAY, cb.SACRIFICE)
        reveals = _knife_before(state, at) if answered else ()
        if decider == seat:
            return Observation(NAMES[action], reveals)
        if action == cb.STAY:
            return Observation(None, reveals)
        if is_open and cb.KNIFE <= action < cb.BOMB:
            action += cb.TRADE - cb.KNIFE
        return Observation(NAMES[action], reveals)


def _knife_before(state: ColdBloodedState, at: int) -> tuple[int, ...]:
    """The index in the log of the knife that the answers up to `at` were about, if it was a knife."""
    for i in range(at - 1, -1, -1):
        action = state.log[i][1]
        if action not in (cb.ACCEPT, cb.STAY):
            return (i,) if cb.KNIFE <= action < cb.BOMB else ()
    return ()


__all__ = ["ColdBlooded", "ColdBloodedOptions", "ColdBloodedState", "ColdBloodedView", "DeckCounts"]
