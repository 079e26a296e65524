"""Plain data (from TOML or JSON) into frozen structs, or an error that names the key and the remedy."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import msgspec
import orjson

from tourney.base.errors import ConfigError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

PositiveInt: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
"""A whole number above 0. The upper bound keeps sums and products within what JSON and system calls can take."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=2_147_483)]
"""A length of time above 0, up to 24 days: in milliseconds it fits the 32 bits that system calls take."""

MAX_DEPTH = 50
"""How deeply plain data may be nested; what is nested deeper cannot be compared, written or shown safely."""
MAX_BITS = 14_000
"""How many bits a whole number may have: Python converts no number of more than 4,300 digits into text."""


def read(kind: type[S], data: Mapping[str, Any], where: str, table: str = "") -> S:
    """Returns the struct of that kind with the data's values; nothing is converted, repaired or ignored."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_after(where, _explain(kind, data, table, error))) from None


def _explain(kind: type[msgspec.Struct], data: Mapping[str, Any], table: str, error: msgspec.ValidationError) -> str:
    """Returns what is wrong with the data, by the key that is at fault; of a value, in the words of msgspec."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key, value in data.items():
        place = f"{table}.{key}" if table else key
        if key not in fields:
            if kind.__struct_config__.forbid_unknown_fields:
                return _after(table, f'no key "{key}"; {did_you_mean(key, fields)}')
            continue
        if value_error := _value_error(value, fields[key].type):
            return f"{place}: {value_error}"
    for key, field in fields.items():
        if field.required and key not in data:
            return _after(table, f'the key "{key}" is missing; add it')
    return _after(table, str(error))


def _value_error(value: Any, kind: Any) -> str:
    """Returns what is wrong with a value; empty if nothing is."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        literals = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
        choices = [choice for literal in literals for choice in get_args(literal)]
        if choices and isinstance(value, str):
            return f'no choice "{value}"; {did_you_mean(value, map(str, choices))}'
        return str(error)
    return ""


def read_shared(kinds: Sequence[type[msgspec.Struct]], data: Mapping[str, Any], where: str, table: str) -> list[Any]:
    """Returns a struct of each kind, read from data whose keys belong to the one or the other."""
    known = [key for kind in kinds for key in kind.__struct_encode_fields__]
    for key in data:
        if key not in known:
            raise ConfigError(_after(where, _after(table, f'no key "{key}"; {did_you_mean(key, known)}')))
    return [read(kind, keys_of(kind, data), where, table) for kind in kinds]


def refuse_extremes(data: Mapping[str, Any]) -> None:
    """Refuses plain data that is nested too deeply, or has a number of thousands of digits or a NUL in a text."""
    for key, value, depth in _values(data):
        if depth > MAX_DEPTH:
            problem = "is nested too deeply; no key needs more than a few levels"
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            problem = "is a number of thousands of digits; take a smaller one"
        elif (isinstance(value, str) and "\0" in value) or "\0" in key:
            problem = "holds the character \0, which no name and no path can have; leave it out"
        else:
            continue
        raise ConfigError(f"{key}: {problem}")


def _values(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, int]]:
    """Yields every value in plain data with the key that leads to it, and how deeply it is nested."""
    left: list[tuple[str, Any, int]] = [("", data, 0)]
    while left:
        last, value, depth = left.pop()
        if depth:
            yield last, value, depth
        if isinstance(value, Mapping):
            left += [(str(key), inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list | tuple):
            left += [(last, inner, depth + 1) for inner in value]


def read_options(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """Reads the options of a game or a bot. They become JSON, so that whole numbers have at most 64 bits."""
    refuse_large_numbers(data, where)
    return read(kind, data, where)


def refuse_large_numbers(data: Mapping[str, Any], where: str) -> None:
    """Refuses plain data with whole numbers of more than 64 bits, which JSON cannot take."""
    for key, value in data.items():
        numbers = [each for _, each, _ in _values({key: value}) if isinstance(each, int)]
        if any([not -(2**63) <= number < 2**63 for number in numbers]):
            raise ConfigError(f"{where}: {key}: holds a number beyond {2**63 - 1}; take a smaller one")


def keys_of(kind: type[msgspec.Struct], data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of the data whose keys belong to the struct, for a table that several structs share."""
    return {key: value for key, value in data.items() if key in kind.__struct_encode_fields__}


def _after(where: str, message: str) -> str:
    return f"{where}: {message}" if where else message


def plain(value: Any) -> dict[str, Any]:
    """Returns the value as it is read back after it was written as JSON: with lists in place of tuples."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(msgspec.to_builtins(value)))
    return plain


_FIELD = re.compile(r'^    (\w+):[^\n]*(?:\n(?!    \w)[^\n]*)*?\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


def field_docs(kind: type) -> dict[str, str]:
    """Returns the docstring below each field of a class, read from its source; none where there is no source."""
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        return {}
    return {name: " ".join(text.split()) for name, text in _FIELD.findall(source)}
