"""The cards of a match of Bang: the stocks and the pile, and what all seats know of them.

A stock is bytes, its top first; the pile is bytes, its lowest card first. A card is known to all from the moment that
it is first turned, wherever it goes: piles are won in a known order. What is known of each stock stands beside it.
"""

from collections.abc import Sequence
from typing import Any

from mypy_extensions import i64

from tourney.game import State
from tourney.games.bang.rules import ALL, BASE, BITS, CARDS, EMPTY, FINES, RANK, UNKNOWN


class Cards(State):
    """Where the cards are, and what becomes of them when one is turned, a bang is wrong or the pile is won."""

    __slots__ = (
        "_at",
        "_known",
        "_out",
        "_penalty",
        "_pile",
        "_reason",
        "_reasons",
        "_stocks",
        "_turned",
        "_under",
        "_unseen",
        "_unseen_under",
    )

    _penalty: i64
    """How many cards a wrong bang costs."""
    _reasons: bytes
    """The table of `reasons`."""
    _stocks: list[bytes]
    _known: list[bytes]
    """What all seats know of each stock: UNKNOWN stands for what was never turned."""
    _pile: bytes
    """The turned cards."""
    _under: bytes
    """The cards that were paid for wrong bangs, below the turned ones."""
    _unseen_under: bytes
    """What all seats know of those."""
    _unseen: i64
    """The cards that were never turned, as a mask."""
    _at: i64
    """The pile's place in the table of `reasons`."""
    _reason: i64
    """Whether the card just turned is a reason to bang."""
    _turned: i64
    """How many cards have been turned."""
    _out: tuple[int, ...]
    """The turned card with which each seat last ran out of cards; 0 for a seat that never did."""

    def _lay_out(self, stocks: Sequence[Sequence[int]]) -> None:
        """The cards as they are dealt."""
        self._stocks = [bytes(stock) for stock in stocks]
        self._known = [bytes([UNKNOWN]) * len(stock) for stock in stocks]
        self._unseen = ALL
        self._turned = 0
        self._out = (0,) * len(stocks)
        self._clear()

    def _clear(self) -> None:
        """There is no pile."""
        self._pile = b""
        self._under = b""
        self._unseen_under = b""
        self._at = EMPTY

    def _turn_top(self, mover: i64) -> i64:
        """The top card of the seat's stock goes onto the pile; returns it."""
        stock = self._stocks[mover]
        card: i64 = stock[0]
        self._stocks[mover] = stock[1:]
        self._known[mover] = self._known[mover][1:]
        self._turned += 1
        if len(stock) == 1:
            self._ran_out(mover)
        self._pile = self._pile + stock[:1]  # for bytes, `+=` is slower when compiled
        at = self._at + RANK[card]
        self._reason = self._reasons[at]
        self._at = at % (BASE * BASE) * BASE  # as `onto` has it
        if self._unseen >> card & 1:
            self._unseen ^= BITS[card]
            self._deduce()
        return card

    def _deduce(self) -> None:
        """When a single card was never turned, everyone knows where it is."""
        unseen = self._unseen
        if unseen & unseen - 1 or not unseen:
            return
        unknown, last = bytes([UNKNOWN]), bytes([int(unseen).bit_length() - 1])
        self._known = [stock.replace(unknown, last) for stock in self._known]
        self._unseen_under = self._unseen_under.replace(unknown, last)

    def _ran_out(self, seat: i64) -> None:
        out = list(self._out)
        out[seat] = self._turned
        self._out = tuple(out)

    def _pay(self, seats: tuple[Any, ...]) -> tuple[Any, ...]:
        """Wrong bangs: cards go under the pile, each below the last; returns (seat, how many there were) of each."""
        stocks, known = self._stocks, self._known
        under, unseen_under = self._under, self._unseen_under
        penalty = self._penalty
        paid: list[Any] = []
        seat: i64
        for seat in seats:
            stock, seen = stocks[seat], known[seat]
            count: i64 = len(stock)
            if count > penalty:
                count = penalty
            elif not count:
                continue
            else:
                self._ran_out(seat)
            top, seen_top = stock[:count], seen[:count]
            if count > 1:
                top, seen_top = top[::-1], seen_top[::-1]
            under = top + under
            unseen_under = seen_top + unseen_under
            stocks[seat] = stock[count:]
            known[seat] = seen[count:]
            paid.append(FINES[seat * (CARDS + 1) + count])
        self._under, self._unseen_under = under, unseen_under
        return tuple(paid)

    def _gather(self, seat: i64) -> None:
        """The pile goes face down under the seat's stock, its lowest card first."""
        stocks, known, pile = self._stocks, self._known, self._pile
        stocks[seat] = stocks[seat] + self._under + pile
        known[seat] = known[seat] + self._unseen_under + pile
        self._clear()

    @property
    def scores(self) -> tuple[int, ...]:
        """The cards in each stock; the pile belongs to nobody."""
        return tuple([len(stock) for stock in self._stocks])
