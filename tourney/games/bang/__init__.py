"""Bang: 2 to 8 seats turn cards; the first to bang with a reason takes the pile. Rules: docs/rules/bang.md."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tourney.contracts.cards import BANG as DECK
from tourney.contracts.game import MOST_DECISIONS, Entry, Observation
from tourney.contracts.wording import Event, NameOf, Wording, counted, listed_text
from tourney.games.bang.encode import vector_of
from tourney.games.bang.imagine import imagine
from tourney.games.bang.position import position
from tourney.games.bang.rules import CARDS, DEBT, NAMES, NO_CARDS, RANK, WAIT, add_rank, order_of, reasons
from tourney.games.bang.state import BangState
from tourney.games.bang.view import BangOptions, BangView, Turn
from tourney.games.scaffold import CardGame, Parts


class BangWording(Wording):
    """The words of Bang."""

    goal = (
        "Cards are turned one after another, and the quickest to bang with a reason, such as two of a rank on top, "
        "takes the pile; a bang without one costs cards. The player with all the cards at the end wins."
    )
    glossary: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(DECK.jokers, "a joker: the next player owes a card"),
        **{rank: f"the next player owes {count} cards" for rank, count in {"Q": 2, "K": 3, "A": 4}.items()},
        "pair": "two cards of a rank on top",
        "sandwich": "two cards of a rank with one between",
        "marriage": "a king and a queen on top",
        "ten": "two cards on top that add up to ten",
        "run": "three cards on top in sequence",
    }
    deck = DECK
    hands = ()  # the order of a stock is the order in which it will be turned
    seats = ("first", "order", "seat")
    phrases: ClassVar[Mapping[str, str]] = {
        "anticipate": "anticipate",
        "wait": "wait",
        "bang": "bang",
        "hold": "hold",
        **dict.fromkeys(("anticipate or wait", "bang or hold"), "answer in secret"),
    }

    def sentence(self, event: Event, name: NameOf) -> str:
        """The turner of a card, the winner of the pile, or the order in which bangs count."""
        match event["kind"]:
            case "turned":
                return f"{event['card']}, turned by {name(event['seat'])}"
            case "pile":
                return f"the pile goes to {name(event['seat'])}"
            case "reflex":
                return f"the quickest at the next card: {', then '.join(map(name, event['order']))}"
        return super().sentence(event, name)

    def why(self, event: Event, view: BangView, name: NameOf) -> str:
        """Whether a turned card is a reason to bang."""
        if event["kind"] != "turned" or view.question != "bang":
            return ""
        why = _reasons(view, view.pile)
        return f"{why}, a reason to bang" if why else "no reason to bang"

    def effects(self, before: BangView, after: BangView, name: NameOf) -> list[str]:
        """The gains or costs of bangs, a paid debt, and the debt that a card opens."""
        if after._public[9:11] == before._public[9:11]:  # the settled turns
            return []
        turn = Turn(*(after._public[10] or after._public[9][-1])[-1])
        why = _reasons(before, before.pile if before.question == "bang" else (*before.pile, turn.card))
        if turn.won is not None and why and (turn.anticipated or turn.banged):
            return [f"the quickest to bang on {why}: {name(turn.won)}"]
        paid = ", ".join([f"{name(seat)} {count}" for seat, count in turn.penalties])
        said = [f"no reason to bang; penalty cards under the pile: {paid}"] if paid else []
        if turn.won is not None:
            return [*said, "no one else has a card left" if max(after.sizes) == CARDS else "the debt is paid"]
        if DEBT[turn.card] and not after.over:
            debt = counted(after.debt, "card")
            said.append(f"{DECK.text(turn.card)} opens a debt of {debt}: {name(after.mover)} to {name(turn.seat)}")
        return said

    def decider(self, view: BangView) -> int | None:
        """The seat that is asked."""
        return view.deciding

    def stakes(self, view: BangView, name: NameOf) -> list[str]:
        """The pile that a debt brings to its creditor."""
        if view.over or view.creditor is None:
            return []
        owed, pile = counted(view.debt, "more card"), len(view.pile) + len(view.under)
        return [f"without a court card in {owed}, the pile of {pile} goes to {name(view.creditor)}"]

    def situation(self, view: BangView, name: NameOf) -> list[str]:
        """The question, the debt, the pile, and everyone's number of cards."""
        if view.over:
            return []
        own, mover, options, most = view.seat, view.mover, view.options, view.options.max_turns
        if view.question == "bang":
            why = self.why({"kind": "turned"}, view, name)
            said = [f"{name(mover)} turned {DECK.text(view.pile[-1])}, {why}: bang, or hold?"]
        else:
            top = view.known[mover][0]
            said = [f"{name(mover)} {'turn' if mover == own else 'turns'} the next card: bang on it unseen, or wait?"]
            said += [f"All have seen before that it is {DECK.text(top)}."] if top is not None else []
        if view.creditor is not None:
            owed = name(view.creditor) if view.creditor != mover else "yourself" if mover == own else "itself"
            said.append(f"{name(mover)} {'owe' if mover == own else 'owes'} {owed} {counted(view.debt, 'card')}.")
        under = f", over {counted(len(view.under), 'penalty card')} face down" if view.under else ""
        right = f"A bang with a reason ({' or '.join(options.bang_on)}) wins it, one without costs {options.penalty}."
        others = [f"{name(seat)} has {size}" for seat, size in enumerate(view.sizes) if seat != own]
        return [
            *said,
            f"The pile, top card last: {' '.join(DECK.texts(view.pile)) or 'no card'}{under}. {right}",
            f"You have {counted(view.sizes[own], 'card')}, {listed_text(others)}. Turned: {view.turned} of {most}.",
        ]


def _reasons(view: BangView, pile: Sequence[int]) -> str:
    top_ranks = NO_CARDS
    for card in pile[:-1]:
        top_ranks = add_rank(top_ranks, RANK[card])
    held = [name for name in view.options.bang_on if reasons((name,))[top_ranks + RANK[pile[-1]]]]
    return " and ".join([f"a {name}" for name in held])


class Bang(CardGame):
    """The rules of Bang."""

    name = "bang"
    title = "Bang"
    rules = "docs/rules/bang.md"
    seats = range(2, 9)
    Options = BangOptions
    actions = NAMES
    names = NAMES
    private = ("reflex",)
    wording = BangWording()
    parts = Parts(BangState, imagine, position, vector_of)

    def max_decisions(self, seats: int, options: BangOptions) -> int:
        """Bounds the decisions of a match: each seat is asked twice for each card."""
        return min(2 * seats * options.max_turns, MOST_DECISIONS)

    def event(self, entry: Entry) -> dict[str, Any]:
        match entry:
            case ("deal", first, stocks):
                return {"kind": "deal", "first": first, "stocks": [DECK.texts(stock) for stock in stocks]}
            case ("reflex", seats, number):
                return {"kind": "reflex", "order": order_of(seats, number)}
            case ("turned", seat, card):
                return {"kind": "turned", "seat": seat, "card": DECK.text(card)}
            case ("pile", seat):
                return {"kind": "pile", "seat": seat}
        return super().event(entry)

    def hidden(self, state: Any, seat: int) -> Mapping[str, Sequence[str]]:
        """The card on top of the seat's stock, which it does not know either."""
        return {"top": DECK.texts(tuple(state._stocks[seat][:1]))}

    def observe(self, state: BangState, at: int, seat: int) -> Observation:
        """Hides the parts that a seat does not learn.

        docs/rules/bang, "What a seat sees": which seat is being asked, but no other answer until all are in. The
        seats are asked in their order, so the last answer is the one after which no later seat is asked.
        """
        if isinstance(state.log[at][0], str):
            return super().observe(state, at, seat)
        decider, action, _ = state.log[at]
        if state.seat is not None and state.seat > decider:
            text = NAMES[action] if decider == seat else " or ".join(NAMES[:2] if action <= WAIT else NAMES[2:])
            return Observation(text)
        first = at
        while first and isinstance(state.log[first - 1][0], int):
            first -= 1
        return Observation(NAMES[action], tuple(range(first, at)))


__all__ = ["Bang", "BangOptions", "BangState", "BangView"]
