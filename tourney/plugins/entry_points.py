"""The entry points of distributions, by which plugins are found.

A bot's process gets them from the process that starts it: reading the metadata of distributions would take a third of
its start.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

EXPORTED = ("tourney.games", "tourney.bots", "tourney.policies", "tourney.providers")
"""The groups that a bot's process gets from the one that starts it."""

Exported: TypeAlias = Mapping[str, Iterable[Iterable[str]]]
"""The entry points of groups, as plain data."""


class EntryPoint(NamedTuple):
    """The name of a plugin, and where it is."""

    name: str
    value: str
    """The plugin's object: `package.module:attribute`."""
    distribution: str
    version: str
    """The version of the distribution."""

    @property
    def module(self) -> str:
        """The name of the module."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Imports the module, and returns the plugin's object."""
        return attrgetter(self.value.partition(":")[2].strip())(import_module(self.module))


_taken: dict[str, tuple[EntryPoint, ...]] = {}


@cache
def of_group(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, of all distributions, each once."""
    if group in _taken:
        return _taken[group]
    entries = [EntryPoint(entry.name, entry.value, *_origin(entry.dist)) for entry in _all().select(group=group)]
    return tuple(dict.fromkeys(entries))


@cache
def _all() -> Any:
    """All entry points; cached, because reading them takes time."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - a bot's process does without it

    return entry_points()


@cache
def _origin(distribution: Any) -> tuple[str, str]:
    """The name and the version of a distribution; cached, because each call parses its metadata."""
    if distribution is None:
        return "an unnamed distribution", ""
    metadata = distribution.metadata
    return metadata["Name"] or "an unnamed distribution", metadata["Version"] or ""


def own_version() -> str:
    """The version of tourney itself."""
    from importlib.metadata import version  # noqa: PLC0415 - a bot's process does without it

    return version("tourney-cards")


def own_build() -> str:
    """How the code that plays matches was built: `compiled` or `pure Python`; the records are the same."""
    spec = find_spec("tourney.contracts.state")
    return "pure Python" if spec is None or str(spec.origin).endswith(".py") else "compiled"


def exported() -> Exported:
    """The entry points for a bot's process."""
    return {group: [tuple(entry) for entry in of_group(group)] for group in EXPORTED}


def take(exported: Exported) -> None:
    """Takes another process's entry points, instead of searching here."""
    for group, entries in exported.items():
        _taken[group] = tuple([EntryPoint(*entry) for entry in entries])
    of_group.cache_clear()
