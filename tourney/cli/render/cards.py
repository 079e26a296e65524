"""Cards on a terminal: signs for the suits, and colours, as the game's deck has them."""

import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import click

from tourney.cards import Deck
from tourney.game import Game


class Style(NamedTuple):
    """How cards are shown."""

    signs: bool
    """Whether suits are shown by signs, else by letters."""
    colours: bool

    def line(self, game: Game, line: str) -> str:
        """Returns a line about a match with signs and colours for the cards in it, as wide as before."""
        deck = game.wording.deck
        if deck is None or not (self.signs and deck.signs):
            return line
        return _cards_in(deck).sub(_painter(deck, self.colours), line)


@lru_cache
def _cards_in(deck: Deck) -> re.Pattern[str]:
    """Finds the names of cards that have a suit."""
    ranks, suits = "|".join(sorted(deck.ranks, key=len, reverse=True)), "".join(deck.suits)
    return re.compile(rf"(?<!\w)({ranks})([{suits}])(?!\w)")


def _painter(deck: Deck, colours: bool) -> Callable[[re.Match[str]], str]:
    """Returns a function that gives what is shown instead of a card's name."""

    def paint(card: re.Match[str]) -> str:
        suit = deck.suits.index(card[2])
        signed = card[1] + deck.signs[suit]
        return click.style(signed, fg=deck.colours[suit], bold=True) if colours else signed

    return paint


def style(game: Game, colour: bool | None) -> Style:
    """Returns how cards are shown on stdout: with signs on a terminal that has them, coloured unless NO_COLOR is set.

    A `colour` that is not None overrules what is found out about the terminal.
    """
    if colour is not None:
        return Style(colour, colour)
    deck = game.wording.deck
    signs = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and deck is not None and _can_print(*deck.signs)
    return Style(signs, signs and not os.environ.get("NO_COLOR"))


def _can_print(*signs: str) -> bool:
    try:
        "".join(signs).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
