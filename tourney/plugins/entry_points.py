"""The entry points of distributions, by which plugins are found.

They are read here, because importing `importlib.metadata` would take a fifth of each command's start.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

EXPORTED = ("tourney.games", "tourney.bots", "tourney.policies", "tourney.providers")
"""The groups that a bot's process gets from the one that starts it."""

Exported: TypeAlias = Mapping[str, Iterable[Iterable[str]]]


class EntryPoint(NamedTuple):
    """The name of a plugin, and where it is."""

    name: str
    value: str
    """The plugin's object: `package.module:attribute`."""
    distribution: str
    version: str

    @property
    def module(self) -> str:
        """The name of the module."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Imports the module, and returns the plugin's object."""
        return attrgetter(self.value.partition(":")[2].strip())(import_module(self.module))


_taken: dict[str, tuple[EntryPoint, ...]] = {}


def of_group(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, of all distributions, each once."""
    return _taken[group] if group in _taken else tuple(_all().get(group, {}))


@cache
def _all() -> Mapping[str, Mapping[EntryPoint, None]]:
    """The entry points of all groups of tourney; of distributions with the same name, the first on the path counts."""
    groups: dict[str, dict[EntryPoint, None]] = {}
    known = set()
    for place in sys.path:
        folders: list[str] = []
        with suppress(OSError):
            folders = sorted([name for name in os.listdir(place or ".") if name.endswith((".dist-info", ".egg-info"))])
        for folder in folders:
            distribution = folder.rpartition(".")[0].partition("-")[0].lower().replace(".", "_")
            if distribution not in known:
                known.add(distribution)
                for group, entry in _entries(os.path.join(place, folder)):
                    groups.setdefault(group, {})[entry] = None
    return groups


def _entries(folder: str) -> Iterator[tuple[str, EntryPoint]]:
    """The entry points in the metadata of a distribution that has any for tourney, with their groups."""
    text = _text(f"{folder}/entry_points.txt")
    if "[tourney." in text:
        head = (_text(f"{folder}/METADATA") or _text(f"{folder}/PKG-INFO")).partition("\n\n")[0]
        fields = dict([line.partition(": ")[::2] for line in reversed(head.splitlines())])
        origin = fields.get("Name", "an unnamed distribution"), fields.get("Version", "")
        group = ""
        for line in map(str.strip, text.splitlines()):
            name, equals, value = line.partition("=")
            if line.startswith("["):
                group = line.strip("[]")
            elif equals and not line.startswith("#"):
                yield group, EntryPoint(name.strip(), value.strip(), *origin)


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as text:
            return text.read()
    except OSError:
        return ""


def own_version() -> str:
    """The version of tourney itself."""
    return next(entry.version for entry in of_group("tourney.games") if entry.distribution == "tourney-cards")


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
