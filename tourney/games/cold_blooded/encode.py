"""Views of Cold Blooded as vectors for learning bots; docs/rules/cold-blooded.md lists the elements."""

from collections.abc import Iterable
from functools import lru_cache

from tourney.encoding import Sections, bounded, share
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import BITS, CARDS, DUMMY, PHASES, ROLES, card_of
from tourney.games.cold_blooded.view import ColdBloodedView

_SAID = ("guard", *CARDS)
_PHASES = PHASES[: cb.STAYED]


@lru_cache
def sections_for(seats: int) -> Sections:
    """Returns the elements for a number of seats. Seats have their own numbers, which actions name, too.

    At a table of four there is one place more than seats: that of the Duke whom nobody plays.
    """
    each = [f"@{seat}" for seat in range(seats)]
    places = [*each, "@duke"] if seats == 4 else each
    return Sections(
        {
            "seat": each,
            "duke": each,
            **{f"role{seat}": ROLES for seat in each},
            "alive": places,
            "holds": places,
            **{f"card{place}": CARDS for place in places},
            "bomb": each,
            "deck_top": CARDS,
            "deck_knows": CARDS,
            "phase": _PHASES,
            "moves": each,
            "starts": each,
            "aim": places,
            "second": ("",),
            "assassin": each,
            "no_assassin": each,
            "last_assassin": ("",),
            "uprising_gone": ("",),
            **{f"said{seat}": _SAID for seat in each},
            **{f"accused{seat}": each for seat in each},
            **{f"trusted{seat}": each for seat in each},
            **{f"traded{seat}": places for seat in each},
            **{f"attacked{seat}": places for seat in each},
            "score": each,
            "turn": ("",),
        }
    )


def encode(view: ColdBloodedView) -> list[float]:
    """Returns the view as a vector with the elements of `sections_for`."""
    seats, options = view.seats, view.options
    sections = sections_for(seats)
    vector = sections.zeros()
    sections.mark(vector, "seat", (view.seat,))
    if view.duke is not None:
        sections.mark(vector, "duke", (view.duke,))
    for seat, role in enumerate(view.roles):
        if role is not None:
            sections.mark(vector, f"role@{seat}", (ROLES.index(role),))
    sections.mark(vector, "starts", (view.starts,))
    sections.put(vector, "score", [bounded(score, options.target) for score in view.scores])
    if view.over:
        return vector
    _mark_cards(vector, sections, view)
    sections.mark(vector, "phase", (_PHASES.index(view.phase),))
    sections.mark(vector, "moves", (view.mover,))
    if view.aim >= 0:
        sections.mark(vector, "aim", _places((view.aim,), seats))
    sections.mark(vector, "assassin", BITS[view.marked])
    sections.mark(vector, "no_assassin", BITS[view.cleared])
    flags = {"second": view.second, "last_assassin": view.last_assassin, "uprising_gone": view.uprising_gone}
    for section, flag in flags.items():
        sections.put(vector, section, [float(flag)])
    _mark_history(vector, sections, view)
    sections.put(vector, "turn", [share(view.turn, options.max_turns)])
    return vector


def _places(places: Iterable[int], seats: int) -> list[int]:
    """Returns places as indices: the place that nobody plays comes after the seats."""
    return [seats if place == DUMMY else place for place in places]


def _mark_cards(vector: list[float], sections: Sections, view: ColdBloodedView) -> None:
    """Marks who is alive and holds a card, the cards that the seat knows, active bombs, and the deck."""
    seats, types = view.seats, view.types
    places = [*range(seats), DUMMY] if seats == 4 else range(seats)
    sections.mark(vector, "alive", _places(BITS[view.alive], seats))
    for index, place in enumerate(places):
        token = view.hands[place]
        if token >= 0:
            sections.mark(vector, "holds", (index,))
        if card := card_of(types, token):
            sections.mark(vector, f"card@{'duke' if place == DUMMY else place}", (card - 1,))
    sections.mark(vector, "bomb", [seat for seat in range(seats) if view.bombs[seat] >= 0])
    known = [card_of(types, token) for token in view.deck]
    sections.mark(vector, "deck_top", [card - 1 for card in known[:1] if card])
    counts = [float(share(known.count(card), len(known))) for card in range(1, len(CARDS) + 1)]
    sections.put(vector, "deck_knows", counts)


def _mark_history(vector: list[float], sections: Sections, view: ColdBloodedView) -> None:
    """Marks what each seat has said and done to whom in this game."""
    seats = view.seats
    for seat, code, _, _ in view.moves:
        if seat == DUMMY or code >= cb.OUT:
            continue
        if code >= cb.TRUST:
            sections.mark(vector, f"trusted@{seat}", (code - cb.TRUST,))
        elif code >= cb.ACCUSE:
            sections.mark(vector, f"accused@{seat}", (code - cb.ACCUSE,))
        elif code > cb.SAY:
            sections.mark(vector, f"said@{seat}", (code - cb.SAY - 1,))
        elif cb.KNIFE <= code < cb.BOMB:
            sections.mark(vector, f"attacked@{seat}", _places((code - cb.KNIFE,), seats))
        elif cb.SNIPER <= code < cb.KNIFE:
            sections.mark(vector, f"attacked@{seat}", (code - cb.SNIPER,))
        elif cb.TRADE <= code < cb.SNIPER:
            sections.mark(vector, f"traded@{seat}", _places((code - cb.TRADE,), seats))
