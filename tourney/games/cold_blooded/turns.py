"""The turns of a game of Cold Blooded: whose it is, how many actions it has, and how it ends."""

from typing import Any

from mypy_extensions import i64

from tourney.games.cold_blooded.cards import ColdBloodedCards
from tourney.games.cold_blooded.rules import ASSASSIN, BITS, DUMMY, MOVE, TALK


class ColdBloodedTurns(ColdBloodedCards):
    """The course of a game, turn by turn; `actions` has what is done in a turn. Masks are of seats."""

    __slots__ = (
        "_actions",
        "_aim",
        "_barred",
        "_cleared",
        "_duke",
        "_knife",
        "_last_assassin",
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
    """The seat that has the first turn of the game."""
    _duke: i64
    """The place of the Duke."""
    _turn: i64
    """The number of the turn in the game, from 1."""
    _mover: i64
    """The seat whose turn it is."""
    _actions: i64
    """How many actions the mover has left."""
    _second: bool
    """Whether the turn is at its second action."""
    _last_assassin: bool
    """Whether a single assassin was alive as the turn began, at a table where that one has two actions."""
    _phase: i64
    """What is being decided."""
    _aim: i64
    """The place that the move in progress is aimed at; -1 if none is."""
    _knife: bool
    """Whether the trade in progress is a knife."""
    _traded: i64
    """The mask of the places that the mover has traded with in this turn."""
    _barred: i64
    """Eight bits a seat: the mask of the seats that traded with it in their own last turn, and so are barred."""
    _marked: i64
    """The mask of the seats that must be assassins by what they did."""
    _cleared: i64
    """The mask of the seats that cannot be assassins by what they did."""
    _table: tuple[Any, ...] | None
    """What all seats know of the cards and the turn; None until a view needs it again."""

    def _finish(self, winner: int) -> None:
        """Ends the game; `winner` is ASSASSIN, GUARD (for guards and Duke), or 0 for a drawn game."""
        raise NotImplementedError

    def _publish_game(self, over: bool) -> None:
        """Makes what all seats know of the game itself, as a new one starts or the match is over."""
        raise NotImplementedError

    def _set_up(self, first: i64, deal: tuple[Any, ...]) -> None:
        """Sets up a new game from what `pack_deal` returns; `first` is the Duke, or starts at a table of four."""
        self._deal_cards(deal)
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
        self._last_assassin = False
        self._publish_game(False)

    def _begin_turn(self, seat: i64) -> None:
        """Starts the turn of a seat."""
        self._turn += 1
        self._mover = seat
        self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        assassins = self._alive & self._assassins
        last_assassin = not assassins & (assassins - 1) and self._seats in (5, 7)
        if last_assassin != self._last_assassin:
            self._last_assassin = last_assassin
            self._standing = None
        self._actions = 2 if last_assassin and assassins >> seat & 1 else 1
        self._second = False
        self._played = ()
        self._traded = 0
        self._phase = TALK if self._talk else MOVE
        self._table = None

    def _acted(self) -> None:
        """Goes on after an action: to the second one, or to the end of the turn."""
        mover = self._mover
        self._actions -= 1
        if self._last_assassin and not self._second:
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
        """Ends the turn; the next one starts unless the game is over."""
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
        """Replaces the partners of the mover's last trades by those of this turn."""
        of_all: i64 = 0x0101010101010101
        barred = self._barred & ~(of_all << mover)
        bit = 1 << mover
        other: i64
        for other in BITS[self._traded & 255]:
            barred |= bit << 8 * other
        self._barred = barred
