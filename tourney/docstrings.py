"""What the docstrings of a class say about its fields, for descriptions of options, views and tournament files."""

import inspect
import re

_FIELD = re.compile(r'^    (\w+):[^\n]*(?:\n(?!    \w)[^\n]*)*?\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


def field_docs(kind: type) -> dict[str, str]:
    """Returns the docstring below each field of a class, read from its source; none where there is no source."""
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        return {}
    return {name: " ".join(text.split()) for name, text in _FIELD.findall(source)}
