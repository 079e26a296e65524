"""What the attributes of a policy may be, whether of its class or set by the policy of a match."""

from math import inf
from typing import Any, NamedTuple

from tourney.errors import type_name


class _Bounds(NamedTuple):
    whole: bool
    least: float
    most: float
    text: str


LONGEST_PLAYOUT = 10_000
"""After how many decisions a playout stops at the latest, as all its luck is drawn before it."""
_WHOLE = _Bounds(True, 1, inf, "a whole number from 1 on")
_ERRORS = _Bounds(False, 0, inf, "a number from 0 on")
BOUNDS = {
    "horizon": _Bounds(True, 1, LONGEST_PLAYOUT, f"a whole number from 1 to {LONGEST_PLAYOUT:,}"),
    "playouts": _WHOLE,
    "draws": _WHOLE,
    "gate": _ERRORS,
    "drop": _ERRORS,
    "chance": _Bounds(False, 0, 1, "a number from 0 to 1"),
}
"""What each attribute may be, by name; NaN is none of it."""


def refusal(policy: Any) -> str | None:
    """Returns what is wrong with an attribute of a policy and what it may be, or None if nothing is.

    Args:
        policy: A policy, or its class, in which an attribute may be a property.
    """
    for name, bounds in BOUNDS.items():
        value = getattr(policy, name)
        if isinstance(policy, type) and hasattr(value, "__get__"):
            continue
        if isinstance(value, bool) or not isinstance(value, int if bounds.whole else int | float):
            return f"{name} is of the type {type_name(value)}; make it {bounds.text}"
        if not bounds.least <= value <= bounds.most:
            return f"{name} is {value}; make it {bounds.text}"
    return None
