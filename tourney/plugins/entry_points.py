"""The entry points of distributions, by which plugins are found.

A process that starts a bot hands what it has found to the bot's process, which would spend a third of its start on
reading the metadata of distributions.
"""

from collections.abc import Iterable, Mapping
from functools import cache, reduce
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

EXPORTED = ("tourney.games", "tourney.bots", "tourney.policies", "tourney.providers")
"""The groups that a bot's process gets from the one that starts it."""

UNNAMED = "an unnamed distribution"
"""What a distribution without a name is called."""

Exported: TypeAlias = Mapping[str, Iterable[Iterable[str]]]
"""The entry points of groups, as plain data."""


class EntryPoint(NamedTuple):
    """The name of a plugin, and where it is."""

    name: str
    """The name."""
    value: str
    """What it stands for: `package.module:attribute`."""
    distribution: str
    """The name of the distribution that brings it."""
    version: str
    """The version of the distribution."""

    @property
    def module(self) -> str:
        """The name of the module."""
        return self.value.partition("[")[0].partition(":")[0].strip()

    @property
    def attribute(self) -> str:
        """The name in the module; empty for the module itself."""
        return self.value.partition("[")[0].partition(":")[2].strip()

    def load(self) -> Any:
        """Imports the module, and returns what the entry point stands for."""
        names = self.attribute.split(".") if self.attribute else []
        return reduce(getattr, names, import_module(self.module))


_taken: dict[str, tuple[EntryPoint, ...]] = {}


@cache
def of_group(group: str) -> tuple[EntryPoint, ...]:
    """Returns the entry points of a group, of all distributions, each once."""
    if group in _taken:
        return _taken[group]
    found = [EntryPoint(entry.name, entry.value, *_origin(entry.dist)) for entry in _all().select(group=group)]
    return tuple(dict.fromkeys(found))


@cache
def _all() -> Any:
    """Returns all entry points; cached, since it takes some time."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - a bot's process does without it

    return entry_points()


@cache
def _origin(distribution: Any) -> tuple[str, str]:
    """Returns the name and the version of a distribution, which parses its metadata each time that it is asked."""
    if distribution is None:
        return UNNAMED, ""
    metadata = distribution.metadata
    return metadata["Name"] or UNNAMED, metadata["Version"] or ""


def own_version() -> str:
    """Returns the version of tourney itself."""
    from importlib.metadata import version  # noqa: PLC0415 - a bot's process does without it

    return version("tourney-cards")


def exported() -> Exported:
    """Returns the entry points for a bot's process."""
    return {group: [tuple(entry) for entry in of_group(group)] for group in EXPORTED}


def take(exported: Exported) -> None:
    """Takes the entry points that another process has found, in place of those that would be found here."""
    for group, entries in exported.items():
        _taken[group] = tuple([EntryPoint(*entry) for entry in entries])
    of_group.cache_clear()
