"""Plain data (from TOML or JSON) into frozen structs, or an error that names the key and the remedy."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec
import orjson

from tourney.errors import ConfigError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_MISSING = re.compile(r"missing required field `(.*)`")


def read(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """The struct of that kind with the data's values; nothing is converted, repaired or passed over.

    Raises a `ConfigError` that starts with `where` and names the key.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {_explain(kind, str(error))}") from None


def read_options(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """The same for the options of a game or a bot, which become JSON: no whole number has more than 64 bits."""
    for key, value in data.items():
        if any([not -(2**63) <= number < 2**63 for number in _numbers(value)]):
            raise ConfigError(f"{where}: {key}: holds a number beyond {2**63 - 1}; take a smaller one")
    return read(kind, data, where)


def _numbers(value: Any) -> Iterator[int]:
    """The whole numbers in plain data."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _numbers(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)


def plain(value: Any) -> dict[str, Any]:
    """The value as it is once it has been JSON, as it is read back: lists, where there were tuples."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(msgspec.to_builtins(value)))
    return plain


def _explain(kind: type[msgspec.Struct], message: str) -> str:
    found = _AT.match(message)
    assert found is not None
    what, path = found["what"], (found["path"] or "").lstrip(".")
    place = f"{path}: " if path else ""
    here = _type_at(kind, path)
    if unknown := _UNKNOWN.search(what):
        kinds = [
            part for part in (here, *get_args(here)) if isinstance(part, type) and issubclass(part, msgspec.Struct)
        ]
        keys = kinds[0].__struct_fields__ if kinds else ()
        return f'{place}no key "{unknown[1]}"; {did_you_mean(unknown[1], keys)}'
    if missing := _MISSING.search(what):
        return f'{place}the key "{missing[1]}" is missing'
    if what.startswith("Invalid enum value"):
        return f"{place}{what.removeprefix('Invalid enum value ')} is not one of {_choices(here)}"
    return place + what[:1].lower() + what[1:].replace("`", "")


def _choices(kind: Any) -> str:
    for part in (kind, *get_args(kind)):
        if get_origin(part) is Literal:
            return ", ".join(str(choice) for choice in get_args(part))
    return "the allowed values"


def _type_at(kind: Any, path: str) -> Any:
    """The annotated type at a path such as `game[0].options`, as far as it can be followed."""
    for step in re.findall(r"\w+|\[[^\]]*\]", path):
        if step.startswith("["):
            kind = next((arg for arg in reversed(get_args(kind)) if arg is not ...), None)  # list[X], tuple[X, ...]
        elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            kind = next((field.type for field in msgspec.structs.fields(kind) if field.encode_name == step), None)
        else:
            return None
    return kind
