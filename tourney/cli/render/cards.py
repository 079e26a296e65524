"""Cards on a terminal: signs for the suits, and colours."""

import os
import re
import sys
from typing import NamedTuple

import click

SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠", "t": "♜", "k": "⚷", "m": "☾"}
"""The sign of each suit: clubs, diamonds, hearts, spades; tower, key, moon."""
COLOURS = {"♣": "green", "♦": "blue", "♥": "red", "♠": "white", "♜": "yellow", "⚷": "cyan", "☾": "magenta"}

_CARD = re.compile(r"(?<!\w)(1[01]|[1-9TJQKA])([cdhstkm])(?!\w)")
_SIGNED = re.compile(f"(1[01]|[1-9TJQKA])([{''.join(COLOURS)}])")


class Style(NamedTuple):
    """How cards are shown."""

    signs: bool
    """Whether suits are shown by signs, else by letters."""
    colours: bool

    def cards(self, text: str) -> str:
        """A text with cards in it, such as an action, with the signs of the suits; it is as wide as before."""
        return _CARD.sub(lambda card: card[1] + SIGNS[card[2]], text) if self.signs else text

    def painted(self, line: str) -> str:
        """A line in which cards have signs, with colours."""
        if not self.colours:
            return line
        return _SIGNED.sub(lambda card: click.style(card[0], fg=COLOURS[card[2]], bold=True), line)


def style(colour: bool | None) -> Style:
    """How cards are shown on stdout: with signs on a terminal that has them, and coloured unless NO_COLOR is set.

    A `colour` that is no None overrules what is found out about the terminal.
    """
    if colour is not None:
        return Style(colour, colour)
    signs = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and _can_print(*COLOURS)
    return Style(signs, signs and not os.environ.get("NO_COLOR"))


def _can_print(*signs: str) -> bool:
    try:
        "".join(signs).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
