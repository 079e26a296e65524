"""Values of views and events as lines of text."""

from itertools import groupby
from textwrap import wrap
from typing import Any

from tourney.game import Game

WIDTH = 79
"""Longer lines of text are wrapped."""


def plain(view: dict[str, Any]) -> dict[str, Any]:
    """The values of a view that say something and are no history: numbers, words, and lists of them."""
    return {key: value for key, value in view.items() if key != "seat" and _says_something(value)}


def _says_something(value: Any) -> bool:
    if isinstance(value, list):
        nested = any([isinstance(item, dict | list) for item in value])
        return not nested and any([item is not None for item in value])
    return not isinstance(value, dict) and value is not None and value is not False


def by_suit(cards: Any) -> Any:
    """Cards sorted by suit and rank, if that is what they are."""
    ranks = {rank: number for number, rank in enumerate(["1", *"23456789", "10", "11", *"TJQKA"])}
    if not isinstance(cards, list) or not all([card[:-1] in ranks for card in cards]):
        return cards
    return sorted(cards, key=lambda card: ("cdhstkm".find(card[-1]), ranks[card[:-1]]))


def actions(game: Game, legal: tuple[int, ...]) -> str:
    """Actions in few words: those of one kind together, as in `play 9t 3k, keep`."""
    kinds: dict[str, list[str]] = {}
    for action in legal:
        kind, _, rest = game.text(action).partition(":")
        kinds.setdefault(kind, []).append(rest)
    return ", ".join([" ".join([kind, *filter(None, rest)]) for kind, rest in kinds.items()])


def wrapped(line: str, indent: str) -> list[str]:
    """The line, wrapped; what follows is indented."""
    return [line] if len(line) <= WIDTH else wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def pairs(value: dict[str, Any]) -> str:
    """A JSON object in a line."""
    return ", ".join([f"{key} {text(item)}" for key, item in value.items()])


def text(value: Any) -> str:
    """A JSON value in a line; a long run of the same is told once."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            runs = [(item, len(list(run))) for item, run in groupby([text(item) for item in value])]
            parts = [f"{item} x{count}" if count > 8 else " ".join([item] * count) for item, count in runs]
            return " ".join(parts) or "-"
        case dict():
            return f"({pairs(value)})"
    return str(value)
