"""Views of Voleur as vectors; docs/rules/voleur.md lists the elements."""

from tourney.contracts.cards import STANDARD
from tourney.contracts.encoding import Vector, bounded, share
from tourney.games.voleur.rules import COMBINATIONS, TRICKS
from tourney.games.voleur.view import PHASES, VoleurView

_MOST = max([combination.points for combination in COMBINATIONS])


def vector_of(view: VoleurView) -> Vector:
    """The view as a vector. Seats have their own numbers, which `steal:SEAT` also names."""
    vector, seats, options = Vector(), len(view.scores), view.options
    cards, each = STANDARD.names, [f"@{seat}" for seat in range(seats)]
    vector.mark("hand", cards, view.hand)
    vector.mark("discards", cards, view.discards)
    vector.mark("up", cards, view.up)
    vector.mark("pile", cards, view.pile)
    table = dict(view.table)
    for seat in range(seats):
        vector.mark(f"table@{seat}", cards, table.get(seat))
    for seat in range(seats):
        vector.mark(f"played@{seat}", cards, [trick.cards[seat] for trick in view.tricks])
    vector.mark("seat", each, view.seat)
    vector.mark("decide", PHASES[:3], None if view.turn is None else PHASES.index(view.phase))
    vector.mark("decides", each, view.turn)
    vector.mark("leads", each, view.leader)
    won = [trick.winner for trick in view.tricks]
    vector.put("won", each, [won.count(seat) / TRICKS for seat in range(seats)])
    vector.put("score", each, [bounded(score, options.target) for score in view.scores])
    vector.mark("scored", each, [seat for seat, scored in enumerate(view.combinations) if scored is not None])
    vector.put("combination", each, [0.0 if scored is None else scored.points / _MOST for scored in view.combinations])
    vector.number("tricks", len(view.tricks) / TRICKS)
    vector.number("round", share(view.round, options.max_rounds))
    return vector
