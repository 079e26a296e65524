"""Games and options described as text."""

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from inspect import formatannotation, get_annotations, getdoc, signature
from types import FunctionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import orjson

from tourney.base.errors import PluginError
from tourney.base.validation import field_docs
from tourney.cli import pages, screen
from tourney.cli.screen import echo
from tourney.contracts.game import Game, Options, View, seats_text
from tourney.plugins import registry
from tourney.plugins.failures import reading_options

T = TypeVar("T")

WIDEST = 80
"""How many columns a description has at most."""


def _width() -> int:
    return min(screen.width(), WIDEST)


def loaded(names: Iterable[str], load: Callable[[str], T]) -> tuple[dict[str, T], dict[str, PluginError]]:
    """Returns the plugins of these names that can be loaded, and the errors of those that cannot."""
    found: dict[str, T] = {}
    broken: dict[str, PluginError] = {}
    for name in names:
        try:
            found[name] = load(name)
        except PluginError as error:
            broken[name] = error
    return found, broken


def print_unusable(kind: registry.Kind, broken: Mapping[str, PluginError]) -> None:
    """Prints a line for each name that cannot be used: two plugins share it, or its plugin is broken."""
    for name, origins in registry.shared_names(kind).items():
        echo(f"{name}: two {kind}s have this name, in {origins}; tournaments can use it once one is gone")
    for name in broken:
        echo(f"{name}: cannot be used")
    if broken:
        raise PluginError("; ".join([str(error) for error in broken.values()]))


def describable_game(name: str) -> Game:
    """Loads a game that says all about itself that a description needs."""
    game = registry.load_game(name)
    for attribute in ("title", "rules", "actions"):
        if not getattr(game, attribute, None):
            raise PluginError(
                f'game "{name}": {type(game).__module__}.{type(game).__name__} has no {attribute}; add it'
            )
    return game


def bot_lines(name: str, bot: registry.BotPlugin) -> list[str]:
    """Returns the facts about a bot: what its docstring says, which games it plays, and where it comes from."""
    first, *paragraphs = (inspect.getdoc(bot.make) or "").split("\n\n")
    games = ["every game"] if bot.games is None else list(bot.games)
    lines = textwrap.wrap(f"{name}: {first}" if first else name, _width() - 1, subsequent_indent="  ")
    for paragraph in paragraphs:
        lines += ["", *textwrap.wrap(paragraph, _width() - 1, initial_indent="  ", subsequent_indent="  ")]
    return [
        *lines,
        *([""] if paragraphs else []),
        *_folded("plays    ", [f"{game}  " for game in games]),
        f"from     {bot.fingerprint.version or bot.use.rpartition(':')[0]}",
    ]


def game_lines(game: Game) -> list[str]:
    """Returns the facts about a game, and what to type for more."""
    return [
        f"{game.name}: {game.title}",
        f"seats    {seats_text(game.seats)}",
        f"rules    {pages.rules_address(game) or f'tourney games {game.name} --rules'}",
        f"views    tourney games {game.name} --view",
        *_folded("actions  ", [f"{action}  " for action in game.actions]),
    ]


def options_lines(options: type[Options]) -> list[str]:
    """Returns every option with its default, the values that it takes, and what it does."""
    hints = get_type_hints(options, include_extras=True)
    docs = field_docs(options)
    lines = []
    for field in msgspec.structs.fields(options):
        default = orjson.dumps(msgspec.to_builtins(field_default(field))).decode()
        parts = re.split(r"(?<=, )", f"({values(hints[field.name])})")
        if default == "null":  # TOML has none: it is left out
            lines += _folded(f"  {field.name}  ", parts)
        else:
            lines += _folded(f"  {field.name} = ", [*re.split(r"(?<=,)", f"{default}  "), *parts])
        lines += textwrap.wrap(
            docs.get(field.name, ""), _width() - 2, initial_indent="      ", subsequent_indent="      "
        )
    return lines


def _folded(head: str, parts: Iterable[str]) -> list[str]:
    """Returns the head and the parts in lines of up to 80 columns. Parts are not broken, and align below the first."""
    lines = [head]
    for part in parts:
        if len((lines[-1] + part).rstrip()) > _width():
            lines.append(" " * len(head))
        lines[-1] += part
    return [line.rstrip() for line in lines]


def field_default(field: msgspec.structs.FieldInfo) -> Any:
    """Returns the default of a struct's field."""
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def values(kind: Any) -> str:
    """Returns the values of an annotated type, for people: `whole number >= 1`, `game | round`.

    `X | None` is described as X: the description of the field says what it means to leave it out.
    """
    if get_origin(kind) is Literal:
        return " | ".join(str(choice) for choice in get_args(kind))
    if hasattr(kind, "__metadata__"):
        base, *notes = get_args(kind)
        return " ".join([values(base), *[_bounds(note) for note in notes if isinstance(note, msgspec.Meta)]])
    if get_origin(kind) in (list, tuple):
        return f"list of {values(get_args(kind)[0])}"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return f"table of {', '.join(kind.__struct_fields__)}"
    if get_args(kind):
        return " or ".join(values(part) for part in get_args(kind) if part is not type(None))
    names: dict[Any, str] = {int: "whole number", float: "number", bool: "true | false", str: "text"}
    return names.get(kind, getattr(kind, "__name__", str(kind)))


def _bounds(meta: msgspec.Meta) -> str:
    signs = ((">=", meta.ge), (">", meta.gt), ("<=", meta.le), ("<", meta.lt))
    return " and ".join([f"{sign} {bound}" for sign, bound in signs if bound is not None])


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
