"""Keyword arguments shared by several functions: documented once here, and shown in all their signatures."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from os import PathLike
from typing import Any, NamedTuple, Required, TypedDict, TypeVar, get_args

from tourney._api.configuration import BotGiven
from tourney.base.validation import field_docs

F = TypeVar("F", bound=Callable[..., Any])


class RunProgress(NamedTuple):
    """The progress of a run, a gate or an analysis."""

    matches: int
    most_matches: int
    """The largest possible number of matches."""
    cost: float = 0.0
    """The cost of the matches so far in dollars, from the bots' notes."""


class Playing(TypedDict, total=False):
    """Workers and progress."""

    workers: int | str | None
    """The number of worker processes, by default one per processor; `"8!"` allows more than the processors despite
    time limits. Or a cluster: tcp://HOST:PORT, tls://HOST:PORT, or local:N to start one with N
    workers here, which needs the extra: pip install 'tourney-cards[cluster]'."""
    progress: Callable[[RunProgress], object] | None
    """Called several times a second."""


class Kept(Playing, total=False):
    """The run's folder."""

    out: str | PathLike[str] | None
    """The run folder; by default one under results/, named after the bots or the tournament."""
    resume: bool
    """Whether to continue the run in the folder."""
    overwrite: bool
    """Whether to replace the run in the folder."""


class Duel(Kept, total=False):
    """Two bots on the same deals."""

    games: Required[Sequence[str | Mapping[str, Any]]]
    """The games: NAME, NAME:SEATS, or dictionaries of the keys of a `[[game]]` table."""
    field: Sequence[BotGiven]
    """Opponents that both bots meet instead of each other."""
    limits: Mapping[str, Any] | None
    """The keys of a `[limits]` table."""
    seed: int | str
    """The seed of the deals; by default the same ones each time."""
    host: str | None
    """The host of bots in files; by default process, so that versions do not mix; inline is faster."""


def with_keywords(function: F) -> F:
    """Refuses keywords missing from the TypedDict of `**keys`, and shows its keys in `help` and notebooks."""
    *own, keys = inspect.signature(function).parameters.values()
    (kind,) = get_args(keys.annotation)
    docs = field_docs(sys.modules[__name__])
    more = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation,
            default=inspect.Parameter.empty if name in kind.__required_keys__ else ...,
        )
        for name, annotation in kind.__annotations__.items()
    }  # fmt: skip
    signature = inspect.signature(function).replace(parameters=[*own, *more.values()])

    @wraps(function)
    def checked(*args: Any, **given: Any) -> Any:
        signature.bind(*args, **given)
        return function(*args, **given)

    text, raises, errors = (inspect.getdoc(function) or "").partition("\n\nRaises:")
    arguments = [f"\n    {name}: {docs.get(name, '')}" for name in more]
    checked.__doc__ = "".join([text, "" if "\nArgs:" in text else "\n\nArgs:", *arguments, raises, errors])
    checked.__signature__ = signature  # type: ignore[attr-defined] # what `inspect` reads
    return checked  # type: ignore[return-value]
