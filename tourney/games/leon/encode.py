"""Views of Le Léon as vectors for learning bots; docs/rules/leon.md lists the elements."""

from functools import lru_cache

from tourney.cards import LEON as DECK
from tourney.encoding import Sections, bounded, from_seat
from tourney.games.leon.rules import LEON, X, winning
from tourney.games.leon.view import LeonView, largest_of

_PHASES = ("trump", "bid", "play", "confess")
_SANCTIONS = ("forgotten", "unmasked", "repented")
"""The kinds of sanctions, in the order of `scores.SANCTIONS`."""
_SCORE = 50
"""The score that becomes 0.5: about what a match of a few seats brings."""


@lru_cache
def sections_for(seats: int) -> Sections:
    """Returns the elements for a number of seats; `+0` is the seat itself, `+1` the next one clockwise."""
    cards, each = DECK.names, [f"+{i}" for i in range(seats)]
    return Sections(
        {
            "hand": cards,
            "up": cards,
            **{f"table{seat}": cards for seat in each},
            **{f"played{seat}": cards for seat in each},
            "leon": cards[:X],
            "trump": DECK.suits,
            "led": DECK.suits,
            "decide": _PHASES,
            "decides": each,
            "leads": each,
            "deals": each,
            "wins": each,
            "has_bid": each,
            "bid": each,
            "won": each,
            "score": each,
            **dict.fromkeys(_SANCTIONS, each),
            "own_revoke": DECK.suits,
            "cards": ("",),
            "round": ("",),
        }
    )


def encode(view: LeonView) -> list[float]:
    """Returns the view as a vector with the elements of `sections_for`."""
    seats = view.seats
    sections = sections_for(seats)
    vector = sections.zeros()
    order = from_seat(view.seat, seats)
    # how many seats clockwise from the seat itself each seat is
    away = from_seat(-view.seat % seats, seats)
    sections.mark(vector, "hand", view.hand)
    sections.mark(vector, "up", (view.up,))
    _mark_plays(vector, sections, view, away)
    if view.trump is not None:
        sections.mark(vector, "trump", (view.trump,))
    if (led := view.led) is not None:
        sections.mark(vector, "led", (led,))
    if view.turn is not None:
        sections.mark(vector, "decide", (_PHASES.index(view.phase),))
        sections.mark(vector, "decides", (away[view.turn],))
    sections.mark(vector, "leads", (away[view.leader],))
    sections.mark(vector, "deals", (away[view.dealer],))
    if (wins := view.winning) is not None:
        sections.mark(vector, "wins", (away[wins],))
    cards, largest = view.cards, largest_of(view.options, seats)
    bids = [view.bids[seat] for seat in order]
    sections.mark(vector, "has_bid", [i for i, bid in enumerate(bids) if bid is not None])
    sections.put(vector, "bid", [(bid or 0) / cards for bid in bids])
    sections.put(vector, "won", [view.won[seat] / cards for seat in order])
    sections.put(vector, "score", [bounded(view.scores[seat], _SCORE) for seat in order])
    for seat, kind, _ in view.sanctioned:
        sections.mark(vector, _SANCTIONS[kind], (away[seat],))
    sections.mark(vector, "own_revoke", [suit for _, suit in view.revokes])
    sections.put(vector, "cards", [cards / largest])
    sections.put(vector, "round", [view.round / (2 * largest)])
    return vector


def _mark_plays(vector: list[float], sections: Sections, view: LeonView, away: tuple[int, ...]) -> None:
    """Marks the cards of the tricks that are over as played, and those of the trick in progress as on the table."""
    seats, moves = view.seats, view._moves
    leader = (view.dealer + 1) % seats
    for start in range(0, len(moves), seats):
        trick = moves[start : start + seats]
        section = "played" if len(trick) == seats else "table"
        for i, action in enumerate(trick):
            sections.mark(vector, f"{section}+{away[(leader + i) % seats]}", (min(action, X),))
            if LEON <= action < LEON + X:
                sections.mark(vector, "leon", (action - LEON,))
        leader = (leader + winning(tuple(trick), view.trump_suit)) % seats
