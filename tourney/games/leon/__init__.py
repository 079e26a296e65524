"""Le Léon: 2 to 10 seats bid how many tricks they will win; the joker may be any card. Rules: docs/rules/leon.md."""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from tourney.base.errors import ConfigError
from tourney.contracts.cards import LEON as DECK
from tourney.contracts.game import Entry, Observation
from tourney.contracts.wording import Event, NameOf, RoundWording, by_seat, counted, few, listed_text, who_is
from tourney.games.leon import rules as leon
from tourney.games.leon.encode import vector_of
from tourney.games.leon.imagine import imagine
from tourney.games.leon.position import position
from tourney.games.leon.rules import NAMES
from tourney.games.leon.state import LeonState
from tourney.games.leon.view import LeonOptions, LeonView, largest_of
from tourney.games.scaffold import CardGame, Parts, dealt


class LeonWording(RoundWording):
    """The words of Le Léon."""

    goal = (
        "Say before each round how many tricks you will win, and win exactly that many. The best score after all "
        "rounds wins; the Léon (X) may be any card that its owner likes."
    )
    glossary: ClassVar[Mapping[str, str]] = {"X": "may be played at any time, as any card that its owner names"}
    deck = DECK
    seats = ("dealer", "leader", "winner")
    phrases: ClassVar[Mapping[str, str]] = {
        "play:": "play {what}",
        **{f"trump:{suit}": f"make {word} trump" for suit, word in zip(DECK.suits, DECK.words, strict=True)},
        "bid:": "bid {what}",
        "bid:?": "bid in secret",
        "confess": "admit not following suit",
        "silent": "stay silent about not following suit",
        "leon:": "play the Léon as {what}",
        "leon": "play the Léon without a name",
    }

    def why(self, event: Event, view: LeonView, name: NameOf) -> str:
        """The winning card of a trick and why it wins, or the offence that is punished."""
        if event["kind"] != "trick":
            return _PUNISHED.get(event.get("name", ""), "")
        last = view if view.tricks else view.rounds[-1]
        leader, plays, winner = last.tricks[-1]
        action = plays[(winner - leader) % len(plays)]
        kind = "trump" if leon.SUIT_OF[action] == last.trump else "card of the suit led"
        if {action % leon.LEON, action % leon.LEON + leon.LEON} <= {*plays}:
            return f"{_card(action)} beats {'the Léon of that name' if action < leon.X else 'the real card'}"
        return f"{_card(action)} is the highest {kind}"

    def gains(self, event: Event, view: LeonView, name: NameOf) -> list[str]:
        """Each seat's bid, tricks won and sanctions."""
        last = view.rounds[-1]
        gains = [f"bid {bid}, won {won}" for bid, won in zip(last.bids, last.won, strict=True)]
        for each in last.sanctions:
            gains[each.seat] += f", {each.points} for a sanction"
        return gains

    def decider(self, view: LeonView) -> int | None:
        """The seat to decide."""
        return view.turn

    def stakes(self, view: LeonView, name: NameOf) -> list[str]:
        """Who is at its bid, and who needs every trick left for it; of the bids that the view knows."""
        if view.phase != "play":
            return []
        left = view.cards - sum(view.won)
        missing = [(name(seat), bid - view.won[seat]) for seat, bid in enumerate(view.bids) if bid is not None]
        at_bid, in_need = [
            listed_text(few([who for who, tricks in missing if tricks == number], MOST_NAMED)) for number in (0, left)
        ]
        are = f"{at_bid} are" if " and " in at_bid else who_is(at_bid)
        over = [f"one more trick and {are} over the bid"] if at_bid else []
        return [*over, f"{in_need} can miss no trick"] if in_need else over

    def situation(self, view: LeonView, name: NameOf) -> list[str]:
        """The pending decision, trump, the hand, bids against tricks, and the score."""
        if view.turn is None:
            return []
        bid, rounds = view.bids[view.seat], 2 * largest_of(view.options, view.seats)
        attack, double = view.options.mode == "attack", ", doubled from 10 on" if view.cards > 9 else ""
        stake = f"To win what you bid brings {f'1 more than the bid{double}' if attack else '1 point'}"
        if bid is not None:
            stake = f"To win just {counted(bid, 'trick')} brings {leon.bid_points(bid, bid, attack)}"
        bids = f"Bids: {by_seat(view.bids, name) or 'none known'}"
        if view.phase not in ("trump", "bid"):
            of_bids = [f"{won} of {'?' if bid is None else bid}" for won, bid in zip(view.won, view.bids, strict=True)]
            bids = f"Tricks won, of the bid: {by_seat(of_bids, name)}"
        suit = "not named yet" if view.trump is None else DECK.words[view.trump]
        refused = listed_text([f"{DECK.words[suit]} in trick {trick}" for trick, suit in view.revokes])
        punished = listed_text([f"{name(each.seat)} {each.points} ({each.name})" for each in view.sanctions])
        return [
            f"Round {view.round} of {rounds}, {counted(view.cards, 'card')} each: {self._asked(view, name)}.",
            f"The dealer, {name(view.dealer)}, turned {DECK.text(view.up)}: trump is {suit}.",
            f"Your hand: {self.cards(view.hand)}.{f' Not followed, unnoticed: {refused}.' if refused else ''}",
            f"{bids}. {stake}; each trick more or less costs 1.",
            f"Score: {by_seat(view.scores, name)}.{f' Sanctions: {punished}.' if punished else ''}",
        ]

    def _asked(self, view: LeonView, name: NameOf) -> str:
        mine, who = view.turn == view.seat, name(view.turn or 0)
        if view.phase == "trump":
            return f"{who} {'name' if mine else 'names'} the trump suit, because the Léon was turned"
        if view.phase != "play":
            revoked = "you did not follow suit; confess (-2), or stay silent (-5 once you play that suit)?"
            return f"{who} {'bid' if mine else 'bids'} how many tricks to win" if view.phase == "bid" else revoked
        said = f"trick {len(view.tricks) + 1} of {view.cards}, "
        if not view.plays:
            return f"{said}{who} {'lead; play any card' if mine else 'leads'}"
        laid = [f"{name((view.leader + i) % view.seats)} {_card(play)}" for i, play in enumerate(view.plays)]
        best = "nobody" if view.winning is None else name(view.winning)
        return (
            f"{said}{', '.join(laid)}; so far it goes to {best}; {'follow suit if you can' if mine else f'{who} plays'}"
        )

    def to_trick(self, action: str) -> str | None:
        """The card that is played, which the Léon is by name only."""
        kind, _, card = action.partition(":")
        return (f"Léon({card})" if card else "Léon") if kind == "leon" else super().to_trick(action)


def _card(play: int) -> str:
    name = "without a name" if play == leon.BARE else f"as {DECK.text(play % leon.LEON)}"
    return DECK.text(play) if play < leon.X else f"the Léon {name}"


MOST_NAMED = 4
_FAILED = ("the Léon was played without a name", "did not follow suit", "did not follow suit, and says so")
_PUNISHED = dict(zip(leon.SANCTIONS, _FAILED, strict=True))
"""What each sanction is for."""


class Leon(CardGame):
    """The rules of Le Léon."""

    name = "leon"
    title = "Le Léon"
    rules = "docs/rules/leon.md"
    seats = range(2, 11)
    Options = LeonOptions
    actions = ("trump:SUIT", "bid:N", "play:CARD", "leon:CARD", "confess", "silent", "leon")
    names = NAMES
    wording = LeonWording()
    parts = Parts(LeonState, imagine, position, vector_of)

    def options(self, seats: int, given: Mapping[str, Any], where: str = "options") -> LeonOptions:
        """The options with the given values, `max_cards` filled in for the number of seats."""
        options = super().options(seats, given, where)
        assert isinstance(options, LeonOptions)
        return msgspec.structs.replace(options, max_cards=largest_of(options, seats))

    def validate(self, seats: int, options: LeonOptions) -> None:
        """Refuses hands for which the pack is too small."""
        if options.max_cards is not None and options.max_cards > leon.LARGEST[seats]:
            raise ConfigError(
                f"max_cards: must be at most {leon.LARGEST[seats]} for {seats} seats, got {options.max_cards}"
            )

    def max_decisions(self, seats: int, options: LeonOptions) -> int:
        """Bounds the decisions of a match: in a round a trump suit, bids, cards, and answers."""
        largest = largest_of(options, seats)
        return 2 * largest * (1 + seats + 2 * seats * largest)

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("deal", number, dealer, hands, up, deck):
                return dealt(DECK, hands, up, deck, round=number, dealer=dealer)
            case ("sanction", seat, kind):
                name, points = leon.SANCTIONS[kind], leon.SANCTION_POINTS[kind]
                return {"kind": "sanction", "seat": seat, "name": name, "points": points}
        return super().event(entry)

    def observe(self, state: LeonState, at: int, seat: int) -> Observation:
        """Hides the parts that a seat does not learn.

        docs/rules/leon: secret bids come out when the round is over; of a revoke that is caught, the card that was
        offered is not seen; of a question to a revoker the others learn nothing, and confessions come out together once
        every seat that was asked has answered.
        """
        entry = state.log[at]
        answers_are_out = state.seat is None or state.legal() != leon.ANSWERS
        if entry[0] == "sanction":
            _, who, kind = entry
            return Observation("sanction" if kind != leon.REPENTED or answers_are_out or who == seat else None)
        if not _is_decision(entry):
            return Observation(entry[0])
        decider, action, legal = entry
        if action in leon.ANSWERS:
            seen = decider == seat or (action == leon.CONFESS and answers_are_out)
            return Observation(NAMES[action] if seen else None, _answers_before(state, at) if answers_are_out else ())
        if leon.BID <= action < leon.TRUMP:
            # a bid that is spoken is in the view of every seat
            secret = decider != seat and state.view(seat).options.mode == "attack"
            return Observation("bid:?" if secret else NAMES[action])
        if action not in legal and action != leon.BARE and decider != seat:
            action = legal[0]  # docs/rules/leon: the lowest card of the led suit is played in its place
        return Observation(NAMES[action], _bids(state, at))


def _is_decision(entry: Entry) -> bool:
    return isinstance(entry[0], int)


def _answers_before(state: LeonState, at: int) -> tuple[int, ...]:
    """The indices in the log of the confessions, with their sanctions, that the answer at `at` brings out."""
    answers: list[int] = []
    for i in range(at - 1, -1, -1):
        entry = state.log[i]
        if entry[0] == "trick":
            break
        if not _is_decision(entry) or entry[1] == leon.CONFESS:
            answers.append(i)
    return tuple(reversed(answers))


def _bids(state: LeonState, at: int) -> tuple[int, ...]:
    bids: list[int] = []
    if any([entry[0] == "score" for entry in state.log[at + 1 :]]):
        for i in range(at - 1, -1, -1):
            entry = state.log[i]
            if entry[0] == "deal":
                break
            if _is_decision(entry) and leon.BID <= entry[1] < leon.TRUMP:
                bids.append(i)
    return tuple(reversed(bids))


__all__ = ["Leon", "LeonOptions", "LeonState", "LeonView"]
