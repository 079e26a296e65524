"""Cold Blooded: 4 to 8 seats, hidden roles, a card each, a series of games. Rules: docs/rules/cold-blooded.md."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tourney.base.errors import ConfigError
from tourney.contracts.game import MOST_DECISIONS, Entry, Observation
from tourney.contracts.wording import YOU, Event, NameOf, RoundWording, by_seat, counted, listed_text
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.encode import vector_of
from tourney.games.cold_blooded.imagine import imagine
from tourney.games.cold_blooded.position import position
from tourney.games.cold_blooded.rules import CARDS, NAMES, ROLES
from tourney.games.cold_blooded.state import GAMES, ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, DeckCounts
from tourney.games.scaffold import CardGame, Parts


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
        "sniper": "eliminates a player without a shell",
        "knife": "looks like a trade, but eliminates the other and takes its card",
        "sacrifice": "its holder may die in the place of another",
        "shell": "saves its holder from a sniper",
        "bomb": "of an assassin: laid open, it wins when its player's next turn comes",
        "uprising": "of an assassin: brings all dead assassins back",
    }
    numbered_by = "game"
    seats = ("duke", "starts", "seat")
    phrases: ClassVar[Mapping[str, str]] = {
        "draw": "draw another card",
        "pass": "pass",
        "stay": "do nothing",
        "trade:": "trade cards with {seat}",
        "trade:duke": "trade cards with the Duke",
        "sniper:": "shoot {seat}",
        "knife:": "stab {seat}",
        "knife:duke": "stab the Duke",
        "bomb": "lay the bomb open",
        "uprising": "bring all eliminated assassins back",
        "accept": "accept the trade",
        "decline": "decline the trade",
        "shell": "answer with the shell",
        "sacrifice": "die in the other's place",
        "show": "show the card",
        "hide": "hide the card",
        "say:nothing": "say nothing",
        "say:": "claim to hold the {what}",
        "say:guard": "claim to be a guard",
        "say:accuse:": "accuse {seat}",
        "say:trust:": "trust {seat}",
    }

    def gains(self, event: Event, view: ColdBloodedView, name: NameOf) -> list[str]:
        """Who was on the side that won."""
        return ["wins" if points else "loses" if any(event["points"]) else "drawn" for points in event["points"]]

    def effects(self, before: ColdBloodedView, after: ColdBloodedView, name: NameOf) -> list[str]:
        """Who is eliminated or back, which card is shown, and which side has won and why."""
        ended = after.past[-1][0] if len(after.past) > len(before.past) else None
        moves, types = (after.moves, after.types) if ended is None else (ended[5], after.past[-1][2])
        said = []
        for place, code, what, _ in moves[len(before.moves) :]:
            said += [f"eliminated: {_place(place, name)}, {_ROLE[cb.ROLES[what - 1]]}"] if code == cb.OUT else []
            said += [f"shown: the {cb.CARDS[cb.card_of(types, what) - 1]}"] if code == cb.SHOW else []
            said += [f"back in the game: {name(place)}"] if code == cb.BACK else []
        if ended is None:
            return said
        if ended[3] == cb.GUARD:
            return [*said, "the guards and the Duke win: no assassin is left alive"]
        why = "the Duke is dead" if (cb.OUT, cb.DUKE) in [move[1:3] for move in moves] else "the bomb has exploded"
        drawn = f"no one wins: the game has had its {counted(after.options.max_turns, 'turn')}"
        return [*said, f"the assassins win: {why}" if ended[3] == cb.ASSASSIN else drawn]

    def to_trick(self, action: str) -> str | None:
        """None: there are no tricks."""
        return None

    def holding(self, view: ColdBloodedView) -> str | None:
        """The one card in the hand of the seat."""
        return view.card

    def decider(self, view: ColdBloodedView) -> int | None:
        """The seat to decide, unless it is asked in secret."""
        decider = {"talk": view.mover, "move": view.mover, "answer": view.aim, "show": view.aim}.get(view.phase)
        return None if view.over or decider == cb.DUMMY else decider

    def stakes(self, view: ColdBloodedView, name: NameOf) -> list[str]:
        """Open bombs, and the Duke's life while he is aimed at."""
        if view.over:
            return []
        bombs = [name(seat) for seat, token in enumerate(view.bombs) if token >= 0]
        whose = ["your" if who == YOU else f"{who}'s" for who in bombs]
        said = [f"the assassins win by the bomb when {each} next turn comes" for each in whose]
        duke = cb.DUMMY if view.duke is None else view.duke
        in_danger = view.aim == duke and view.phase in ("shell", "sacrifice", "wait")
        return [*said, "if the Duke is eliminated, the assassins win"] if in_danger else said

    def situation(self, view: ColdBloodedView, name: NameOf) -> list[str]:
        """The mover and the question, the seat's role and card, and its knowledge of the others."""
        if view.over:
            return []
        own, mover = view.seat, view.mover
        whose = "your" if mover == own else f"{name(mover)}'s"
        action = "second action" if view.second else "turn"
        decider = self.decider(view)
        asked = own if decider is None else decider
        aim = "nobody" if view.aim < 0 else _place(view.aim, name)
        what = _ASKED[view.phase][asked != own].format(mover=name(mover), aim=aim)
        said = [f"Game {view.game}, turn {view.turn}: {whose} {action}. {what[:1].upper()}{what[1:]}"]
        held = f"the {view.card} ({self.glossary[view.card]})" if view.card else "no card"
        said.append(f"You are {_ROLE[view.role]}, and hold {held}. You win {_AIM[view.role]}.")
        known = [f"{name(seat)} is {_ROLE[role]}" for seat, role in enumerate(view.roles) if role and seat != own]
        known += [
            f"{_place(seat, name)} holds the {card}"
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
        said += ["The uprising has been played."] if view.uprising_gone else []
        points = f"Points, to {view.options.target}: {by_seat(view.scores, name)}."
        return [*said, f"The deck has {counted(len(view.deck), 'card')}. {points}"]


def _place(place: int, name: NameOf) -> str:
    return "the Duke" if place == cb.DUMMY else name(place)


_AIM = {
    "duke": "with the guards once no assassin is alive, and lose if you die",
    "guard": "with the Duke once no assassin is alive, and lose if he dies",
    "assassin": "once the Duke is dead, or by a bomb",
}
_ROLE = {"duke": "the Duke", "guard": "a guard", "assassin": "an assassin"}
_ASKED = {
    "talk": ("Say something to all, true or not.", "{mover} says something to all, true or not."),
    "move": (
        "Draw another card, pass, trade cards, or play yours.",
        "{mover} draws, passes, trades, or plays its card.",
    ),
    "answer": ("{mover} wants to trade cards with you: accept, or decline?", "{aim} accepts or declines a trade."),
    "shell": ("A sniper is aimed at you: answer with your shell, or stay?", ""),
    "sacrifice": ("{aim} is about to be eliminated: sacrifice yourself, or stay?", ""),
    "show": ("You are eliminated: show your card, or hide it?", "{aim} is eliminated, and shows its card or hides it."),
    "wait": ("aimed at: {aim}; others may be asked.", ""),
}
"""The question in each phase, to the view's seat and to another."""


class ColdBlooded(CardGame):
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
    parts = Parts(ColdBloodedState, imagine, position, vector_of)

    def validate(self, seats: int, options: ColdBloodedOptions) -> None:
        """Refuses a deck of fewer than two cards more than hands."""
        hands = max(seats, 5)
        cards = sum(options.deck.by_card())
        if cards < hands + 2:
            raise ConfigError(
                f"deck: must have at least {hands + 2} cards for {seats} seats, "
                f"two more than the {hands} hands; got {cards}"
            )

    def max_decisions(self, seats: int, options: ColdBloodedOptions) -> int:
        """Bounds the decisions of a match.

        In a turn, a seat talks and acts twice at most. An action takes a move, an answer or a shell, whether each seat
        gives a sacrifice, and whether a card is shown.
        """
        return min(GAMES * options.max_turns * (1 + 2 * (3 + seats)), MOST_DECISIONS)

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
        return super().event(entry)

    def hidden(self, state: Any, seat: int) -> Mapping[str, Sequence[str]]:
        """The role, and the card in the hand."""
        view = state.view(seat)
        return {"role": [view.role], "card": [] if view.card is None else [view.card]}

    def observe(self, state: ColdBloodedState, at: int, seat: int) -> Observation:
        """Hides the parts that a seat does not learn.

        docs/rules/cold-blooded: another seat's knife is a trade until its victim dies or is saved, and stays one if
        declined; no one learns that another seat was asked for a shell or a sacrifice and did nothing.
        """
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        decider, action, _ = state.log[at]
        # a trade, or an apparent one, is open while it may be declined or a seat may sacrifice itself
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
