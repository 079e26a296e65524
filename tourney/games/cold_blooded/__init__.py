"""Cold Blooded: 4 to 8 seats, hidden roles, a card each, a series of games. Rules: docs/rules/cold-blooded.md."""

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from tourney.base.errors import ConfigError, ViewError
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation
from tourney.contracts.wording import NameOf, RoundWording, counted, listed_text
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.encode import vector_of
from tourney.games.cold_blooded.imagine import imagine
from tourney.games.cold_blooded.position import position
from tourney.games.cold_blooded.rules import CARDS, NAMES, ROLES
from tourney.games.cold_blooded.state import GAMES, ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, DeckCounts


class ColdBloodedWording(RoundWording):
    """The words of Cold Blooded."""

    goal = (
        "Assassins win once the Duke is dead, or by a bomb; guards and the Duke win once no assassin is left alive. "
        "You know your own role and card, and have to find out who is who."
    )
    glossary: ClassVar[Mapping[str, str]] = {
        "duke": "known to all; if he dies, the assassins win",
        "guard": "wins with the Duke, once no assassin is left alive",
        "assassin": "wins once the Duke is dead, or by a bomb",
        "sniper": "eliminates somebody who has no shell",
        "knife": "looks like a trade, but eliminates the other and takes its card",
        "sacrifice": "its holder may die in the place of another",
        "shell": "saves its holder from a sniper",
        "bomb": "of an assassin: laid open, it wins when its player's next turn comes",
        "uprising": "of an assassin: brings all dead assassins back",
    }
    numbered_by = "game"
    seats = ("duke", "starts", "seat")

    def to_trick(self, action: str) -> str | None:
        """None, as there are no tricks."""
        return None

    def holding(self, view: ColdBloodedView) -> str | None:
        """The one card in the hand of the seat."""
        return view.card

    def situation(self, view: ColdBloodedView, name: NameOf) -> list[str]:
        """Whose turn it is and what is asked, what the seat is and holds, and what it knows of the others."""

        def place(where: int) -> str:
            return "the Duke" if where == cb.DUMMY else name(where)

        own, mover = view.seat, view.mover
        whose = "your" if mover == own else f"{name(mover)}'s"
        action = "second action" if view.second else "turn"
        said = [f"Game {view.game}, turn {view.turn}: {whose} {action}. {_ASKED[view.phase].format(mover=name(mover))}"]
        said.append(f"You are {_ROLE[view.role]}, and hold {f'the {view.card}' if view.card else 'no card'}.")
        known = [f"{name(seat)} is {_ROLE[role]}" for seat, role in enumerate(view.roles) if role and seat != own]
        known += [
            f"{place(seat)} holds the {card}"
            for seat, token in enumerate(view.hands)
            if seat != own and (card := view.card_at(token)) is not None
        ]
        known += [
            f"card {number} of the deck is the {card}"
            for number, token in enumerate(view.deck, 1)
            if (card := view.card_at(token)) is not None
        ]
        said += [f"You know that {listed_text(known)}."] if known else []
        dead = [name(seat) for seat in range(view.seats) if not view.alive >> seat & 1]
        said += [f"Eliminated: {listed_text(dead)}."] if dead else []
        bombs = [name(seat) for seat, token in enumerate(view.bombs) if token >= 0]
        said += [f"A bomb lies before {listed_text(bombs)}."] if bombs else []
        points = [f"{name(seat)} {score}" for seat, score in enumerate(view.scores)]
        return [*said, f"The deck has {counted(len(view.deck), 'card')}. Points: {', '.join(points)}."]


_ROLE = {"duke": "the Duke", "guard": "a guard", "assassin": "an assassin"}
_ASKED = {
    "talk": "Say something to all, true or not.",
    "move": "Draw, pass, trade, or play your card.",
    "answer": "{mover} wants to trade cards with you: accept, or decline?",
    "shell": "A sniper is aimed at you: answer with your shell, or stay?",
    "sacrifice": "Somebody is about to be eliminated: sacrifice yourself, or stay?",
    "show": "You are eliminated: show your card, or hide it?",
    "wait": "Others may be asked.",
}
"""What a person is asked in each phase."""


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
