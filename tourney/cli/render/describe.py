"""Shared by `tourney games` and `tourney bots`: broken plugins, and descriptions of options."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import orjson

from tourney.base.errors import PluginError
from tourney.base.validation import field_docs
from tourney.cli import screen
from tourney.contracts.game import Options
from tourney.plugins import registry

T = TypeVar("T")


def narrow_width() -> int:
    """The width of descriptions."""
    return min(screen.width(), screen.USUAL_WIDTH)


def loaded(names: Iterable[str], load: Callable[[str], T]) -> tuple[dict[str, T], dict[str, PluginError]]:
    """Loads plugins by name; returns them, and the errors of broken ones."""
    plugins: dict[str, T] = {}
    broken: dict[str, PluginError] = {}
    for name in names:
        try:
            plugins[name] = load(name)
        except PluginError as error:
            broken[name] = error
    return plugins, broken


def print_unusable(kind: registry.Kind, broken: Mapping[str, PluginError]) -> None:
    """Prints a line for each shared name and broken plugin."""
    for name, origins in registry.shared_names(kind).items():
        screen.echo(f"{name}: {kind} provided by both {origins}; uninstall or rename one")
    for name in broken:
        screen.echo(f"{name}: unusable")
    if broken:
        raise PluginError("; ".join([str(error) for error in broken.values()]))


def options_lines(options: type[Options]) -> list[str]:
    """Every option with its default, its valid values and its description."""
    hints = get_type_hints(options, include_extras=True)
    docs = field_docs(options)
    lines = []
    for field in msgspec.structs.fields(options):
        value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        default = orjson.dumps(msgspec.to_builtins(value)).decode()
        parts = re.split(r"(?<=, )", f"({values(hints[field.name])})")
        if default == "null":  # TOML has no null
            lines += folded(f"  {field.name}  ", parts)
        else:
            lines += folded(f"  {field.name} = ", [*re.split(r"(?<=,)", f"{default}  "), *parts])
        doc, indent = docs.get(field.name, ""), " " * 6
        lines += textwrap.wrap(doc, narrow_width() - 2, initial_indent=indent, subsequent_indent=indent)
    return lines


def folded(head: str, parts: Iterable[str]) -> list[str]:
    """Wraps parts after a head, aligned below the first, without breaking them."""
    lines = [head]
    for part in parts:
        if len((lines[-1] + part).rstrip()) > narrow_width():
            lines.append(" " * len(head))
        lines[-1] += part
    return [line.rstrip() for line in lines]


def values(kind: Any) -> str:
    """Describes an annotated type: `whole number >= 1`, `game | round`; `X | None` like X."""
    if get_origin(kind) is Literal:
        return " | ".join(str(choice) for choice in get_args(kind))
    if hasattr(kind, "__metadata__"):
        base, *notes = get_args(kind)
        return " ".join([values(base), *[_bounds(note) for note in notes if isinstance(note, msgspec.Meta)]]).rstrip()
    if get_origin(kind) in (list, tuple):
        return f"list of {values(get_args(kind)[0])}"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return f"table of {', '.join(kind.__struct_fields__)}"
    if get_args(kind) and get_origin(kind) is not dict:
        return " or ".join(values(part) for part in get_args(kind) if part is not type(None))
    names: dict[Any, str] = {int: "whole number", float: "number", bool: "true | false", str: "text", dict: "table"}
    return names.get(get_origin(kind) or kind, getattr(kind, "__name__", str(kind)))


def _bounds(meta: msgspec.Meta) -> str:
    signs = ((">=", meta.ge), (">", meta.gt), ("<=", meta.le), ("<", meta.lt))
    return " and ".join([f"{sign} {bound}" for sign, bound in signs if bound is not None])
