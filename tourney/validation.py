"""Plain data (from TOML or JSON) into frozen structs, or an error that names the key and the remedy."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import msgspec
import orjson

from tourney.errors import ConfigError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

PositiveInt: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
"""A whole number above 0. The upper bound keeps sums and products within what JSON and system calls can take."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=10**12)]
"""A length of time above 0."""

_MESSAGE = re.compile(r"^(?P<problem>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_MISSING = re.compile(r"missing required field `(.*)`")


def read(kind: type[S], data: Mapping[str, Any], where: str, table: str = "") -> S:
    """Returns the struct of that kind with the data's values; nothing is converted, repaired or ignored.

    Args:
        kind: The struct to read.
        data: Its values by key.
        where: What an error message begins with, such as the path of a file; empty for nothing.
        table: The path of keys from there to the data, such as `bot[0]`; empty if the data are not nested.

    Raises:
        ConfigError: A key is unknown or missing, or its value is of a wrong type or out of bounds.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_after(where, _explain(kind, str(error), table))) from None


def read_shared(kinds: Sequence[type[msgspec.Struct]], data: Mapping[str, Any], where: str, table: str) -> list[Any]:
    """Returns a struct of each kind, read from data whose keys belong to the one or the other.

    Raises:
        ConfigError: As `read`; a key is unknown if no struct has it.
    """
    known = [key for kind in kinds for key in kind.__struct_encode_fields__]
    for key in data:
        if key not in known:
            raise ConfigError(_after(where, _after(table, f'no key "{key}"; {did_you_mean(key, known)}')))
    return [read(kind, keys_of(kind, data), where, table) for kind in kinds]


def read_options(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """Reads the options of a game or a bot. They become JSON, so that whole numbers have at most 64 bits.

    Raises:
        ConfigError: As `read`, or a number is too large.
    """
    for key, value in data.items():
        if any([not -(2**63) <= number < 2**63 for number in _numbers(value)]):
            raise ConfigError(f"{where}: {key}: holds a number beyond {2**63 - 1}; take a smaller one")
    return read(kind, data, where)


def keys_of(kind: type[msgspec.Struct], data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of the data whose keys belong to the struct, for a table that several structs share."""
    return {key: value for key, value in data.items() if key in kind.__struct_encode_fields__}


def _after(where: str, message: str) -> str:
    return f"{where}: {message}" if where else message


def _numbers(value: Any) -> Iterator[int]:
    """Yields the whole numbers in plain data."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _numbers(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)


def plain(value: Any) -> dict[str, Any]:
    """Returns the value as it is read back after it was written as JSON: with lists in place of tuples."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(msgspec.to_builtins(value)))
    return plain


def _explain(kind: type[msgspec.Struct], message: str, table: str) -> str:
    """Puts a message of msgspec in our words, with the path of the key in front."""
    found = _MESSAGE.match(message)
    assert found is not None
    problem, path = found["problem"], (found["path"] or "").lstrip(".")
    key = f"{table}.{path}" if table and path else table or path
    place = _after(key, "")
    here = _type_at(kind, path)
    if unknown := _UNKNOWN.search(problem):
        kinds = [
            part for part in (here, *get_args(here)) if isinstance(part, type) and issubclass(part, msgspec.Struct)
        ]
        keys = kinds[0].__struct_fields__ if kinds else ()
        return f'{place}no key "{unknown[1]}"; {did_you_mean(unknown[1], keys)}'
    if missing := _MISSING.search(problem):
        return f'{place}the key "{missing[1]}" is missing'
    if problem.startswith("Invalid enum value"):
        return f"{place}{problem.removeprefix('Invalid enum value ')} is not one of {_choices(here)}"
    return place + problem[:1].lower() + problem[1:].replace("`", "")


def _choices(kind: Any) -> str:
    """Lists the values that a `Literal` type allows."""
    for part in (kind, *get_args(kind)):
        if get_origin(part) is Literal:
            return ", ".join(str(choice) for choice in get_args(part))
    return "the allowed values"


def _type_at(kind: Any, path: str) -> Any:
    """Returns the annotated type at a path such as `game[0].options`; None where the path leaves the annotations."""
    for step in re.findall(r"\w+|\[[^\]]*\]", path):
        if step.startswith("["):
            kind = next((arg for arg in reversed(get_args(kind)) if arg is not ...), None)  # list[X], tuple[X, ...]
        elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            kind = next((field.type for field in msgspec.structs.fields(kind) if field.encode_name == step), None)
        else:
            return None
    return kind
