"""Positions of Voleur: states set up from facts. See docs/rules/voleur.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from tourney.base.errors import ActionError
from tourney.contracts.cards import STANDARD
from tourney.games.voleur.rules import COMBINATIONS, DISCARDS, Combination
from tourney.games.voleur.state import VoleurState
from tourney.games.voleur.view import PHASES, VoleurOptions, VoleurTrick


def position(
    seats: int, options: VoleurOptions, *, hands: Sequence[str], up: str, phase: str = "play",
    discards: Sequence[str] | None = None, tricks: Sequence[Mapping[str, Any]] = (), leader: int | None = None,
    table: str = "", combinations: Sequence[str | None] | None = None, points: Sequence[int] | None = None,
    round: int = 1,  # noqa: A002 - facts have the names of the rules page
    scores: Sequence[int] | None = None, seed: int = 0,
) -> VoleurState:  # fmt: skip
    """The state with these facts, which docs/rules/voleur.md describes under "Positions"."""
    state = VoleurState()
    state.begin(seats, options, seed)
    state.log.clear()
    state._hands = [tuple(sorted(STANDARD.cards(hand))) for hand in hands]
    state._up = STANDARD.card(up)
    state._phase = PHASES.index(phase)
    state._shown = state._up if phase in ("play", "privilege") else None
    state._discards = [STANDARD.cards(text) for text in discards or ("",) * seats]
    state._tricks = tuple(
        [VoleurTrick(each["leader"], STANDARD.cards(each["cards"]), each["winner"]) for each in tricks]
    )
    state._played = tuple([card for trick in state._tricks for card in trick.cards])
    state._leader = leader
    state._table = STANDARD.cards(table)
    state._combinations = tuple([_combination(name) for name in combinations or (None,) * seats])
    state._points = tuple(points or (0,) * seats)
    state._round = round
    state._scores = tuple(scores or (0,) * seats)
    state._facts = [(astuple(options), round, (), ())] * seats
    state.seat = _turn(state, phase)
    return state


def _turn(state: VoleurState, phase: str) -> int | None:
    match phase:
        case "discard":
            return next(seat for seat, gone in enumerate(state._discards) if len(gone) < DISCARDS)
        case "play":
            return ((state._leader or 0) + len(state._table)) % len(state._hands)
        case "privilege":
            return state._tricks[-1].winner
    return None


def _combination(name: str | None) -> Combination | None:
    if name is None:
        return None
    for combination in COMBINATIONS:
        if combination.name == name:
            return combination
    raise ActionError(f'no combination "{name}"; known: {", ".join([each.name for each in COMBINATIONS])}')
