"""Cards on a terminal: signs for the suits, and colours, as the game's deck has them."""

import locale
import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache, partial

import click

from tourney.cards import Deck
from tourney.cli.screen import Paint
from tourney.game import Game


@lru_cache
def _cards_in(deck: Deck) -> re.Pattern[str]:
    """Finds the names of cards that have a suit."""
    ranks, suits = "|".join(sorted(deck.ranks, key=len, reverse=True)), "".join(deck.suits)
    return re.compile(rf"(?<!\w)({ranks})([{suits}])(?!\w)")


def _sign_of(deck: Deck, colours: bool) -> Callable[[re.Match[str]], str]:
    """Returns a function that gives what is shown instead of a card's name."""

    def paint(card: re.Match[str]) -> str:
        suit = deck.suits.index(card[2])
        signed = card[1] + deck.signs[suit]
        return click.style(signed, fg=deck.colours[suit], bold=True) if colours else signed

    return paint


def painter(game: Game, colour: bool | None) -> Paint | None:
    """Returns what puts signs and colours for the cards into a line about a match, which stays as wide; or None.

    There are signs on a terminal that has them, coloured unless NO_COLOR is set. A `colour` that is not None overrules
    what is found out about the terminal.
    """
    if colour is not None:
        return card_painter(game, colours=True) if colour else None
    deck = game.wording.deck
    signs = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and deck is not None and _can_print(*deck.signs)
    return card_painter(game, colours=not os.environ.get("NO_COLOR")) if signs else None


def card_painter(game: Game, colours: bool) -> Paint | None:
    """Returns what puts signs for the cards into a line about a match; None if the game's cards have none."""
    deck = game.wording.deck
    if deck is None or not deck.signs:
        return None
    return partial(_cards_in(deck).sub, _sign_of(deck, colours))


def without_signs(game: Game, text: str) -> str:
    """Returns a text in which cards have the letters of their suits for the signs by which they are shown."""
    deck = game.wording.deck
    for sign, suit in zip(deck.signs, deck.suits, strict=True) if deck is not None and deck.signs else ():
        text = text.replace(sign, suit)
    return text


def _can_print(*signs: str) -> bool:
    """Tells whether the signs can be written, and shown by a pager, which goes by the locale as Python need not."""
    try:
        for encoding in (sys.stdout.encoding, locale.getencoding()):
            "".join(signs).encode(encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
