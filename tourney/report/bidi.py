"""Names that are written from right to left, within text that is written from left to right."""

from unicodedata import bidirectional

_FIRST_STRONG, _END = "\u2068", "\u2069"


def isolated(name: str) -> str:
    """Returns the name with marks around it that keep it from reordering the text beside it, if it could.

    >>> isolated("steady")
    'steady'
    """
    if any([bidirectional(char) in ("R", "AL", "AN") for char in name]):
        return f"{_FIRST_STRONG}{name}{_END}"
    return name
