"""Views of Le Léon as vectors; docs/rules/leon.md lists the elements."""

from tourney.contracts.cards import LEON as DECK
from tourney.contracts.encoding import Vector, bounded, from_seat
from tourney.games.leon.rules import LEON, X, winning
from tourney.games.leon.view import LeonView, largest_of

_PHASES = ("trump", "bid", "play", "confess")
_SANCTIONS = ("forgotten", "unmasked", "repented")
"""The kinds of sanctions, in the order of `rules.SANCTIONS`."""
_SCORE = 50
"""The score that becomes 0.5: about what a match of a few seats brings."""


def vector_of(view: LeonView) -> Vector:
    """The view as a vector; `+0` is the seat itself, `+1` the next one clockwise."""
    vector, seats = Vector(), view.seats
    names, each = DECK.names, [f"+{i}" for i in range(seats)]
    order = from_seat(view.seat, seats)
    # the distance of each seat from this one, clockwise
    away = from_seat(-view.seat % seats, seats)
    table, played, named = _plays(view)
    vector.mark("hand", names, view.hand)
    vector.mark("up", names, view.up)
    for name, cards in (("table", table), ("played", played)):
        for i, seat in enumerate(order):
            vector.mark(f"{name}+{i}", names, cards[seat])
    vector.mark("leon", names[:X], named)
    vector.mark("trump", DECK.suits, view.trump)
    vector.mark("led", DECK.suits, view.led)
    vector.mark("decide", _PHASES, None if view.turn is None else _PHASES.index(view.phase))
    vector.mark("decides", each, None if view.turn is None else away[view.turn])
    vector.mark("leads", each, away[view.leader])
    vector.mark("deals", each, away[view.dealer])
    wins = view.winning
    vector.mark("wins", each, None if wins is None else away[wins])
    dealt, largest = view.cards, largest_of(view.options, seats)
    bids = [view.bids[seat] for seat in order]
    vector.mark("has_bid", each, [i for i, bid in enumerate(bids) if bid is not None])
    vector.put("bid", each, [(bid or 0) / dealt for bid in bids])
    vector.put("won", each, [view.won[seat] / dealt for seat in order])
    vector.put("score", each, [bounded(view.scores[seat], _SCORE) for seat in order])
    for number, name in enumerate(_SANCTIONS):
        vector.mark(name, each, [away[seat] for seat, kind, _ in view.sanctioned if kind == number])
    vector.mark("own_revoke", DECK.suits, [suit for _, suit in view.revokes])
    vector.number("cards", dealt / largest)
    vector.number("round", view.round / (2 * largest))
    return vector


def _plays(view: LeonView) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """The cards of each seat in the trick in progress and in earlier ones, and the cards named by the Léon."""
    seats, moves = view.seats, view._moves
    table: list[list[int]] = [[] for _ in range(seats)]
    played: list[list[int]] = [[] for _ in range(seats)]
    leader = (view.dealer + 1) % seats
    for start in range(0, len(moves), seats):
        trick = moves[start : start + seats]
        for i, action in enumerate(trick):
            (played if len(trick) == seats else table)[(leader + i) % seats].append(min(action, X))
        leader = (leader + winning(tuple(trick), view.trump_suit)) % seats
    return table, played, [action - LEON for action in moves if LEON <= action < LEON + X]
