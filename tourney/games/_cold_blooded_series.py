"""A series of Cold Blooded as it is played: deals, scores, what each seat may know."""

from functools import lru_cache
from typing import Any, Final

from tourney.game import Entry, places_by
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import (
    ASK_SACRIFICE,
    ASK_SHELL,
    ASSASSIN,
    CAST,
    DUKE,
    DUMMY,
    GUARD,
    PLACES,
)
from tourney.games._cold_blooded_play import Play
from tourney.games._cold_blooded_view import ColdBloodedOptions, ColdBloodedView
from tourney.rng import below, permutation, shuffle, stream

_View: Final = ColdBloodedView
GAMES: Final = 40
"""So many games at most in a series."""


class ColdBloodedState(Play):
    """A series of Cold Blooded that is going on."""

    __slots__ = (
        "_facts",
        "_game",
        "_past",
        "_scores",
        "_seed",
    )

    _facts: tuple[Any, ...]
    """What stays as it is while a game goes on."""
    _game: int
    _past: list[Any]
    """The games that are over, as each seat knew them."""
    _scores: tuple[int, ...]

    def begin(self, seats: int, options: ColdBloodedOptions, seed: int) -> None:
        """Deals the first game."""
        self.log = []
        self._set_options(options)
        self._seed = seed
        self._seats = seats
        self._scores = (0,) * seats
        self._past = [()] * seats
        self._game = 0
        self._deal(below(seats, seed, "duke"))

    def _set_options(self, options: ColdBloodedOptions) -> None:
        """Those that matter at every turn are kept at hand."""
        self._options = options
        self._talk = options.talk
        self._max_turns = options.max_turns

    def _deal(self, first: int) -> None:
        """Deals the next game of the series; the seat `first` is the Duke, and starts."""
        self._game += 1
        entry, roles, cards = _dealt(self._seats, self._seed, self._game, first, self._options.deck.by_card())
        self._set_up(first, roles, cards)
        self.log.append(entry)
        self._begin_turn(first)

    def _settle_facts(self, over: bool) -> None:
        """Makes what stays as it is until the next game is dealt; `ColdBloodedView` names it."""
        duke = None if self._duke == DUMMY else int(self._duke)
        self._facts = self._options, self._game, self._scores, duke, self._starts, over

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        seats, assassins = int(self._seats), self._assassins
        side = assassins if winner == ASSASSIN else ~assassins if winner == GUARD else 0
        points = tuple([int(side >> seat & 1) for seat in range(seats)])
        self._scores = tuple([score + points[seat] for seat, score in enumerate(self._scores)])
        self.log.append(("score", self._game, points, self._scores))
        marked, cleared = self._marked, self._cleared
        if winner:  # the points tell who was on which side
            marked, cleared = assassins, (1 << seats) - 1 & ~assassins
        known = tuple([seen | self._shown for seen in self._known])
        moves = self._earlier + self._recent
        seen = self._game, self._facts[3], self._starts, winner, points, moves, known, marked, cleared
        for seat in range(seats):
            roles = self._roles & (self._open | 3 << 2 * seat)
            self._past[seat] += ((seen, roles, self._types & known[seat], self._knives[seat]),)
        if max(self._scores) < self._options.target and self._game < GAMES:
            # docs/rules/cold-blooded: the Duke, or the start at a table of four, passes to the left
            self._deal((int(self._starts) + 1) % seats)
            return
        self.seat = None
        self._earlier = self._recent = ()
        self._knives = [()] * PLACES
        self._settle_facts(True)
        self._table = None

    def view(self, seat: int) -> ColdBloodedView:
        """What the seat may know."""
        table, phase = self._table, self._phase
        if table is None:
            table = self._laid_open()
        return _View(
            seat,
            self._facts,
            table,
            self._earlier,
            self._recent,
            self._phase_for(seat) if phase in (ASK_SHELL, ASK_SACRIFICE) else phase,
            self._roles & (self._open | 3 << 2 * seat),
            self._types & (self._known[seat] | self._shown),
            self._knives[seat],
            self._past[seat],
        )

    def _laid_open(self) -> tuple[Any, ...]:
        """What all seats know of the cards and the turn until the next move; `ColdBloodedView` names it."""
        self._table = table = (
            tuple(self._hands),
            self._deck,
            self._alive,
            self._bombs,
            self._gone,
            self._turn,
            self._mover,
            self._second,
            self._marked,
            self._cleared,
            self._lone,
            self._aim,
            self._played,
            self._traded,
            tuple(self._known),
            self._shown,
            tuple(self._last),
        )
        return table

    def take_up(self, view: ColdBloodedView) -> None:
        """Goes on from what all seats know."""
        self._facts, self._table = view._facts, view._table
        self._earlier, self._recent = view._earlier, view._recent
        options, self._game, self._scores, duke, self._starts, _ = self._facts
        self._set_options(options)
        self._duke = DUMMY if duke is None else duke
        hands, self._deck, self._alive, self._bombs, self._gone, self._turn, self._mover, self._second = view._table[:8]
        self._marked, self._cleared, self._lone, self._aim, self._played, self._traded = view._table[8:14]
        known, self._shown, last = view._table[14:]
        self._hands, self._known, self._last = list(hands), list(known), list(last)
        self._holding = sum([1 << place for place, token in enumerate(hands) if token >= 0])
        self._open = 0 if duke is None else 3 << 2 * duke
        for seat, code, _, _ in view.moves:
            if code == cb.OUT and seat != DUMMY:
                self._open |= 3 << 2 * seat

    def copy(self) -> "ColdBloodedState":
        """A state of its own that goes on from here, with an empty log."""
        new = ColdBloodedState()
        new.seat = self.seat
        new.log = []
        new._actions = self._actions
        new._aim = self._aim
        new._alive = self._alive
        new._assassins = self._assassins
        new._bombs = self._bombs
        new._cleared = self._cleared
        new._deck = self._deck
        new._duke = self._duke
        new._earlier = self._earlier
        new._gone = self._gone
        new._facts = self._facts
        new._hands = self._hands.copy()
        new._holding = self._holding
        new._knife = self._knife
        new._knives = self._knives.copy()
        new._known = self._known.copy()
        new._last = self._last.copy()
        new._lone = self._lone
        new._marked = self._marked
        new._max_turns = self._max_turns
        new._mover = self._mover
        new._recent = self._recent
        new._open = self._open
        new._options = self._options
        new._phase = self._phase
        new._played = self._played
        new._roles = self._roles
        new._scores = self._scores
        new._seats = self._seats
        new._second = self._second
        new._shown = self._shown
        new._table = self._table
        new._starts = self._starts
        new._talk = self._talk
        new._traded = self._traded
        new._turn = self._turn
        new._types = self._types
        new._game = self._game
        new._past = self._past.copy()
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


@lru_cache(maxsize=256)
def _dealt(
    seats: int, seed: int, number: int, first: int, counts: tuple[int, ...]
) -> tuple[Entry, tuple[int, ...], tuple[int, ...]]:
    """The deal of a game, the same in all matches of a block: its entry in the log, the roles, and all cards."""
    cards = [card for card, count in enumerate(counts, 1) for _ in range(count)]
    shuffle(cards, stream(seed, "cards", number))
    guards, assassins = CAST[seats]
    cast = [GUARD] * guards + [ASSASSIN] * assassins
    roles = [cast[i] for i in permutation(len(cast), seed, "roles", number)]
    if seats > 4:
        roles.insert(first, DUKE)
    duke, dummy = (first, None) if seats > 4 else (None, cards[4])
    hands, deck = tuple(cards[:seats]), tuple(cards[max(seats, 5) :])
    return ("deal", number, duke, tuple(roles), hands, dummy, deck, first), tuple(roles), tuple(cards)
