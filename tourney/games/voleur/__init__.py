"""Voleur: 2 to 5 seats, four tricks a round; the best combination in a hand scores. Rules: docs/rules/voleur.md."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tourney.contracts.cards import STANDARD
from tourney.contracts.game import MOST_DECISIONS, Entry, Observation
from tourney.contracts.wording import Event, NameOf, RoundWording, by_seat, counted
from tourney.games.scaffold import CardGame, Parts, dealt
from tourney.games.tricks import mask_of
from tourney.games.voleur import rules as voleur
from tourney.games.voleur.encode import vector_of
from tourney.games.voleur.imagine import imagine
from tourney.games.voleur.position import position
from tourney.games.voleur.rules import COMBINATIONS, DEALT, DISCARD, KEEP, NAMES, Combination, best
from tourney.games.voleur.state import VoleurState
from tourney.games.voleur.view import VoleurOptions, VoleurView


class VoleurWording(RoundWording):
    """The words of Voleur."""

    goal = (
        "Keep four cards that make a good combination, and win the last trick with them: its winner may rob "
        "another player. The best score after several rounds wins."
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
        "privilege": "the winner of the last trick may score like the others, steal points or take a card",
        "keep": "to score like the others",
        "steal": "to get the points of its combination from another player",
        "take": "to get a better combination by a card of another player or of the discards",
    }
    deck = STANDARD
    seats = ("leader", "winner")
    phrases: ClassVar[Mapping[str, str]] = {
        "discard:": "discard {what}",
        "discard:?": "discard two cards, unseen",
        "play:": "play {what}",
        "play:?": "choose a card in secret",
        "keep": "keep the combination",
        "steal:": "steal points from {seat}",
        "take:": "take {what}",
    }

    def why(self, event: Event, view: VoleurView, name: NameOf) -> str:
        """The winning card of a trick and why it wins, and the worth of the last one."""
        if event["kind"] != "trick":
            return ""
        last = view if view.tricks else view.rounds[-1]
        leader, cards, winner = last.tricks[-1]
        if winner is None:
            return "no trump was played, and the highest rank more than once"
        kind = "card of the suit led"
        if cards[winner] // voleur.SUIT == (last.up or 0) // voleur.SUIT:
            kind = "trump"
        elif leader is None:
            kind = "rank played once" if view.options.first_trick_tie == "next_single" else "of all cards"
        prize = f"; now {name(winner)} may steal points or take a card" if view.phase == "privilege" else ""
        return f"{STANDARD.text(cards[winner])} is the highest {kind}{prize}"

    def gains(self, event: Event, view: VoleurView, name: NameOf) -> list[str]:
        """The combination that each seat scored for, and who robbed whom."""
        last = view.rounds[-1]
        gains = [each.name if each.points else "no combination" for each in last.combinations]
        winner, privilege = last.tricks[-1].winner or 0, last.privilege or KEEP
        if privilege >= voleur.TAKE:
            played = {card: name(seat) for trick in last.tricks for seat, card in enumerate(trick.cards)}
            card = privilege - voleur.TAKE
            gains[winner] += f", with {STANDARD.text(card)} from {played.get(card, 'the discards')}"
        elif privilege >= voleur.STEAL:
            gains[winner] += f", taken from {name(privilege - voleur.STEAL)}"
            gains[privilege - voleur.STEAL] += f", {last.points[winner]} stolen"
        return gains

    def decider(self, view: VoleurView) -> int | None:
        """The seat to decide."""
        return view.turn

    def stakes(self, view: VoleurView, name: NameOf) -> list[str]:
        """The privilege, before the last trick is over."""
        is_last = view.phase == "play" and len(view.tricks) == voleur.TRICKS - 1
        return ["the winner of this trick may steal points or take a card"] if is_last else []

    def situation(self, view: VoleurView, name: NameOf) -> list[str]:
        """The pending decision, the cards, their worth, and the score."""
        if view.turn is None:
            return []
        own, who = view.seat, name(view.turn)
        up = "is turned when all have discarded" if view.up is None else f"is {STANDARD.text(view.up)}"
        table = ", ".join([f"{name(seat)} {STANDARD.text(card)}" for seat, card in view.table])
        four = [[trick.cards[seat] for trick in view.tricks] for seat in range(len(view.scores))]
        mine = [*view.hand, *four[own], *[card for seat, card in view.table if seat == own]]
        scored = [None if each is None else _worth(each) for each in view.combinations]
        return [
            f"Round {view.round}, {self._asked(view, who, name)}.",
            f"The trump card {up}.{f' On the table: {table}.' if table else ''}",
            f"Your hand: {self.cards(view.hand)}. You discarded {self.cards(view.discards)}. The best combination in "
            f"your cards: {_worth(best(mask_of(mine)))}.",
            *([f"Played: {by_seat(map(self.cards, four), name)}."] if view.tricks else []),
            *([f"Scored: {by_seat(scored, name)}."] if any(scored) else []),
            *([f"The discards: {self.cards(view.pile)}."] if view.pile else []),
            f"Score, to {view.options.target}: {by_seat(view.scores, name)}.",
        ]

    def _asked(self, view: VoleurView, who: str, name: NameOf) -> str:
        mine, tricks = view.turn == view.seat, len(view.tricks)
        if view.phase == "discard":
            left = counted(voleur.DISCARDS - len(view.discards), "card")
            return f"you discard {left}, unseen; the others are played, and score" if mine else f"{who} discards"
        if view.phase == "privilege":
            what = ": keep your combination, steal the points for it from another player, or take a card for it"
            return f"{who} won the last trick{what if mine else ', and may steal points or take a card'}"
        said = f"trick {tricks + 1} of {voleur.TRICKS}: "
        if view.leader is None:
            return f"{said}all play a card unseen; the highest trump wins, else the highest rank, if it is played once"
        if not view.table:
            return f"{said}{who} {'lead; play any card' if mine else 'leads'}"
        rule = "follow suit; if you cannot, play a trump; if you have none, any card" if mine else f"{who} plays"
        return f"{said}{name(view.leader)} led {STANDARD.text(view.table[0][1])}; {rule}"


def _worth(combination: Combination) -> str:
    return f"{combination.name} ({counted(combination.points, 'point')})" if combination.points else "nothing"


class Voleur(CardGame):
    """The rules of Voleur."""

    name = "voleur"
    title = "Voleur"
    rules = "docs/rules/voleur.md"
    seats = range(2, 6)
    Options = VoleurOptions
    actions = ("discard:CARD", "play:CARD", "keep", "steal:SEAT", "take:CARD")
    names = NAMES
    wording = VoleurWording()
    parts = Parts(VoleurState, imagine, position, vector_of, lambda view: view.turn is None)

    def max_decisions(self, seats: int, options: VoleurOptions) -> int:
        """Bounds the decisions of a match: six cards of each seat and a privilege a round."""
        return min((6 * seats + 1) * options.max_rounds, MOST_DECISIONS)

    def combination(self, cards: Sequence[int]) -> Combination:
        """The best combination in any number of cards: its name and its points."""
        return best(mask_of(cards))

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("deal", number, hands, up, deck):
                return dealt(STANDARD, hands, up, deck, round=number)
        return super().event(entry)

    def observe(self, state: VoleurState, at: int, seat: int) -> Observation:
        """Hides the parts that a seat does not learn.

        docs/rules/voleur, "What a seat sees": whose turn it is; in a secret decision this reveals which seats have made
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
