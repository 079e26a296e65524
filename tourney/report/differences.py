"""What has changed between two values of JSON, in few bytes; `patched` in viewer/data.js makes the second of them.

A difference is one of these:

- `0`: nothing has changed;
- `[value]`: it is another value now;
- `{"key": difference, ...}`: in an object, the keys whose values have changed;
- `[i, difference]`: in a list, only item i has changed;
- `[i, n, items]`: in a list, `items` stand in the place of the n items from i on.
"""

from typing import Any

import orjson


def difference(old: Any, new: Any) -> Any:
    """Returns what has changed from one value of JSON to another."""
    if _same(old, new):
        return 0
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return {key: difference(old[key], value) for key, value in new.items() if not _same(old[key], value)}
    if isinstance(old, list) and isinstance(new, list):
        return _shorter([new], _list_difference(old, new))
    return [new]


def _list_difference(old: list[Any], new: list[Any]) -> list[Any]:
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if not _same(old[i], new[i])), shorter)
    same = next((i for i in range(shorter - start) if not _same(old[-1 - i], new[-1 - i])), shorter - start)
    stop = len(new) - same
    if len(old) == len(new) and stop - start == 1 and isinstance(new[start], dict | list):
        return [start, difference(old[start], new[start])]
    return [start, len(old) - same - start, new[start:stop]]


def _shorter(first: list[Any], second: list[Any]) -> list[Any]:
    return first if len(orjson.dumps(first)) <= len(orjson.dumps(second)) else second


def _same(old: Any, new: Any) -> bool:
    """Tells whether two values are the same in JSON, in which 1 and true are not."""
    return old is new or (bool(old == new) and (type(old) is str or orjson.dumps(old) == orjson.dumps(new)))
