"""Positions of Cold Blooded: states set up from facts. See docs/rules/cold-blooded.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from tourney.errors import ActionError
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import Step
from tourney.games.cold_blooded.state import ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedOptions

_STEPS = (*cb.NAMES, "out", "back", "refill")
_WINNERS = {0: None, cb.GUARD: "guards", cb.ASSASSIN: "assassins"}


def position(
    seats: int,
    options: ColdBloodedOptions,
    *,
    roles: Sequence[str],
    hands: Sequence[str | None],
    deck: str,
    dummy: str | None = None,
    starts: int | None = None,
    mover: int | None = None,
    turn: int | None = None,
    out: Sequence[int] = (),
    bombs: Sequence[int] = (),
    uprising_gone: bool = False,
    marked: Sequence[int] = (),
    cleared: Sequence[int] = (),
    barred: Sequence[Sequence[int]] = (),
    steps: Sequence[Sequence[Any]] = (),
    knives: Sequence[Sequence[int]] = ((),) * cb.PLACES,
    tokens: Mapping[str, Any] | None = None,
    decision: Mapping[str, Any] | None = None,
    game: int = 1,
    scores: Sequence[int] | None = None,
    games: Sequence[Mapping[str, Any]] = (),
    over: bool = False,
    seed: int = 0,
) -> ColdBloodedState:
    """Returns the state with these facts, which docs/rules/cold-blooded.md describes under "Positions"."""
    state = ColdBloodedState()
    state.begin(seats, options, seed)
    first = starts if starts is not None else roles.index("duke") if "duke" in roles else 0
    state._game, state._scores = game, tuple(scores or (0,) * seats)
    numbers = [_index(cb.ROLES, role, "role") + 1 for role in roles]
    state._set_up(first, (cb.pack(numbers, 2), 0, cb.of_role(numbers, cb.ASSASSIN), ()))
    state._past = _pasts(games, seats)
    _place_cards(state, hands, dummy, deck, bombs, tokens)
    history = tuple([_step(step) for step in steps])
    recent = len(history) % cb.CHUNK
    state._earlier, state._recent = history[: len(history) - recent], history[len(history) - recent :]
    state._alive &= ~_mask(out)
    state._open |= _shown_roles(history) | sum([3 << 2 * seat for seat in out if seat != cb.DUMMY])
    state._knives = [tuple(each) for each in knives]
    state._gone, state._marked, state._cleared = uprising_gone, _mask(marked), _mask(cleared)
    state._barred = sum([_mask(others) << 8 * seat for seat, others in enumerate(barred)])
    state._turn = (seats + 1 if turn is None else turn) - 1
    state._begin_turn(first if mover is None else mover)
    if decision is not None:
        _resume(state, decision)
    if over:
        state.seat = None
        state._publish_game(True)
    state.log.clear()
    return state


def _place_cards(
    state: ColdBloodedState,
    hands: Sequence[str | None],
    dummy: str | None,
    deck: str,
    bombs: Sequence[int],
    tokens: Mapping[str, Any] | None,
) -> None:
    """Lays out hands, deck and bombs; without `tokens`, cards are numbered as if they had just been dealt."""
    seats = state._seats
    cards = [*hands, *[None] * (cb.DUMMY - seats), dummy]
    drawn = deck.split()
    if tokens is None:
        number = [4 if place == cb.DUMMY else place for place in range(cb.PLACES)]
        state._hands = [token if card else -1 for token, card in zip(number, cards, strict=True)]
        state._bombs = tuple([place if place in bombs else -1 for place in range(cb.PLACES)])
        state._deck = tuple(range(max(seats, 5), max(seats, 5) + len(drawn)))
    else:
        state._hands, state._deck, state._bombs = list(tokens["hands"]), tuple(tokens["deck"]), tuple(tokens["bombs"])
        state._known = [_card_mask(known) for known in tokens["known"]]
        state._shown = _card_mask(tokens["shown"])
    state._holding = sum([1 << place for place, token in enumerate(state._hands) if token >= 0])
    # what lies nowhere is an uprising that has left the game, unless it was played in this turn (`_resume`)
    types = [cb.UPRISING_CARD] * max(sum(state._counts), 1 + max([*state._hands, *state._deck, *state._bombs]))
    for token, card in zip((*state._deck, *state._hands), (*drawn, *cards), strict=True):
        if token >= 0:
            types[token] = _index(cb.CARDS, card, "card") + 1
    for token in state._bombs:
        if token >= 0:
            types[token] = cb.BOMB_CARD
    state._types = cb.pack(types, 3)


def _resume(state: ColdBloodedState, decision: Mapping[str, Any]) -> None:
    """Goes on in the middle of a turn."""
    state._phase, state.seat, state._actions = decision["phase"], decision["seat"], decision["actions"]
    state._second, state._last_assassin = decision["second"], decision["last_assassin"]
    state._aim, state._knife, state._traded = decision["aim"], decision["knife"], _mask(decision["traded"])
    state._played = tuple([(seat, token) for seat, token, _ in decision["played"]])
    for _, token, card in decision["played"]:
        state._types = state._types & ~(7 << 3 * token) | _index(cb.CARDS, card, "card") + 1 << 3 * token


def _step(given: Sequence[Any]) -> Step:
    place, name, first, second = given
    code = _index(_STEPS, name, "action")
    return (place, code, _index(cb.ROLES, first, "role") + 1 if code == cb.OUT else first, second)


def _shown_roles(steps: Sequence[Step]) -> int:
    """The roles that eliminations have shown, as a mask for packed roles."""
    shown = 0
    for place, code, _, _ in steps:
        if code == cb.OUT and place != cb.DUMMY:
            shown |= 3 << 2 * place
    return shown


def _pasts(games: Sequence[Mapping[str, Any]], seats: int) -> list[tuple[Any, ...]]:
    """For each seat, the games that are over as it knew them."""
    pasts: list[tuple[Any, ...]] = [()] * seats
    for each in games:
        steps = tuple([_step(step) for step in each["steps"]])
        known = tuple([_card_mask(tokens) for tokens in each["known"]])
        winner = next(winner for winner, name in _WINNERS.items() if name == each["winner"])
        sides = _mask(each["marked"]), _mask(each["cleared"])
        public = (each["game"], each["duke"], each["starts"], winner, tuple(each["points"]), steps, known, *sides)
        roles = cb.pack([0 if role is None else _index(cb.ROLES, role, "role") + 1 for role in each["roles"]], 2)
        types = cb.pack([0 if card is None else _index(cb.CARDS, card, "card") + 1 for card in each["cards"]], 3)
        shown = _shown_roles(steps) | (0 if each["duke"] is None else 3 << 2 * each["duke"])
        for seat in range(seats):
            own = roles & (shown | 3 << 2 * seat), types & known[seat], tuple(each["knives"][seat])
            pasts[seat] += ((public, *own),)
    return pasts


def _index(names: Sequence[str], name: str | None, kind: str) -> int:
    if name not in names:
        raise ActionError(f'cold-blooded has no {kind} "{name}"; known: {", ".join(names)}')
    return names.index(name)


def _mask(places: Sequence[int]) -> int:
    return sum([1 << place for place in places])


def _card_mask(tokens: Sequence[int]) -> int:
    """The mask for packed cards that covers these tokens."""
    return sum([7 << 3 * token for token in tokens])
