"""Games and options described as text."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import orjson

from tourney import pages, plugins
from tourney.cli import screen
from tourney.cli.screen import echo
from tourney.docstrings import field_docs
from tourney.errors import PluginError
from tourney.game import Game, Options, seats_text

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


def print_unusable(kind: plugins.Kind, broken: Mapping[str, PluginError]) -> None:
    """Prints a line for each name that cannot be used: two plugins share it, or its plugin is broken."""
    for name, origins in plugins.shared_names(kind).items():
        echo(f"{name}: two {kind}s have this name, in {origins}; tournaments can use it once one is gone")
    for name in broken:
        echo(f"{name}: cannot be used")
    if broken:
        raise PluginError("; ".join([str(error) for error in broken.values()]))


def describable_game(name: str) -> Game:
    """Loads a game that says all about itself that a description needs."""
    game = plugins.load_game(name)
    for attribute in ("title", "rules", "actions"):
        if not getattr(game, attribute, None):
            raise PluginError(
                f'game "{name}": {type(game).__module__}.{type(game).__name__} has no {attribute}; add it'
            )
    return game


def bot_lines(name: str, bot: plugins.BotPlugin) -> list[str]:
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
