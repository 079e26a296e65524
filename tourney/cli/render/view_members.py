"""What the views of a game hold, read from their class: fields, properties and methods, and the records in them."""

import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from inspect import Signature, formatannotation, get_annotations, getdoc, signature
from types import FunctionType
from typing import Any, NamedTuple, get_args, get_type_hints

from tourney.docstrings import field_docs
from tourney.errors import PluginError, TourneyError
from tourney.game import Game, Options, View
from tourney.game_failures import failure_text, is_of_game

_MODULES = re.compile(r"\b(?:\w+\.)+(?=\w)")


class Member(NamedTuple):
    """A field, a property or a method."""

    text: str
    """Its name, with the types of what it takes and holds: `card_at(token: int) -> str | None`."""
    doc: str
    """The first paragraph of its docstring; empty if it has none."""
    kind: Any
    """The type that it holds or returns."""
    is_method: bool = False


def view_lines(game: Game, width: int) -> list[str]:
    """Returns the members of the game's views, those of the records in them, and a view as JSON; for that width.

    Raises:
        PluginError: The code of the game fails.
    """
    view = _first_view(game)
    records: list[type] = []
    lines = [f"{game.name}: what bots are given as view", "", *_member_lines(members(type(view)), records, width)]
    for record in records:  # which grows meanwhile
        lines += ["", f"{record.__name__}:", *_member_lines(members(record), records, width)]
    parts = textwrap.wrap(json.dumps(view.as_dict(), ensure_ascii=False), width - 2, break_on_hyphens=False)
    caption = "as JSON, which is what programs get; here at the first decision of a match:"
    return [*lines, "", *textwrap.wrap(caption, width), *[f"  {part}" for part in parts]]


def _first_view(game: Game) -> View:
    """Returns the view of the seat that has the first decision of a match, with the fewest seats and no options."""
    try:
        state = game.start(game.seats[0], game.options(game.seats[0], {}), 1)
        view: View = state.view(0 if state.seat is None else state.seat)
    except TourneyError:
        raise
    except BaseException as error:
        if not is_of_game(error):
            raise
        raise PluginError(f"{failure_text(game, error, ' when a match starts')}; mend or uninstall it") from None
    return view


def members(kind: type) -> list[Member]:
    """Returns what bots may use of a class, methods last: for a view what it inherits, too.

    Names that begin with an underscore are left out.
    """
    kinds = [each for each in reversed(kind.__mro__) if issubclass(each, View)] if issubclass(kind, View) else [kind]
    found: dict[str, Member] = {}
    for each in kinds:
        found |= {name: member for name, member in _members(each) if not name.startswith("_")}
    return sorted(found.values(), key=lambda member: member.is_method)


def _members(kind: type) -> Iterator[tuple[str, Member]]:
    docs, hints = field_docs(kind), _hints(kind)
    for name in get_annotations(kind):
        yield name, Member(f"{name}: {_text(hints[name])}", docs.get(name, ""), hints[name])
    for name, value in vars(kind).items():
        if isinstance(value, property) and value.fget is not None:
            held = _hints(value.fget).get("return", Any)
            yield name, Member(f"{name}: {_text(held)}", _doc(value), held)
        elif isinstance(value, FunctionType):
            _self, *others = signature(value).parameters.values()
            text = str(Signature(others, return_annotation=signature(value).return_annotation))
            held = _hints(value).get("return", Any)
            yield name, Member(f"{name}{_MODULES.sub('', text)}", _doc(value), held, is_method=True)


def _hints(annotated: type | Callable[..., Any]) -> dict[str, Any]:
    """Returns the types that a class or a function says, as text where they cannot be looked up."""
    own = get_annotations(annotated)
    try:
        known = get_type_hints(annotated)
    except Exception:  # names that exist for a type checker alone, or anything that a plugin's module does
        return own
    return {name: known.get(name, kind) for name, kind in own.items()}


def _text(kind: Any) -> str:
    return _MODULES.sub("", kind if isinstance(kind, str) else formatannotation(kind))


def _doc(value: object) -> str:
    return " ".join((getdoc(value) or "").partition("\n\n")[0].split())


def _member_lines(found: list[Member], records: list[type], width: int) -> list[str]:
    """Returns the lines of members; adds the records that they hold to `records`."""
    lines = []
    for member in found:
        lines.append(f"  {member.text}")
        lines += textwrap.wrap(member.doc, width - 2, initial_indent="      ", subsequent_indent="      ")
        records += [each for each in _records(member.kind) if each not in records]
    return lines


def _records(kind: Any) -> Iterator[type]:
    """Yields the classes with fields that a type mentions; options have a list of their own."""
    for part in get_args(kind):
        yield from _records(part)
    if get_args(kind) or not isinstance(kind, type) or issubclass(kind, Options):
        return
    if get_annotations(kind) and kind.__module__ not in sys.stdlib_module_names:
        yield kind
