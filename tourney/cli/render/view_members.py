"""What the views of a game hold, read from their class: fields, properties and methods; and a view as JSON."""

import json
import textwrap
from collections.abc import Iterator
from inspect import formatannotation, get_annotations, getdoc, signature
from types import FunctionType
from typing import Any

from tourney.docstrings import field_docs
from tourney.game import Game, View
from tourney.game_failures import reading_options


def view_lines(game: Game, width: int) -> list[str]:
    """Returns the members of the game's views, and a view as JSON; for that width."""
    with reading_options(game):
        state = game.start(game.seats[0], game.options(game.seats[0], {}), 1)
        view: View = state.view(0 if state.seat is None else state.seat)
    lines = [f"{game.name}: what bots are given as view, see {type(view).__module__}", ""]
    for text, doc in members(type(view)):
        lines += [f"  {text}", *textwrap.wrap(doc, width - 2, initial_indent="      ", subsequent_indent="      ")]
    parts = textwrap.wrap(json.dumps(view.as_dict(), ensure_ascii=False), width - 2, break_on_hyphens=False)
    caption = "as JSON, which is what programs get; here at the first decision of a match:"
    return [*lines, "", *textwrap.wrap(caption, width), *[f"  {part}" for part in parts]]


def members(kind: type[View]) -> Iterator[tuple[str, str]]:
    """Yields the name and type of what bots may use of a view, with the first paragraph of its docstring."""
    kinds = [each for each in reversed(kind.__mro__) if issubclass(each, View)]
    for each in kinds:
        docs = field_docs(each)
        for name, held in get_annotations(each).items():
            if not name.startswith("_"):
                yield f"{name}: {_text(held)}", docs.get(name, "")
    for each in kinds:
        for name, value in vars(each).items():
            if name.startswith("_"):
                continue
            doc = " ".join((getdoc(value) or "").partition("\n\n")[0].split())
            if isinstance(value, property) and value.fget is not None:
                yield f"{name}: {_text(get_annotations(value.fget).get('return', Any))}", doc
            elif isinstance(value, FunctionType):
                yield f"{name}{signature(value)}".replace("(self, ", "(").replace("(self)", "()"), doc


def _text(kind: Any) -> str:
    return (kind if isinstance(kind, str) else formatannotation(kind)).replace("typing.", "")
