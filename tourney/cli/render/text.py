"""Values of views and lists of actions as lines of text."""

import locale
import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from tourney.base.errors import one_line
from tourney.cli.screen import Paint
from tourney.contracts.cards import Deck
from tourney.contracts.game import Game

WIDTH = 79
"""Longer lines of text are wrapped."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def plain(view: dict[str, Any]) -> dict[str, Any]:
    """Returns the values of a view that say something and are no history: numbers, words, and lists of them."""
    return {key: value for key, value in view.items() if key != "seat" and _says_something(value)}


def _says_something(value: Any) -> bool:
    if isinstance(value, list):
        nested = any([isinstance(item, dict | list) for item in value])
        return not nested and any([item is not None for item in value])
    return not isinstance(value, dict) and value is not None and value is not False


def actions(game: Game, legal: tuple[int, ...], called: Mapping[int, str]) -> str:
    """Returns actions in few words: those of one kind together, as in `play 9t 3k, keep`.

    `called` is what the game calls actions beside their texts.
    """
    if called:
        return ", ".join([text_and_words(game, action, called) for action in legal])
    kinds: dict[str, list[str]] = {}
    for action in legal:
        kind, _, rest = game.text(action).partition(":")
        kinds.setdefault(kind, []).append(rest)
    return ", ".join([" ".join([kind, *filter(None, rest)]) for kind, rest in kinds.items()])


def text_and_words(game: Game, action: int, called: Mapping[int, str]) -> str:
    """Returns the text of an action with what the game calls it, if that is something else."""
    text = game.text(action)
    return f"{text} {words}" if (words := called.get(action, text)) != text else text


def text_lines(lines: list[str], indent: str) -> list[str]:
    """Returns the lines of a text, indented, without its colours and empty lines."""
    shown = [_COLOURS.sub("", line).expandtabs().rstrip() for line in lines]
    return [part for line in shown if line for part in wrapped(indent + line, indent + "  ")]


def wrapped(line: str, indent: str, width: int = WIDTH) -> list[str]:
    """Returns the line, wrapped; what follows is indented. What is unprintable is spelled out."""
    line = one_line(line)
    return [line] if len(line) <= width else wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)


def traceback_lines(text: str) -> list[str]:
    """Returns the lines of a traceback; files of the working folder are named relative to it."""
    return text.replace(f'"{Path.cwd()}/', '"').split("\n")


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
