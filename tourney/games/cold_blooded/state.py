"""A series of games of Cold Blooded: deals, scores and what each seat may know."""

from functools import lru_cache
from typing import Any, Final

from mypy_extensions import i64

from tourney.game import Entry, places_by
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.actions import ColdBloodedActions
from tourney.games.cold_blooded.rules import (
    ASK_SACRIFICE,
    ASK_SHELL,
    ASSASSIN,
    CAST,
    DUKE,
    DUMMY,
    GUARD,
    PLACES,
)
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, values_of
from tourney.rng import below, permutation, shuffle, stream

# compiled, a Final is looked up once
_View: Final = ColdBloodedView
GAMES: Final = 40
"""The number of games after which a series ends."""
MOST_TURNS: Final = 2**62
"""More turns than any game has; `max_turns` may be larger than 64 bits hold."""
_FRESH_TURN: Final[tuple[Any, ...]] = (False, -1, (), 0)
"""What has been done in a turn that has just begun; see `_publish_table`."""


class ColdBloodedState(ColdBloodedActions):
    """A series of Cold Blooded that is going on."""

    __slots__ = (
        "_counts",
        "_game",
        "_game_info",
        "_past",
        "_scores",
        "_seed",
        "_shown_options",
    )

    _game_info: tuple[Any, ...]
    """What all seats know and what stays as it is during a game."""
    _counts: tuple[int, ...]
    """How many there are of each card."""
    _game: i64
    """The number of the game in the series, from 1."""
    _past: list[tuple[Any, ...]]
    """For each seat, the games that are over as it knew them."""
    _scores: tuple[int, ...]
    _seed: int
    _shown_options: tuple[Any, ...]
    """The values of the options, for views."""

    def begin(self, seats: int, options: ColdBloodedOptions, seed: int) -> None:
        """Starts a series, and deals its first game."""
        self.log = []
        self._set_options(options)
        self._seed = seed
        self._seats = seats
        self._scores = (0,) * seats
        self._past = [()] * seats
        self._game = 0
        self._deal(below(seats, seed, "duke"))

    def _set_options(self, options: ColdBloodedOptions) -> None:
        """Sets the options of the match."""
        self._options = options
        self._talk = options.talk
        self._max_turns = min(options.max_turns, MOST_TURNS)
        self._counts = options.deck.by_card()
        self._shown_options = values_of(options)

    def _deal(self, first: i64) -> None:
        """Deals the next game of the series; the seat `first` is the Duke, or starts at a table of four."""
        self._game += 1
        entry, deal = _draw_deal(self._seats, self._seed, self._game, first, self._counts)
        self._set_up(first, deal)
        self.log.append(entry)
        self._begin_turn(first)

    def _publish_game(self, over: bool) -> None:
        """Makes what stays as it is until the next game is dealt; `ColdBloodedView` names the items."""
        duke = None if self._duke == DUMMY else int(self._duke)
        self._game_info = self._shown_options, self._game, self._scores, duke, self._starts, over

    def _finish(self, winner: int) -> None:
        """Ends the game; `winner` is ASSASSIN, GUARD (for guards and Duke), or 0 for a drawn game."""
        seats, assassins = self._seats, self._assassins
        side = assassins if winner == ASSASSIN else ~assassins if winner == GUARD else 0
        points = tuple([1 if side >> seat & 1 else 0 for seat in range(seats)])
        self._scores = tuple([self._scores[seat] + points[seat] for seat in range(seats)])
        self.log.append(("score", self._game, points, self._scores))
        self._add_past(winner, points)
        if max(self._scores) < self._options.target and self._game < GAMES:
            # docs/rules/cold-blooded: the Duke, or the start at a table of four, passes to the left
            self._deal((self._starts + 1) % seats)
            return
        self.seat = None
        self._earlier = self._recent = ()
        self._knives = [()] * PLACES
        self._publish_game(True)
        self._table = None

    def _add_past(self, winner: int, points: tuple[int, ...]) -> None:
        """Adds the game that is over to the past ones, as each seat knows it."""
        seats, assassins, shown = self._seats, self._assassins, self._shown
        marked, cleared = self._marked, self._cleared
        if winner:  # the points show who was on which side
            marked, cleared = assassins, (1 << seats) - 1 & ~assassins
        known = tuple([seen | shown for seen in self._known])
        moves = self._earlier + self._recent
        public: tuple[Any, ...] = (
            self._game,
            self._game_info[3],
            self._starts,
            winner,
            points,
            moves,
            known,
            marked,
            cleared,
        )
        seat: i64
        for seat in range(seats):
            roles = self._roles & (self._open | 3 << 2 * seat)
            self._past[seat] += ((public, roles, self._types & known[seat], self._knives[seat]),)

    def view(self, seat: int) -> ColdBloodedView:
        """Returns what the seat may know."""
        table, phase = self._table, self._phase
        if table is None:
            table = self._publish_table()
        if phase in (ASK_SHELL, ASK_SACRIFICE):
            phase = self._phase_for(seat)
        at: i64 = seat
        return _View(
            seat,
            self._game_info,
            table,
            self._earlier,
            self._recent,
            phase,
            self._roles & (self._open | 3 << 2 * at),
            self._types & (self._known[at] | self._shown),
            self._knives[at],
            self._past[at],
        )

    def _publish_table(self) -> tuple[Any, ...]:
        """Makes what all seats know of cards and turn until the next move; `ColdBloodedView` names the items."""
        standing = self._standing
        if standing is None:
            standing = self._publish_standing()
        course = _FRESH_TURN
        if self._aim >= 0 or self._second or self._traded or self._played:
            course = (self._second, self._aim, self._played, self._traded)
        table: tuple[Any, ...] = (
            tuple(self._hands),
            self._deck,
            self._turn,
            self._mover,
            standing,
            course,
            tuple(self._known),
            self._barred,
        )
        self._table = table
        return table

    def _publish_standing(self) -> tuple[Any, ...]:
        """Makes what all seats know and seldom changes; `ColdBloodedView` names the items."""
        standing: tuple[Any, ...] = (
            self._alive,
            self._bombs,
            self._gone,
            self._marked,
            self._cleared,
            self._last_assassin,
            self._shown,
        )
        self._standing = standing
        return standing

    def take_up(self, view: ColdBloodedView) -> None:
        """Goes on from what all seats know."""
        self._game_info, self._table = view._game_info, view._table
        self._earlier, self._recent = view._earlier, view._recent
        _, self._game, self._scores, duke, self._starts, _ = self._game_info
        self._set_options(view.options)
        self._duke = DUMMY if duke is None else duke
        hands, self._deck, self._turn, self._mover, standing, course, known, self._barred = view._table
        self._alive, self._bombs, self._gone, self._marked, self._cleared, self._last_assassin, self._shown = standing
        self._standing = standing
        self._second, self._aim, self._played, self._traded = course
        self._hands, self._known = list(hands), list(known)
        self._holding = sum([1 << place for place, token in enumerate(hands) if token >= 0])
        self._open = 0 if duke is None else 3 << 2 * duke
        for seat, code, _, _ in view.moves:
            if code == cb.OUT and seat != DUMMY:
                self._open |= 3 << 2 * seat

    def copy(self) -> "ColdBloodedState":
        """Returns a state of its own that goes on from here, with an empty log."""
        new = ColdBloodedState()
        new.seat = self.seat
        new.log = []
        new._actions = self._actions
        new._aim = self._aim
        new._alive = self._alive
        new._assassins = self._assassins
        new._barred = self._barred
        new._bombs = self._bombs
        new._cleared = self._cleared
        new._counts = self._counts
        new._shown_options = self._shown_options
        new._deck = self._deck
        new._duke = self._duke
        new._earlier = self._earlier
        new._gone = self._gone
        new._game_info = self._game_info
        new._hands = self._hands.copy()
        new._holding = self._holding
        new._knife = self._knife
        new._knives = self._knives.copy()
        new._known = self._known.copy()
        new._last_assassin = self._last_assassin
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
        new._standing = self._standing
        new._starts = self._starts
        new._table = self._table
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
        """The places by points; equal points share a place."""
        return places_by(self._scores)


@lru_cache(maxsize=256)
def _draw_deal(
    seats: int, seed: int, number: int, first: int, counts: tuple[int, ...]
) -> tuple[Entry, tuple[Any, ...]]:
    """Draws the deal of a game, the same in all matches of a block: its entry in the log, and its `pack_deal`."""
    cards = [card for card, count in enumerate(counts, 1) for _ in range(count)]
    shuffle(cards, stream(seed, "cards", number))
    guards, assassins = CAST[seats]
    cast = [GUARD] * guards + [ASSASSIN] * assassins
    roles = [cast[i] for i in permutation(len(cast), seed, "roles", number)]
    if seats > 4:
        roles.insert(first, DUKE)
    duke, dummy = (first, None) if seats > 4 else (None, cards[4])
    hands, deck = tuple(cards[:seats]), tuple(cards[max(seats, 5) :])
    return ("deal", number, duke, tuple(roles), hands, dummy, deck, first), cb.pack_deal(seats, roles, cards)
