"""Positions of The Vole in the Valley: states set up from facts. See docs/rules/vole.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from tourney.contracts.cards import VOLE
from tourney.games.tricks import mask_of
from tourney.games.vole.rules import HIDDEN, NAMES, SEAT, pending
from tourney.games.vole.state import VoleState
from tourney.games.vole.view import VoleOptions

_ACTIONS = {**{name: action for action, name in enumerate(NAMES)}, "bury": HIDDEN}


def position(
    seats: int, options: VoleOptions, *, hands: Sequence[str], up: str, deck: str = "", leader: int = 0,
    led: str | None = None, drawn: str | None = None, won: Sequence[int] = (0, 0), extra: Sequence[int] = (0, 0),
    steps: Sequence[Mapping[str, Any]] = (), buried: Sequence[Sequence[Mapping[str, str]]] = ((), ()),
    start: Mapping[str, Any] | None = None, round: int = 1,  # noqa: A002 - facts have the names of the rules page
    scores: Sequence[int] = (0, 0), points: Sequence[int] = (0, 0), over: bool = False, seed: int = 0,
) -> VoleState:  # fmt: skip
    """The state with these facts, which docs/rules/vole.md describes under "Positions"."""
    state = VoleState()
    state.begin(seats, options, seed)
    state.log.clear()
    state._hands = [mask_of(VOLE.cards(hand)) for hand in hands]
    state._up = VOLE.card(up)
    state._deck = VOLE.cards(deck)
    state._leader = leader
    state._led = -1 if led is None else VOLE.card(led)
    state._drawn = -1 if drawn is None else VOLE.card(drawn)
    state._won = won[0] + 16 * won[1]
    state._extra = tuple(extra)
    state._moves = bytes([step["seat"] * SEAT + _ACTIONS[step["action"]] for step in steps])
    state._buried = _pairs(buried[0]), _pairs(buried[1])
    state._points = tuple(points)
    begun = start or {"leader": leader, "up": up, "hands": hands}
    known = [(begun["leader"], VOLE.card(begun["up"]), mask_of(VOLE.cards(hand))) for hand in begun["hands"]]
    state._facts = tuple([(astuple(options), round, own, (), tuple(scores), over) for own in known])
    state._phase = pending(state._moves)
    if over:
        state.seat = None
    elif state._phase:
        state.seat = state._moves[-1] // SEAT
    else:
        state.seat = leader if led is None else 1 - leader
    return state


def _pairs(burials: Sequence[Mapping[str, str]]) -> tuple[tuple[int, int], ...]:
    return tuple([(VOLE.card(pair["drew"]), VOLE.card(pair["buried"])) for pair in burials])
