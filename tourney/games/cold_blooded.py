"""Cold Blooded: 4 to 8 seats, hidden roles, one action card each, a series of games. Rules: docs/rules/cold-blooded.md.

Cards are tokens that everyone can follow; which card a token is, is packed into one int (see `_cold_blooded`).
"""

from random import Random
from typing import Any, Final

from mypy_extensions import mypyc_attr

from tourney.errors import ConfigError, ViewError
from tourney.game import Entry, Game, places_by
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import (
    ANSWER,
    ASK_SACRIFICE,
    ASK_SHELL,
    ASK_SHOW,
    ASSASSIN,
    BITS,
    CARDS,
    CAST,
    DUKE,
    DUMMY,
    GUARD,
    PLACES,
    ROLES,
    STAYED,
    WAIT,
    card_of,
)
from tourney.games._cold_blooded_play import Play
from tourney.games._cold_blooded_view import ColdBloodedOptions, ColdBloodedView, Counts
from tourney.rng import below, permutation, shuffle, stream

_new: Final = tuple.__new__
GAMES: Final = 40
"""So many games at most in a series."""
SECRET: Final = (ASK_SHELL, ASK_SACRIFICE)
"""The phases in which only the seat that is asked knows that it is."""


class ColdBloodedState(Play):
    """A series of Cold Blooded that is going on."""

    __slots__ = (
        "_game",
        "_past",
        "_seed",
    )

    def begin(self, seats: int, options: ColdBloodedOptions, seed: int) -> None:
        """Deals the first game."""
        self.log = []
        self._options = options
        self._seed = seed
        self._seats = seats
        self._scores = (0,) * seats
        self._past: tuple[tuple[Any, ...], ...] = ((),) * seats
        self._game = 0
        self._deal(below(seats, seed, "duke"))

    def _deal(self, first: int) -> None:
        """Deals the next game of the series; the seat `first` is the Duke, and starts."""
        self._game += 1
        seats, counts = self._seats, self._options.deck.by_card()
        cards = [card for card, count in enumerate(counts, 1) for _ in range(count)]
        shuffle(cards, stream(self._seed, "cards", self._game))
        guards, assassins = CAST[seats]
        cast = [GUARD] * guards + [ASSASSIN] * assassins
        roles = [cast[i] for i in permutation(len(cast), self._seed, "roles", self._game)]
        if seats > 4:
            roles.insert(first, DUKE)
        hands = max(seats, 5)
        self._set_up(first, roles, cards)
        self.log.append(
            (
                "deal",
                self._game,
                first if seats > 4 else None,
                tuple(roles),
                tuple(cards[:seats]),
                cards[4] if seats == 4 else None,
                tuple(cards[hands:]),
                first,
            )
        )
        self._begin_turn(first)

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        seats, assassins = self._seats, self._assassins
        side = assassins if winner == ASSASSIN else ~assassins if winner == GUARD else 0
        points = tuple([side >> seat & 1 for seat in range(seats)])
        self._scores = tuple([score + point for score, point in zip(self._scores, points, strict=True)])
        self.log.append(("score", self._game, points, self._scores))
        marked, cleared = self._marked, self._cleared
        if winner:  # the points tell who was on which side
            marked, cleared = assassins, (1 << seats) - 1 & ~assassins
        seen = self._game, self._duke, self._starts, winner, points, self._moves, tuple(self._known), marked, cleared
        self._past = tuple(
            [
                (
                    *past,
                    (seen, self._roles & (self._open | 3 << 2 * i), self._types & self._known[i], self._knives[i]),
                )
                for i, past in enumerate(self._past)
            ]
        )
        if max(self._scores) < self._options.target and self._game < GAMES:
            # docs/rules/cold-blooded: the Duke, or the start at a table of four, passes to the left
            self._deal((self._starts + 1) % seats)
            return
        self.seat = None
        self._moves = ()
        self._knives = [()] * PLACES

    def view(self, seat: int) -> ColdBloodedView:
        """What the seat may know."""
        known = self._known
        phase = self._phase
        return _new(
            ColdBloodedView,
            (
                seat,
                self._options,
                self._game,
                self._scores,
                self._roles & (self._open | 3 << 2 * seat),
                self._types & known[seat],
                tuple(self._hands),
                self._deck,
                self._alive,
                tuple(self._bombs),
                self._gone,
                self._duke if self._duke != DUMMY else None,
                self._starts,
                self._turn,
                self._mover,
                self._phase_for(seat) if phase in SECRET else phase,
                self._second,
                self._moves,
                tuple(known),
                tuple(self._last),
                self._marked,
                self._cleared,
                self._lone,
                self._knives[seat],
                self._aim,
                self._past[seat],
                self._played,
                self._traded,
                self.seat is None,
            ),
        )

    def copy(self) -> "ColdBloodedState":
        """A state of its own that goes on from here, with an empty log."""
        new = ColdBloodedState()
        new.seat = self.seat
        new.log = []
        new._actions = self._actions
        new._aim = self._aim
        new._alive = self._alive
        new._assassins = self._assassins
        new._barred = self._barred.copy()
        new._bombs = self._bombs.copy()
        new._cleared = self._cleared
        new._deck = self._deck
        new._duke = self._duke
        new._gone = self._gone
        new._hands = self._hands.copy()
        new._knife = self._knife
        new._knives = self._knives.copy()
        new._known = self._known.copy()
        new._last = self._last.copy()
        new._lone = self._lone
        new._marked = self._marked
        new._mover = self._mover
        new._moves = self._moves
        new._open = self._open
        new._options = self._options
        new._phase = self._phase
        new._played = self._played
        new._roles = self._roles
        new._scores = self._scores
        new._seats = self._seats
        new._second = self._second
        new._starts = self._starts
        new._traded = self._traded
        new._turn = self._turn
        new._types = self._types
        new._game = self._game
        new._past = self._past
        new._seed = self._seed
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far."""
        return self._scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points share a place."""
        return places_by(self._scores)


@mypyc_attr(allow_interpreted_subclasses=True)
class ColdBlooded(Game):
    """The rules of Cold Blooded."""

    name = "cold-blooded"
    title = "Cold Blooded"
    rules = "docs/rules/cold-blooded.md"
    seats = range(4, 9)
    Options = ColdBloodedOptions
    actions = (
        *("draw", "pass", "trade:SEAT", "trade:duke", "sniper:SEAT", "knife:SEAT", "knife:duke", "bomb", "uprising"),
        *("accept", "decline", "shell", "sacrifice", "stay", "show", "hide"),
        *("say:nothing", "say:guard", "say:CARD", "say:accuse:SEAT", "say:trust:SEAT"),
    )
    names = cb.NAMES

    def check(self, seats: int, options: ColdBloodedOptions) -> None:
        """Refuses a deck with fewer than two cards more than there are hands."""
        hands = max(seats, 5)
        cards = sum(options.deck.by_card())
        if cards < hands + 2:
            raise ConfigError(
                f"deck: {cards} cards are too few for {seats} seats; there must be at least {hands + 2}, "
                f"two more than the {hands} hands"
            )

    def start(self, seats: int, options: ColdBloodedOptions, seed: int) -> ColdBloodedState:
        """A new match."""
        state = ColdBloodedState()
        state.begin(seats, options, seed)
        return state

    def imagine(self, view: ColdBloodedView, rng: Random) -> ColdBloodedState:
        """A state in which the roles, the cards and who is being asked fit the view."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return _imagine(view, rng)

    def event(self, entry: Entry) -> dict[str, Any]:
        """A deal or a score, as an event of the trace."""
        match entry:
            case ("deal", number, duke, roles, hands, dummy, deck, starts):
                event = {
                    "kind": "deal",
                    "game": number,
                    "duke": duke,
                    "roles": [ROLES[role - 1] for role in roles],
                    "hands": [CARDS[card - 1] for card in hands],
                }
                if dummy is not None:
                    event["dummy"] = CARDS[dummy - 1]
                return event | {"deck": [CARDS[card - 1] for card in deck], "starts": starts}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")


def _imagine(view: ColdBloodedView, rng: Random) -> ColdBloodedState:
    me, seats = view.seat, view.seats
    counts = view.options.deck.by_card()
    new = ColdBloodedState()
    new.log = []
    new._seed = int(rng.random() * 2**53)
    new._seats = seats
    _copy_public(new, view)
    forced: dict[int, int] = {}
    new._phase, asked = view.phase_seen, view.mover
    if new._phase in (ASK_SHELL, ASK_SACRIFICE, WAIT, STAYED):
        new._phase, asked, forced = cb.Asked(view).draw(counts, rng)
    elif new._phase in (ANSWER, ASK_SHOW):
        asked = view.aim
    new.seat = asked
    new._types = cb.fill(view.types, forced, counts, rng)
    new._roles = cb.cast(view.packed_roles, view.marked, view.cleared, seats, rng)
    new._assassins = sum([1 << seat for seat in range(seats) if new._roles >> 2 * seat & 3 == ASSASSIN])
    two = new._lone and not new._second and new._assassins >> new._mover & 1
    new._actions = 2 if two else 1
    new._knives = cb.knife_offers(view.moves, new._types, me, view.knives, rng)
    _settle_offer(new, view, rng)
    others = [_past_of_others(entry, me, seats, counts) for entry in view[25]]
    new._past = tuple([view[25] if seat == me else tuple([past[seat] for past in others]) for seat in range(seats)])
    return new


def _copy_public(new: ColdBloodedState, view: ColdBloodedView) -> None:
    """What the view shows as it is goes into the state."""
    new._options, new._game, new._scores = view.options, view.game, view.scores
    new._hands, new._deck, new._alive = list(view.hands), view.deck, view.alive
    new._bombs, new._gone = list(view.bombs), view.uprising_gone
    new._duke = DUMMY if view.duke is None else view.duke
    new._starts, new._turn, new._mover, new._second = view.starts, view.turn, view.mover, view.second
    new._moves, new._known, new._last = view.moves, list(view[18]), list(view[19])
    new._marked, new._cleared, new._lone, new._aim = view.marked, view.cleared, view[22], view.aim
    new._played, new._traded = view[26], view[27]
    new._barred = [0] * PLACES
    for seat in range(view.seats):
        for place in BITS[new._last[seat]]:
            new._barred[place] |= 1 << seat
    new._open = 0 if view.duke is None else 3 << 2 * view.duke
    for seat, code, _, _ in view.moves:
        if code == cb.OUT and seat != DUMMY:
            new._open |= 3 << 2 * seat


def _settle_offer(new: ColdBloodedState, view: ColdBloodedView, rng: Random) -> None:
    """Whether a trade that is still in progress is a knife."""
    new._knife = False
    if view.aim < 0 or new._hands[new._mover] < 0 or new._phase == ASK_SHOW:
        return
    offer = max([i for i, step in enumerate(view.moves) if cb.TRADE <= step[1] < cb.SNIPER])
    if new._mover == view.seat:
        new._knife = offer in view.knives
    elif card_of(new._types, new._hands[new._mover]) == cb.KNIFE_CARD:
        new._knife = new._phase != ANSWER or rng.random() < 0.5
        if new._knife:
            new._knives[new._mover] += (offer,)


_guesses: dict[tuple[int, int], tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
"""Guesses by the identity of the entry (which is kept alive here) and the seat: an entry is slow to hash."""


def _past_of_others(entry: tuple[Any, ...], me: int, seats: int, counts: tuple[int, ...]) -> tuple[Any, ...]:
    """A past game as each seat may have known it: the same guess each time, since nothing depends on it."""
    key = id(entry), me
    if key in _guesses:
        return _guesses[key][1]
    seen, roles, types, knives = entry
    *_, moves, known, marked, cleared = seen
    rng = Random(0)
    types = cb.fill(types, {}, counts, rng)
    roles = cb.cast(roles, marked, cleared, seats, rng)
    shown = sum([3 << 2 * seat for seat, code, _, _ in moves if code == cb.OUT and seat != DUMMY])
    offers = cb.knife_offers(moves, types, me, knives, rng)
    guess = tuple([(seen, roles & (shown | 3 << 2 * i), types & known[i], offers[i]) for i in range(seats)])
    if len(_guesses) >= 256:
        _guesses.clear()
    _guesses[key] = entry, guess
    return guess


__all__ = ["ColdBlooded", "ColdBloodedOptions", "ColdBloodedState", "ColdBloodedView", "Counts"]
