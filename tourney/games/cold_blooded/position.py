"""Positions of Cold Blooded: states set up from facts. See docs/rules/cold-blooded.md."""

from collections.abc import Sequence

from tourney.base.errors import ActionError
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.state import ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions


def position(
    seats: int, options: ColdBloodedOptions, *, roles: Sequence[str], hands: Sequence[str | None], deck: str,
    dummy: str | None = None, starts: int | None = None, mover: int | None = None, turn: int | None = None,
    out: Sequence[int] = (), bombs: Sequence[int] = (), uprising_gone: bool = False, marked: Sequence[int] = (),
    cleared: Sequence[int] = (), barred: Sequence[Sequence[int]] = (), game: int = 1,
    scores: Sequence[int] | None = None, over: bool = False, seed: int = 0,
) -> ColdBloodedState:  # fmt: skip
    """The state with these facts, which docs/rules/cold-blooded.md describes under "Positions"."""
    state = ColdBloodedState()
    state.begin(seats, options, seed)
    first = starts if starts is not None else roles.index("duke") if "duke" in roles else 0
    state._game, state._scores = game, tuple(scores or (0,) * seats)
    numbers = [_index(cb.ROLES, role, "role") + 1 for role in roles]
    state._set_up(first, (cb.pack(numbers, 2), 0, cb.of_role(numbers, cb.ASSASSIN), ()))
    _place_cards(state, hands, dummy, deck, bombs)
    state._alive &= ~_mask(out)
    state._open |= sum([3 << 2 * seat for seat in out if seat != cb.DUMMY])
    state._gone, state._marked, state._cleared = uprising_gone, _mask(marked), _mask(cleared)
    state._barred = sum([_mask(others) << 8 * seat for seat, others in enumerate(barred)])
    state._turn = (seats + 1 if turn is None else turn) - 1
    state._begin_turn(first if mover is None else mover)
    if over:
        state.seat = None
        state._publish_game(True)
    state.log.clear()
    return state


def _place_cards(
    state: ColdBloodedState, hands: Sequence[str | None], dummy: str | None, deck: str, bombs: Sequence[int]
) -> None:
    """Lays out hands, deck and bombs; cards are numbered as if they had just been dealt."""
    seats, drawn = state._seats, deck.split()
    cards = [*hands, *[None] * (cb.DUMMY - seats), dummy]
    number = [4 if place == cb.DUMMY else place for place in range(cb.PLACES)]
    state._hands = [token if card else -1 for token, card in zip(number, cards, strict=True)]
    state._bombs = tuple([place if place in bombs else -1 for place in range(cb.PLACES)])
    state._deck = tuple(range(max(seats, 5), max(seats, 5) + len(drawn)))
    state._holding = sum([1 << place for place, token in enumerate(state._hands) if token >= 0])
    # what lies nowhere is an uprising that has left the game
    types = [cb.UPRISING_CARD] * max(sum(state._counts), 1 + max([*state._hands, *state._deck, *state._bombs]))
    for token, card in zip((*state._deck, *state._hands), (*drawn, *cards), strict=True):
        if token >= 0:
            types[token] = _index(cb.CARDS, card, "card") + 1
    for token in state._bombs:
        if token >= 0:
            types[token] = cb.BOMB_CARD
    state._types = cb.pack(types, 3)


def _index(names: Sequence[str], name: str | None, kind: str) -> int:
    if name not in names:
        raise ActionError(f'cold-blooded has no {kind} "{name}"; known: {", ".join(names)}')
    return names.index(name)


def _mask(places: Sequence[int]) -> int:
    return sum([1 << place for place in places])
