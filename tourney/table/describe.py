"""A seat's view as text, in the words of its game."""

import re
from collections.abc import Iterator
from typing import Any

from tourney.contracts.game import Game
from tourney.contracts.wording import YOU, NameOf, pairs_text, value_text

SHORT = 40
"""Items of a list that are all shorter share a line."""
LONG = 300
"""Longer items of a list are cut."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MOVE = re.compile(r"\bseat (\d+), action ")


def describe(view: Any, game: Game, items: int | None = None) -> str:
    """Returns a view, its history included, as a text for people and for language models.

    Its own seat is "you". The sentences of the game's wording come first. Each list of events in the history has its
    last `items`, by default all; with 0 there is no history.
    """
    return "\n".join([*situation(view, game, "seat {}".format), *view_text(view.as_dict(), game, items)])


def situation(view: Any, game: Game, name: NameOf) -> list[str]:
    """Describes a view in sentences, if the game has any: its own seat is "you", and `name` names the others."""
    own = view.seat

    def named(seat: int) -> str:
        return YOU if seat == own else name(seat)

    sentences = [*game.wording.situation(view, named), *[f"{each}." for each in game.wording.stakes(view, named)]]
    return [each[:1].upper() + each[1:] for each in sentences]


def view_text(view: dict[str, Any], game: Game, items: int | None = None) -> Iterator[str]:
    """A view as lines, indented by nesting: first the current values, then the last `items` events of the history."""
    texts = game.wording.texts
    now = plain(view)
    yield pairs_text({key: value for key, value in now.items() if not isinstance(value, list)})
    for key, value in now.items():
        if isinstance(value, list) and key in texts:
            yield from (f"{key}:", *[f"  {line}" for line in lines_of_text(value)])
        elif isinstance(value, list):
            yield f"{key}: {value_text(value)}"
    if items != 0:
        rest = {key: value for key, value in view.items() if key not in now and isinstance(value, dict | list)}
        said = {key: value for key, value in rest.items() if any([x is not None for x in value])}
        yield from _nested(said, "", slice(-(items or 0), None))


def _nested(value: dict[str, Any], indent: str, last: slice) -> Iterator[str]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _nested(item, indent + "  ", last)
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            shown = [pairs_text(each) if isinstance(each, dict) else value_text(each) for each in item[last]]
            items = [_MOVE.sub(r"\1 ", each) for each in shown]
            if max(map(len, items)) < SHORT:
                yield f"{indent}{key}: {'; '.join(items)}"
                continue
            yield f"{indent}{key}:"
            yield from [f"{indent}  - {each if len(each) <= LONG else f'{each[:LONG]} …'}" for each in items]
        else:
            yield f"{indent}{key}: {value_text(item)}"


def plain(view: dict[str, Any]) -> dict[str, Any]:
    """The informative values of a view, without history: numbers, words, and lists of them."""
    return {key: value for key, value in view.items() if key != "seat" and _says_something(value)}


def _says_something(value: Any) -> bool:
    if isinstance(value, list):
        nested = any([isinstance(item, dict | list) for item in value])
        return not nested and any([item is not None for item in value])
    return not isinstance(value, dict) and value is not None and value is not False


def lines_of_text(lines: list[str]) -> list[str]:
    """The lines of a text without its colours and empty lines."""
    return [shown for line in lines if (shown := _COLOURS.sub("", line).expandtabs().rstrip())]
