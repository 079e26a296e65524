"""Converts plain data (from TOML or JSON) into frozen structs, or raises errors naming the key and the remedy."""

import inspect
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from types import ModuleType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

import msgspec
import orjson

from tourney.base.errors import ConfigError, did_you_mean

S = TypeVar("S", bound=msgspec.Struct)

PositiveInt: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**12)]
"""A whole number above 0, with an upper bound that keeps sums and products within 64 bits."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=2_147_483)]
"""A length of time above 0, up to 24 days: system calls take milliseconds of 32 bits."""
Text: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[^\0]*$")]
"""A text without the character NUL, which paths and command arguments cannot contain."""
TOO_LARGE = 10**4000
"""Python refuses to write whole numbers of more than 4300 digits as text."""


def read(kind: type[S], data: Mapping[str, Any], where: str, table: str = "") -> S:
    """Converts plain data into a struct of that kind; nothing is repaired or ignored."""
    for key, value in data.items():
        if isinstance(value, int) and abs(value) >= TOO_LARGE:
            place = f"{table}.{key}" if table else key
            raise ConfigError(_after(where, f"{place}: number has more than 4000 digits; use a smaller one"))
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_after(where, _explain(kind, data, table, error))) from None


def _explain(kind: type[msgspec.Struct], data: Mapping[str, Any], table: str, error: msgspec.ValidationError) -> str:
    """Names the key at fault; msgspec words the problem with its value."""
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
            return _after(table, f'missing key "{key}"')
    return _after(table, str(error))


def _value_error(value: Any, kind: Any) -> str:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        literals = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
        choices = [choice for literal in literals for choice in get_args(literal)]
        if choices and isinstance(value, str):
            return f'invalid value "{value}"; {did_you_mean(value, map(str, choices))}'
        return str(error)
    return ""


def read_shared(kinds: Sequence[type[msgspec.Struct]], data: Mapping[str, Any], where: str, table: str) -> list[Any]:
    """Reads a table that several structs share; returns one of each kind."""
    known = [key for kind in kinds for key in kind.__struct_encode_fields__]
    for key in data:
        if key not in known:
            raise ConfigError(_after(where, _after(table, f'no key "{key}"; {did_you_mean(key, known)}')))
    return [read(kind, keys_of(kind, data), where, table) for kind in kinds]


def read_options(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """Reads a game's or a bot's options, which must be valid JSON."""
    refuse_no_json(data, where)
    return read(kind, data, where)


def refuse_no_json(data: Mapping[str, Any], where: str) -> None:
    """Refuses plain data that JSON cannot represent, such as infinity and integers of more than 64 bits."""
    for key, value in data.items():
        if (number := _not_finite(value)) is not None:
            raise ConfigError(f"{where}: {key}: {number} is not a finite number; use another value")
        try:
            if isinstance(value, int) and value >= 2**63:  # orjson would write it as an unsigned number
                raise orjson.JSONEncodeError("Integer exceeds 64-bit range")
            orjson.dumps(value)
        except orjson.JSONEncodeError as error:
            raise ConfigError(f"{where}: {key}: {error}; use another value") from None


def _not_finite(value: Any) -> float | None:
    """The first number in plain data that is infinite or none at all."""
    if isinstance(value, float):
        return None if isfinite(value) else value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next((found for part in parts if (found := _not_finite(part)) is not None), None)


def keys_of(kind: type[msgspec.Struct], data: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the data whose keys belong to the struct."""
    return {key: value for key, value in data.items() if key in kind.__struct_encode_fields__}


def _after(where: str, message: str) -> str:
    return f"{where}: {message}" if where else message


def plain(value: Any) -> dict[str, Any]:
    """The value after a round trip through JSON: with lists instead of tuples."""
    return cast("dict[str, Any]", orjson.loads(orjson.dumps(msgspec.to_builtins(value))))


_FIELD = re.compile(r'^    (\w+):[^\n]*(?:\n(?!    \w)[^\n]*)*?\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


def field_docs(kind: type | ModuleType) -> dict[str, str]:
    """The docstrings below the fields of a class, or of a module's classes, read from its source."""
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        return {}
    return {name: " ".join(text.split()) for name, text in _FIELD.findall(source)}
