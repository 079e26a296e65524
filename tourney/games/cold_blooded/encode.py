"""Views of Cold Blooded as vectors; docs/rules/cold-blooded.md lists the elements."""

from tourney.contracts.encoding import Vector, bounded, share
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import BITS, CARDS, DUMMY, PHASES, ROLES, card_of
from tourney.games.cold_blooded.view import ColdBloodedView

_PHASES = PHASES[: cb.STAYED]
_DONE = ("said", "accused", "trusted", "traded", "attacked")
"""What the history has of each seat, in the order of the sections."""
_KINDS = (
    (cb.TRUST, "trusted"), (cb.ACCUSE, "accused"), (cb.SAY + 1, "said"), (cb.BOMB, ""), (cb.KNIFE, "attacked"),
    (cb.SNIPER, "attacked"), (cb.TRADE, "traded"), (cb.DRAW, ""),
)  # fmt: skip
"""The first action of each kind, the last kind first, and which of `_DONE` it is, if any."""
_KIND_OF = [next(kind for kind in _KINDS if kind[0] <= code) for code in range(cb.OUT)]


def vector_of(view: ColdBloodedView) -> Vector:
    """The view as a vector. Seats have their own numbers, which actions also name.

    At a table of four there is one place more than seats: the Duke's, which no seat plays. Once the match is over, only
    seats, roles and scores are left.
    """
    vector, seats, options = Vector(), view.seats, view.options
    going = not view.over
    each = [f"@{seat}" for seat in range(seats)]
    places = [*each, "@duke"] if seats == 4 else each
    index = {place: i for i, place in enumerate([*range(seats), DUMMY])}
    hands = [view.hands[place] for place in index][: len(places)] if going else [-1] * len(places)
    deck = [card_of(view.types, token) for token in view.deck] if going else []
    done = _history(view, index) if going else {}
    vector.mark("seat", each, view.seat)
    vector.mark("duke", each, view.duke)
    for seat, role in zip(each, view.roles, strict=True):
        vector.mark(f"role{seat}", ROLES, None if role is None else ROLES.index(role))
    vector.mark("alive", places, [index[place] for place in BITS[view.alive]] if going else None)
    vector.mark("holds", places, [i for i, token in enumerate(hands) if token >= 0])
    for place, token in zip(places, hands, strict=True):
        vector.mark(f"card{place}", CARDS, card_of(view.types, token) - 1 if card_of(view.types, token) else None)
    vector.mark("bomb", each, [seat for seat in range(seats) if view.bombs[seat] >= 0] if going else None)
    vector.mark("deck_top", CARDS, [card - 1 for card in deck[:1] if card])
    vector.put("deck_knows", CARDS, [share(deck.count(card), len(deck)) for card in range(1, len(CARDS) + 1)])
    vector.mark("phase", _PHASES, _PHASES.index(view.phase) if going else None)
    vector.mark("moves", each, view.mover if going else None)
    vector.mark("starts", each, view.starts)
    vector.mark("aim", places, index[view.aim] if going and view.aim >= 0 else None)
    vector.number("second", going and view.second)
    vector.mark("assassin", each, BITS[view.marked] if going else None)
    vector.mark("no_assassin", each, BITS[view.cleared] if going else None)
    vector.number("last_assassin", going and view.last_assassin)
    vector.number("uprising_gone", going and view.uprising_gone)
    for name in _DONE:
        items = {"said": ("guard", *CARDS), "accused": each, "trusted": each}.get(name, places)
        for number in range(seats):
            vector.mark(f"{name}@{number}", items, done.get((name, number)))
    vector.put("score", each, [bounded(score, options.target) for score in view.scores])
    vector.number("turn", share(view.turn, options.max_turns) if going else 0)
    return vector


def _history(view: ColdBloodedView, index: dict[int, int]) -> dict[tuple[str, int], list[int]]:
    """Each seat's talk and actions towards others in this game, by (one of `_DONE`, seat).

    `index` has the index of each place among those of the vector.
    """
    done: dict[tuple[str, int], list[int]] = {}
    for seat, code, _, _ in view.moves:
        if seat == DUMMY or code >= cb.OUT:
            continue
        first, name = _KIND_OF[code]
        if name:
            done.setdefault((name, seat), []).append(code - first if name == "said" else index[code - first])
    return done
