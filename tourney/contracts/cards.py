"""Cards as small ints in memory and as short text everywhere else.

A `Deck` numbers its cards suit by suit, low rank first, then the jokers. So with n ranks `card // n` is the suit and
`card % n` the rank of every card but the jokers, and within a suit a higher card has a higher number.

>>> VOLE.text(0), VOLE.text(32), VOLE.card("11k")
('1t', '11m', 21)
>>> STANDARD.text(STANDARD.card("Th"))
'Th'
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType

import msgspec

from tourney.base.errors import ActionError, did_you_mean


class Deck(msgspec.Struct, frozen=True, dict=True):
    """An immutable deck of named cards."""

    ranks: tuple[str, ...]
    """The names of the ranks, the lowest first."""
    suits: tuple[str, ...]
    """The names of the suits."""
    jokers: tuple[str, ...] = ()
    """The names of the jokers."""
    signs: tuple[str, ...] = ()
    """A sign for each suit, one column wide, for terminals that can show it; empty if there are none."""
    colours: tuple[str, ...] = ()
    """A colour for each suit, one of the eight that every terminal knows by name; as many as `signs`."""
    words: tuple[str, ...] = ()
    """The suits in words, for screen readers: "towers". As many as `suits`, or none."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each card, by its number."""
        return tuple(rank + suit for suit in self.suits for rank in self.ranks) + self.jokers

    @cached_property
    def _cards(self) -> Mapping[str, int]:
        return MappingProxyType({name: card for card, name in enumerate(self.names)})

    def __len__(self) -> int:
        return len(self.names)

    def text(self, card: int) -> str:
        """Returns the name of a card, rank then suit: `9d`, `Th`, `11m`."""
        return self.names[card]

    def texts(self, cards: tuple[int, ...] | list[int]) -> list[str]:
        """Returns the names of the cards, in the same order."""
        names = self.names
        return [names[card] for card in cards]

    def cards(self, text: str) -> tuple[int, ...]:
        """Returns the cards that a text names with spaces between them, in the same order.

        >>> VOLE.cards("1t 2t 11m")
        (0, 1, 32)

        Raises:
            ActionError: There is no card of that name.
        """
        return tuple([self.card(name) for name in text.split()])

    def card(self, text: str) -> int:
        """Returns the card of that name.

        Raises:
            ActionError: There is no card of that name.
        """
        try:
            return self._cards[text]
        except KeyError:
            raise ActionError(f'no card "{text}"; {did_you_mean(text, self.names)}') from None

    def sorted(self, names: Iterable[str]) -> list[str]:
        """Returns the names in the order of the cards: by suit, low rank first, jokers last."""
        return sorted(names, key=self.card)

    def suit(self, card: int) -> int:
        """Returns the suit of a card as an index into `suits`; not for jokers."""
        return card // len(self.ranks)

    def rank(self, card: int) -> int:
        """Returns the rank of a card as an index into `ranks`, 0 the lowest; not for jokers."""
        return card % len(self.ranks)


VOLE = Deck(
    tuple(str(rank) for rank in range(1, 12)),
    ("t", "k", "m"),
    (),
    ("♜", "⚷", "☾"),
    ("yellow", "cyan", "magenta"),
    ("towers", "keys", "moons"),
)
"""33 cards: ranks 1 to 11 in the suits tower, key and moon."""

_SIGNS = ("♣", "♦", "♥", "♠")
_COLOURS = ("green", "blue", "red", "white")
_WORDS = ("clubs", "diamonds", "hearts", "spades")

STANDARD = Deck(tuple("23456789TJQKA"), tuple("cdhs"), (), _SIGNS, _COLOURS, _WORDS)
"""52 cards, ranks 2 to ace, in the suits clubs, diamonds, hearts and spades."""

BANG = Deck(STANDARD.ranks, STANDARD.suits, ("X1", "X2"), _SIGNS, _COLOURS, _WORDS)
"""The 52 standard cards and two jokers."""

LEON = Deck(STANDARD.ranks, STANDARD.suits, ("X",), _SIGNS, _COLOURS, _WORDS)
"""The standard 52 cards and one joker, the Léon."""
