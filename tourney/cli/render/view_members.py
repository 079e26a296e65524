"""What the views of a game hold, read from their class: fields, properties and methods; and a view as JSON."""

import json
import re
import textwrap
from inspect import formatannotation, get_annotations, getdoc, signature
from types import FunctionType
from typing import Any

from tourney.docstrings import field_docs
from tourney.game import Game, View
from tourney.game_failures import reading_options


def view_lines(game: Game, width: int) -> list[str]:
    """Returns the members of the game's views, and a view as JSON; for that width."""
    with reading_options(game, " when a match starts"):
        state = game.start(game.seats[0], game.options(game.seats[0], {}), 1)
        view: View = state.view(0 if state.seat is None else state.seat)
    lines = [f"{game.name}: what bots are given as view, see {type(view).__module__}", ""]
    for text, doc in members(type(view)):
        lines += [f"  {text}", *textwrap.wrap(doc, width - 2, initial_indent="      ", subsequent_indent="      ")]
    parts = textwrap.wrap(json.dumps(view.as_dict(), ensure_ascii=False), width - 2, break_on_hyphens=False)
    caption = "as JSON, which is what programs get; here at the first decision of a match:"
    return [*lines, "", *textwrap.wrap(caption, width), *[f"  {part}" for part in parts]]


def members(kind: type[View]) -> list[tuple[str, str]]:
    """Returns the name and type of what bots may use of a view, with the first paragraph of its docstring."""
    fields: dict[str, tuple[str, str]] = {}
    methods: dict[str, tuple[str, str]] = {}
    for each in [each for each in reversed(kind.__mro__) if issubclass(each, View)]:
        docs = field_docs(each)
        fields |= {name: (f"{name}: {_text(held)}", docs.get(name, "")) for name, held in get_annotations(each).items()}
        for name, value in vars(each).items():
            doc = " ".join((getdoc(value) or "").partition("\n\n")[0].split())
            if isinstance(value, property) and value.fget is not None:
                fields[name] = f"{name}: {_text(get_annotations(value.fget).get('return', Any))}", doc
            elif isinstance(value, FunctionType):
                shown = _text(str(signature(value))).replace("(self, ", "(").replace("(self)", "()")
                methods[name] = f"{name}{shown}", doc
    return [member for name, member in (fields | methods).items() if not name.startswith("_")]


def _text(kind: Any) -> str:
    """Returns a type, or a signature, without the names of modules."""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", kind if isinstance(kind, str) else formatannotation(kind))
