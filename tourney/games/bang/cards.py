"""The cards of a match of Bang: the stocks and the pile, and what all seats know of them.

A stock is bytes, its top first; the pile is bytes, its lowest card first. A card is known to all from the moment that
it is first turned, wherever it goes: piles are won in a known order. What is known of each stock stands beside it.
"""

from collections.abc import Sequence

from mypy_extensions import i64

from tourney.game import State
from tourney.games.bang.reasons import NO_CARDS, add_rank
from tourney.games.bang.rules import ALL_CARDS, CARD_BIT, RANK, UNKNOWN


class BangCards(State):
    """Where the cards are, and where they go when one is turned, a bang is wrong or the pile is won."""

    __slots__ = (
        "_known",
        "_known_under",
        "_last_out",
        "_penalty",
        "_pile",
        "_reason",
        "_reasons",
        "_stocks",
        "_top_ranks",
        "_turned",
        "_under",
        "_unseen",
    )

    _penalty: i64
    """How many cards a wrong bang costs."""
    _reasons: bytes
    """The table of `reasons` for the options of the match."""
    _stocks: list[bytes]
    _known: list[bytes]
    """What all seats know of each stock: UNKNOWN stands for a card that was never turned."""
    _pile: bytes
    """The turned cards of the pile."""
    _under: bytes
    """The penalty cards below the turned ones."""
    _known_under: bytes
    """What all seats know of the penalty cards."""
    _unseen: i64
    """The mask of the cards that were never turned."""
    _top_ranks: i64
    """The ranks of the two highest cards of the pile; see `add_rank`."""
    _reason: i64
    """1 if the card just turned is a reason to bang, else 0."""
    _turned: i64
    """How many cards have been turned."""
    _last_out: tuple[int, ...]
    """The number of the turned card with which each seat last ran out of cards; 0 for a seat that never did."""

    def _deal(self, stocks: Sequence[Sequence[int]]) -> None:
        """Lays out the stocks of a new match."""
        self._stocks = [bytes(stock) for stock in stocks]
        self._known = [bytes([UNKNOWN]) * len(stock) for stock in stocks]
        self._unseen = ALL_CARDS
        self._turned = 0
        self._last_out = (0,) * len(stocks)
        self._remove_pile()

    def _remove_pile(self) -> None:
        self._pile = b""
        self._under = b""
        self._known_under = b""
        self._top_ranks = NO_CARDS

    def _turn_top(self, mover: i64) -> i64:
        """Turns the top card of the seat's stock onto the pile, and returns it."""
        stock = self._stocks[mover]
        card: i64 = stock[0]
        self._stocks[mover] = stock[1:]
        self._known[mover] = self._known[mover][1:]
        self._turned += 1
        if len(stock) == 1:
            self._note_out(mover)
        self._pile = self._pile + stock[:1]  # for bytes, `+=` is slower when compiled
        rank: i64 = RANK[card]
        self._reason = self._reasons[self._top_ranks + rank]
        self._top_ranks = add_rank(self._top_ranks, rank)
        if self._unseen >> card & 1:
            self._unseen ^= CARD_BIT[card]
            self._deduce_last()
        return card

    def _deduce_last(self) -> None:
        """Makes the last card known that was never turned, once it is the only one."""
        unseen = self._unseen
        if unseen & unseen - 1 or not unseen:
            return
        unknown, last = bytes([UNKNOWN]), bytes([int(unseen).bit_length() - 1])
        self._known = [stock.replace(unknown, last) for stock in self._known]
        self._known_under = self._known_under.replace(unknown, last)

    def _note_out(self, seat: i64) -> None:
        """Notes that the seat has run out of cards with the card turned last."""
        last_out = list(self._last_out)
        last_out[seat] = self._turned
        self._last_out = tuple(last_out)

    def _pay(self, seats: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Takes the penalty for wrong bangs from these seats; returns (seat, number of cards) for each that paid.

        The cards go under the pile one by one, each below the one before.
        """
        penalty = self._penalty
        paid = []
        seat: i64
        for seat in seats:
            stock, known = self._stocks[seat], self._known[seat]
            count: i64 = len(stock)
            if count > penalty:
                count = penalty
            elif count:
                self._note_out(seat)
            else:
                continue
            top, known_top = stock[:count], known[:count]
            if count > 1:
                top, known_top = top[::-1], known_top[::-1]
            self._under = top + self._under
            self._known_under = known_top + self._known_under
            self._stocks[seat] = stock[count:]
            self._known[seat] = known[count:]
            paid.append((seat, count))
        return tuple(paid)

    def _take_pile(self, seat: i64) -> None:
        """Lays the pile face down under the seat's stock, its lowest card first."""
        self._stocks[seat] = self._stocks[seat] + self._under + self._pile
        self._known[seat] = self._known[seat] + self._known_under + self._pile
        self._remove_pile()

    @property
    def scores(self) -> tuple[int, ...]:
        """The number of cards in each stock; the pile belongs to nobody."""
        return tuple([len(stock) for stock in self._stocks])
