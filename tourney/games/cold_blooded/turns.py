"""The turns of a game of Cold Blooded: whose it is, how many actions it has, and how it ends."""

from typing import Any

from mypy_extensions import i64

from tourney.games.cold_blooded.cards import Cards
from tourney.games.cold_blooded.rules import ASSASSIN, BITS, DUMMY, MOVE, TALK


class Turns(Cards):
    """One turn after the other, until the game is over; what is done in them is elsewhere. Masks are of seats."""

    __slots__ = (
        "_actions",
        "_aim",
        "_barred",
        "_cleared",
        "_duke",
        "_knife",
        "_lone",
        "_marked",
        "_max_turns",
        "_mover",
        "_options",
        "_phase",
        "_second",
        "_starts",
        "_table",
        "_talk",
        "_traded",
        "_turn",
    )

    _options: Any
    _talk: bool
    _max_turns: i64
    _starts: i64
    _duke: i64
    _turn: i64
    _mover: i64
    _actions: i64
    """How many actions the mover has left."""
    _second: bool
    """Whether the turn is at its second action."""
    _lone: bool
    """Whether one assassin was left when the turn began, at a table where that one has two actions."""
    _phase: i64
    _aim: i64
    """The place that the move in progress is aimed at; -1 if none is."""
    _knife: bool
    """Whether the trade in progress is a knife."""
    _traded: i64
    """Whom the mover has traded with in this turn."""
    _barred: i64
    """By the seat, eight bits each: the others that have traded with it in their last turns, and so may not now."""
    _marked: i64
    """Seats that must be assassins by what they did."""
    _cleared: i64
    """Seats that cannot be assassins by what they did."""
    _table: tuple[Any, ...] | None
    """What all seats know of the cards and the turn, once someone has looked at it."""

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        raise NotImplementedError

    def _settle_facts(self, over: bool) -> None:
        """Notes what all seats know of the game itself: it is a new one, or the last one is over."""
        raise NotImplementedError

    def _set_up(self, first: i64, dealt: tuple[Any, ...]) -> None:
        """A new game: `first` is the Duke, or starts at a table of four; `dealt` is what `cb.dealt` made."""
        self._lay_out(dealt)
        self._starts = first
        if self._seats == 4:
            self._duke = DUMMY
        else:
            self._duke = first
            self._open = 3 << 2 * first
        self._barred = 0
        self._marked = 0
        self._cleared = 0
        self._turn = 0
        self._aim = -1
        self._knife = False
        self._lone = False
        self._settle_facts(False)

    def _begin_turn(self, seat: i64) -> None:
        self._turn += 1
        self._mover = seat
        self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        last = self._alive & self._assassins
        lone = not last & (last - 1) and self._seats in (5, 7)
        if lone != self._lone:
            self._lone = lone
            self._standing = None
        self._actions = 2 if lone and last >> seat & 1 else 1
        self._second = False
        self._played = ()
        self._traded = 0
        self._phase = TALK if self._talk else MOVE
        self._table = None

    def _acted(self) -> None:
        mover = self._mover
        self._actions -= 1
        if self._lone and not self._second:
            if self._actions:
                self._marked |= 1 << mover
                self._standing = None
            elif not self._cleared >> mover & 1:
                self._cleared |= 1 << mover
                self._standing = None
        if not self._actions:
            self._end_turn()
            return
        self._second = True
        self._aim = -1
        self._knife = False
        self.seat = mover
        self._phase = MOVE

    def _end_turn(self) -> None:
        mover = self._mover
        self._aim = -1
        self._knife = False
        if self._played:
            self._refill(mover)
        if self._barred or self._traded:
            self._bar(mover)
        # docs/rules/cold-blooded: the turn that ends as number max_turns ends the game, a bomb due next or not
        if self._turn >= self._max_turns:
            self._finish(0)
            return
        alive = self._alive
        seat = mover
        while True:
            seat += 1
            if seat == self._seats:
                seat = 0
            if alive >> seat & 1:
                break
        if self._bombs[seat] >= 0:
            # docs/rules/cold-blooded: a bomb explodes at the start of its player's turn, before any talk
            self._finish(ASSASSIN)
            return
        self._begin_turn(seat)

    def _bar(self, mover: i64) -> None:
        """Notes whom the mover has traded with in this turn, instead of in its last one."""
        of_all: i64 = 0x0101010101010101
        barred = self._barred & ~(of_all << mover)
        bit = 1 << mover
        others: tuple[Any, ...] = BITS[self._traded & 255]
        other: i64
        for other in others:
            barred |= bit << 8 * other
        self._barred = barred
