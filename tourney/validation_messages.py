"""What is wrong with a value, in the words of a tournament file, out of what msgspec says of it."""

import re
from collections.abc import Mapping
from math import isnan
from typing import Any, Literal, get_args, get_origin

import msgspec

from tourney.errors import did_you_mean

_MESSAGE = re.compile(r"^(?P<problem>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_MISSING = re.compile(r"missing required field `(.*)`")
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_BOUND = re.compile(r"Expected `(?:int|float)` ([<>]=?) (\S+)")
_LENGTH = re.compile(r"Expected `(array|str|object)` of length ([<>]=?) (\d+)")

WANTED = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text in quotes",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""What the types of msgspec are called where one is asked for; a null is what a key has that is left out."""
FOUND = WANTED | {"float": "a number with a decimal point", "str": "a text"}
"""What they are called where one was found."""
EXAMPLES = {
    "int": "1",
    "float": "1.5",
    "str": '"text"',
    "bool": "true",
    "array": '["one", "two"]',
    "object": "{ key = 1 }",
}
EXAMPLES_OF_KEYS = {"seats": "2", "rating": "1500"}
"""Examples for keys that hardly ever have such a value as others of their type."""
BOUNDS = {
    ">=": ("too small", "take at least {}"),
    ">": ("too small", "take a number above {}"),
    "<=": ("too large", "take at most {}"),
    "<": ("too large", "take a number below {}"),
}
SHOWN = 40
"""How many characters of a text are shown."""


def explain(kind: type[msgspec.Struct], data: Mapping[str, Any], message: str, table: str) -> str:
    """Returns a message of msgspec in our words, with the path of the key in front and the remedy behind.

    Args:
        kind: The struct that was to be read.
        data: The data that it was to be read from.
        message: What msgspec says.
        table: The path of keys to the data, such as `bot[0]`; empty if they are not nested.
    """
    found = _MESSAGE.match(message)
    assert found is not None
    problem, path = found["problem"], (found["path"] or "").lstrip(".")
    key = f"{table}.{path}" if table and path else table or path
    place = f"{key}: " if key else ""
    here, value = _type_at(kind, path), _value_at(data, path)
    if unknown := _UNKNOWN.search(problem):
        keys = next((part.__struct_fields__ for part in _structs(here)), ())
        return f'{place}no key "{unknown[1]}"; {did_you_mean(unknown[1], keys)}'
    if missing := _MISSING.search(problem):
        return f'{place}the key "{missing[1]}" is missing; {_addition(here, missing[1])}'
    return place + _wrong_value(here, key, value, problem)


def _wrong_value(kind: Any, key: str, value: Any, problem: str) -> str:
    """Returns what is wrong with the value of a key, and the remedy."""
    if problem.startswith("Invalid enum value"):
        return f"{_shown(value)}is not one of {_choices(kind)}; take one of them"
    if wrong := _TYPE.search(problem):
        return f"{_shown(value)}is {_found(kind, wrong[2])}; {_replacement(kind, key, value, wrong[1])}"
    if bound := _BOUND.search(problem):
        what, remedy = BOUNDS[bound[1]]
        what = "no number" if isinstance(value, float) and isnan(value) else what
        return f"{_shown(value)}is {what}; {remedy.format(bound[2].removesuffix('.0'))}"
    if length := _LENGTH.search(problem):
        return _length_message(kind, key, *length.groups())
    return problem[:1].lower() + problem[1:].replace("`", "")


def _shown(value: Any) -> str:
    """Returns a short text or number as it stands in a file, with a space behind; nothing for another value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        shown = str(value)
    elif isinstance(value, str):
        shown = f'"{value}"'
    else:
        return ""
    return f"{shown} " if len(shown) <= SHOWN else ""


def _found(kind: Any, name: str) -> str:
    """Returns what a value is called that is of a wrong type; of tables in brackets there are two kinds."""
    if name == "object" and _is_list_of_tables(kind):
        return "a single table"
    return FOUND.get(name, f"a {name}")


def _replacement(kind: Any, key: str, value: Any, wanted: str) -> str:
    """Returns what to write in place of a value of a wrong type."""
    names = [name for name in wanted.split(" | ") if name != "null"]
    header, index, _ = key.partition("[")
    if _is_list_of_tables(kind) or (index and "object" in names and "." not in key):
        return _table_lines(header, value)
    last = key.rpartition(".")[2]
    if names == ["object"] and key == last:
        return f"write [{key}], in single brackets, on a line of its own, and its keys below"
    asked = " or ".join([WANTED.get(name, name) for name in names])
    example = _example(last, names, value)
    return f"give {asked}, as in {example if last.endswith(']') else f'{last} = {example}'}"


def _table_lines(header: str, value: Any) -> str:
    """Returns how to write a table of which there may be several; the given value may be its name."""
    first = value[0] if isinstance(value, list) and value else value
    name = first.get("name") if isinstance(first, Mapping) else first
    shown = name if isinstance(name, str) and len(name) <= SHOWN else "NAME"
    return f'write [[{header}]], in double brackets, on a line of its own, and below it name = "{shown}"'


def _example(key: str, names: list[str], value: Any) -> str:
    """Returns a value of one of the types for a key, made from the given one if it can be."""
    if "array" in names and isinstance(value, str):
        words = value.split() if key == "command" and len(value) <= SHOWN else [value]
        return f"[{', '.join([_shown(word).strip() for word in words]) or EXAMPLES['str']}]"
    if "int" in names and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if "int" in names and isinstance(value, str) and value.isdecimal() and len(value) < SHOWN:
        return value
    if names == ["str"] and isinstance(value, int | float) and not isinstance(value, bool):
        return f'"{_shown(value).strip()}"'
    return EXAMPLES_OF_KEYS.get(key) or EXAMPLES.get(names[0], names[0])


def _addition(kind: Any, key: str) -> str:
    """Returns how to add a key that is missing."""
    fields = [field for part in _structs(kind) for field in msgspec.structs.fields(part)]
    own = next((field.type for field in fields if field.encode_name == key), None)
    if _is_list_of_tables(own):
        return _table_lines(key, None)
    name = next((name for name, its in _PLAIN.items() if own is its or its in get_args(own)), "str")
    return f"add it, as in {key} = {EXAMPLES_OF_KEYS.get(key) or EXAMPLES[name]}"


_PLAIN = {"int": int, "float": float, "str": str, "bool": bool, "object": dict}


def _length_message(kind: Any, key: str, name: str, sign: str, length: str) -> str:
    """Returns the message about a text or list that is too short or too long."""
    one, what = ("character", "characters") if name == "str" else ("entry", "entries")
    if sign == "<=":
        return f"has more than {length} {what}; take fewer"
    if _is_list_of_tables(kind):
        return f"is empty; {_table_lines(key, None)}"
    return f"is empty; give at least one {one}" if length == "1" else f"is too short; give at least {length} {what}"


def _is_list_of_tables(kind: Any) -> bool:
    """Tells whether a type is that of tables with double brackets."""
    for part in (kind, *get_args(kind)):
        if get_origin(part) in (list, tuple):
            item = get_args(part)[0]
            return get_origin(item) is dict or (isinstance(item, type) and issubclass(item, msgspec.Struct))
    return False


def _structs(kind: Any) -> list[type[msgspec.Struct]]:
    return [part for part in (kind, *get_args(kind)) if isinstance(part, type) and issubclass(part, msgspec.Struct)]


def _choices(kind: Any) -> str:
    """Lists the values that a `Literal` type allows."""
    for part in (kind, *get_args(kind)):
        if get_origin(part) is Literal:
            return ", ".join(str(choice) for choice in get_args(part))
    return "the allowed values"


def _steps(path: str) -> list[str]:
    """Returns the keys and the indices in brackets of a path such as `game[0].options`."""
    return re.findall(r"\w+|\[[^\]]*\]", path)


def _type_at(kind: Any, path: str) -> Any:
    """Returns the annotated type at a path; None where the path leaves the annotations."""
    for step in _steps(path):
        if step.startswith("["):
            kind = next((arg for arg in reversed(get_args(kind)) if arg is not ...), None)  # list[X], tuple[X, ...]
        elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            kind = next((field.type for field in msgspec.structs.fields(kind) if field.encode_name == step), None)
        else:
            return None
    return kind


def _value_at(data: Any, path: str) -> Any:
    """Returns the value at a path in plain data; None where there is none that the path names."""
    for step in _steps(path):
        index = step.strip("[]")
        if step.startswith("[") and isinstance(data, list) and index.isdecimal() and int(index) < len(data):
            data = data[int(index)]
        elif isinstance(data, Mapping) and step in data:
            data = data[step]
        else:
            return None
    return data
