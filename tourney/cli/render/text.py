"""Values of views and lists of actions as lines of text."""

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from tourney.errors import one_line
from tourney.game import Game

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
