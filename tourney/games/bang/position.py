"""Positions of Bang: states set up from facts. See docs/rules/bang.md."""

from collections.abc import Sequence

from tourney.base.errors import ActionError
from tourney.contracts.cards import BANG as DECK
from tourney.games.bang import rules
from tourney.games.bang.rules import add_rank
from tourney.games.bang.state import BangState
from tourney.games.bang.view import BangOptions


def position(
    seats: int, options: BangOptions, *, stocks: Sequence[str], pile: str = "", under: str = "", seen: str = "",
    mover: int = 0, debt: int = 0, creditor: int | None = None, turned: int | None = None,
    last_out: Sequence[int] | None = None, question: str | None = None, anticipated: Sequence[int] = (),
    answers: str = "", reflexes: Sequence[int] | None = None, over: bool = False, seed: int = 0,
) -> BangState:  # fmt: skip
    """The state with these facts, which docs/rules/bang.md describes under "Positions"."""
    state = BangState()
    state.set_up(seats, options, seed)
    state._turned = (question == "bang" and not over) if turned is None else turned
    state._last_out = tuple(last_out or (0,) * seats)
    _lay_out(state, stocks, pile, under, seen)
    state._mover, state._debt = mover, debt
    state._creditor = -1 if creditor is None else creditor
    if over:
        state._question = rules.BANG if question is None else _action(question)
        state._set_reflex(state._turned)
        state._end()
    elif question is None:
        state._next_card()
    else:
        state._anticipated = sum([1 << seat for seat in anticipated])
        if question == "anticipate":
            state._reason = 0
        state._set_reflex(state._turned + (question == "anticipate"))
        state._ask(_action(question))
    if reflexes is not None:
        state._reflex = ("reflex", seats, rules.number_of(list(reflexes)))
    for text in answers.split():
        state.apply(_action(text))
    state.log.clear()
    return state


def _lay_out(state: BangState, stocks: Sequence[str], pile: str, under: str, seen: str) -> None:
    """Lays out the cards, and notes everyone's knowledge of them."""
    state._stocks = [bytes(DECK.cards(stock)) for stock in stocks]
    state._pile, state._under = bytes(DECK.cards(pile)), bytes(DECK.cards(under))
    known = {*DECK.cards(seen), *state._pile}
    state._unseen = rules.ALL_CARDS & ~sum([1 << card for card in known])
    if len(known) == rules.CARDS - 1:
        known = set(range(rules.CARDS))  # the place of the last card that was never turned follows from the others
    state._known = [bytes([card if card in known else rules.UNKNOWN for card in stock]) for stock in state._stocks]
    state._known_under = bytes([card if card in known else rules.UNKNOWN for card in state._under])
    state._top_ranks, state._reason = rules.NO_CARDS, 0
    for card in state._pile:
        state._reason = state._reasons[state._top_ranks + rules.RANK[card]]
        state._top_ranks = add_rank(state._top_ranks, rules.RANK[card])
    state._winner = next((seat for seat, stock in enumerate(state._stocks) if len(stock) == rules.CARDS), -1)


def _action(text: str) -> int:
    if text not in rules.NAMES:
        raise ActionError(f'bang has no action "{text}"; the actions are {", ".join(rules.NAMES)}')
    return rules.NAMES.index(text)
