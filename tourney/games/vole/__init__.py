"""The Vole in the Valley: 2 seats, 13 tricks a round, odd ranks with abilities. Rules: docs/rules/vole.md."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tourney.contracts.cards import VOLE
from tourney.contracts.game import MOST_DECISIONS, Entry, Observation
from tourney.contracts.wording import Event, NameOf, RoundWording, by_seat, counted, listed_text, who_is
from tourney.games.scaffold import CardGame, Parts, dealt
from tourney.games.vole.encode import vector_of
from tourney.games.vole.imagine import imagine
from tourney.games.vole.position import position
from tourney.games.vole.rules import BURY, HAND, NAMES, SUIT, SWAP, VoleTrick, pending, tricks_of
from tourney.games.vole.state import TRICK_POINTS, VoleState
from tourney.games.vole.view import VoleOptions, VoleRound, VoleView


class VoleWording(RoundWording):
    """The words of The Vole in the Valley."""

    goal = (
        "Win few tricks of a round (at most 3) or a good many (7 to 9): both are worth 6 points, what is between them "
        "little, and more nothing. The first to reach the target wins."
    )
    glossary: ClassVar[Mapping[str, str]] = {
        "1": "its player leads the next trick after losing this one",
        "3": "its player may swap the trump card with a card of its hand",
        "5": "its player draws a card, and buries one under the deck",
        "7": "the trick's winner gets a point for it",
        "9": "counts as a trump if it is the only 9 in the trick",
        "11": "if it is led, the other must play its highest card of that suit, or its 1",
    }
    deck = VOLE
    seats = ("leader", "winner")
    at_end = "for 7s"
    phrases: ClassVar[Mapping[str, str]] = {
        "play:": "play {what}",
        "keep": "keep the trump card",
        "swap:": "swap the trump card for {what}",
        "bury:": "bury {what}",
        "bury:?": "bury a card, unseen",
    }

    def why(self, event: Event, view: VoleView, name: NameOf) -> str:
        """The winning card of a trick and why it wins, and the effects of a 7 or a 1 in it."""
        if event["kind"] != "trick":
            return ""
        tricks = view.tricks
        if not tricks:
            past = view.rounds[-1]
            tricks = tricks_of(past.leader, past.up, bytes([action for _, action in past.steps]))
        leader, cards, trump, winner = tricks[-1]
        won, lost = cards if winner == leader else cards[::-1]
        said = [f"{VOLE.text(won)} is the highest {'trump' if won // SUIT == trump else 'card of the suit led'}"]
        if won // SUIT != trump and won % SUIT == 8 != lost % SUIT:
            said = [f"{VOLE.text(won)}, the only 9, counts as a trump"]
        sevens = [won % SUIT, lost % SUIT].count(6)
        said += [f"{counted(sevens, 'extra point')} for the {'7' if sevens == 1 else '7s'}"] if sevens else []
        said += [f"the 1 lets {name(1 - winner)} lead"] if not lost % SUIT and view.tricks else []
        return "; ".join(said)

    def gains(self, event: Event, view: VoleView, name: NameOf) -> list[str]:
        """How many tricks each seat won, and what its 7s are worth."""
        last = view.rounds[-1]
        sevens = [points - TRICK_POINTS[won] for won, points in zip(last.won, last.points, strict=True)]
        return [
            counted(won, "trick") + (f", {sevens[i]} for 7s" if sevens[i] else "") for i, won in enumerate(last.won)
        ]

    def decider(self, view: VoleView) -> int | None:
        """The seat to play, or to answer its 3 or 5."""
        if view.over:
            return None
        return view.steps[-1][0] if pending(view._moves) else view.leader if view.led is None else 1 - view.leader

    def stakes(self, view: VoleView, name: NameOf) -> list[str]:
        """Whose points change by much with one more trick."""
        if view.over:
            return []
        now = [(name(seat), won, TRICK_POINTS[won], (*TRICK_POINTS, 0)[won + 1]) for seat, won in enumerate(view.won)]
        return [
            f"one more trick and {who_is(who)} over {won}: {counted(then, 'point')}, not {points}"
            if then < points
            else f"one more trick brings {who} {then} points, not {points}"
            for who, won, points, then in now
            if abs(points - then) > 1
        ]

    def situation(self, view: VoleView, name: NameOf) -> list[str]:
        """The pending decision, the trump card, the hand, the worth of the tricks so far, and the score."""
        mover = self.decider(view)
        if mover is None:
            return []
        own, won, options, asked = view.seat, view.won, view.options, pending(view._moves)
        mine, who = mover == own, name(mover)
        if asked:
            card = VOLE.text(view.steps[-1][1])
            said = f"{who} played {card}, and may swap the trump card with a card in hand"
            said = said if asked == SWAP else f"{who} played {card} and drew a card, to bury one under the deck, unseen"
        elif view.led is None:
            said = f"{who} {'lead; play any card' if mine else 'leads'}"
        else:
            follow = "your highest card of that suit, or its 1" if view.led % SUIT == 10 else "follow suit if you can"
            said = f"{name(1 - mover)} led {VOLE.text(view.led)}; {follow if mine else f'{who} answers'}"
        drawn = listed_text([f"{VOLE.text(away)} (for {VOLE.text(drew)})" for drew, away in view.buried])
        worth = [f"{each} (worth {TRICK_POINTS[each]}, with one more {(*TRICK_POINTS, 0)[each + 1]})" for each in won]
        when = "at the end" if options.sevens == "game" else "with the round"
        sevens = f" For 7s, {when}: {by_seat(view.extra, name)}." if any(view.extra) else ""
        return [
            f"Round {view.round}, trick {sum(won) + 1} of {HAND}: {said}.",
            f"The trump card is {VOLE.text(view.up)}. Cards: the deck {view.deck}, {name(1 - own)} {view.other_hand}.",
            f"Your hand: {self.cards(view.hand)}.{f' You buried {drawn}.' if drawn else ''}",
            f"Tricks: {by_seat(worth, name)}.",
            f"Score, to {options.target}: {by_seat(view.scores, name)}.{sevens}",
        ]


class Vole(CardGame):
    """The rules of The Vole in the Valley."""

    name = "vole"
    title = "The Vole in the Valley"
    rules = "docs/rules/vole.md"
    seats = range(2, 3)
    Options = VoleOptions
    actions = ("play:CARD", "swap:CARD", "keep", "bury:CARD")
    names = NAMES
    wording = VoleWording()
    parts = Parts(VoleState, imagine, position, vector_of)

    def max_decisions(self, seats: int, options: VoleOptions) -> int:
        """Bounds the decisions of a match: 26 cards a round, and what the 3s and 5s leave to decide.

        Both seats together score 6 points a round or more.
        """
        rounds = min(options.max_rounds, (options.target - 1) // 3 + 1)
        return min(32 * rounds, MOST_DECISIONS)

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("deal", number, leader, first, second, up, deck):
                return dealt(VOLE, (first, second), up, deck, round=number, leader=leader)
        return super().event(entry)

    def observe(self, state: VoleState, at: int, seat: int) -> Observation:
        """Hides the cards that the other seat buries."""
        decider, action, *_ = state.log[at]
        if isinstance(decider, int) and action >= BURY and decider != seat:
            # docs/rules/vole, "What a seat sees": not even when the round is over
            return Observation("bury:?")
        return super().observe(state, at, seat)


__all__ = ["Vole", "VoleOptions", "VoleRound", "VoleState", "VoleTrick", "VoleView"]
