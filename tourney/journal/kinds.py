"""The kinds of runs: the command that plays each, and the operations it supports."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tourney.base.errors import ConfigError
from tourney.hosts.base import PERSON_HOST

VERDICT = "gate.json"
EVENTS = "events.jsonl"
COMMITS = "commits.json"


class Kind(NamedTuple):
    """Properties of a kind of run; the manifest contains only its `name`."""

    name: str
    noun: str
    played_by: str
    """The command that creates and continues it; PATH stands for its folder."""
    begun_by: str | None = None
    """The command that creates it, if different."""
    format: str | None = None
    """The format that only this kind plays."""
    correctable: bool = False
    """Whether bots can be replaced or dropped, and a changed configuration be forced."""
    joinable: bool = True


_KINDS = (
    Kind("run", "a run", "tourney run", correctable=True),
    Kind("gate", "a gate", "tourney gate", joinable=False),
    Kind("compare", "a comparison", "tourney compare"),
    Kind("league", "a league", "tourney league play PATH", "tourney league new", "league", joinable=False),
    Kind("track", "a track", "tourney track"),
    Kind("play", "a match with people", "tourney play"),
    Kind("check", "a check", "tourney check", "tourney check", "check", joinable=False),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _KINDS}


def kind_of(path: Path, manifest: Mapping[str, Any]) -> Kind:
    """The kind of the run in a folder, inferred from its content if the manifest is from an older version."""
    name = manifest["kind"] if "kind" in manifest else _inferred(path, manifest)
    if name not in KINDS:
        raise ConfigError(f"{path}: unknown kind of run {name!r}; read it with the version that played it")
    return KINDS[name]


def _inferred(path: Path, manifest: Mapping[str, Any]) -> str:
    tournament = manifest.get("tournament", {})
    if "gate" in manifest:
        return "gate"
    if (own := tournament.get("format")) and (names := [kind.name for kind in _KINDS if kind.format == own]):
        return names[0]
    if (path / COMMITS).exists():
        return "track"
    if any([bot.get("host") == PERSON_HOST for bot in tournament.get("bots", ())]):
        return "play"
    compares = tournament.get("format") == "mirror" and tournament.get("name", "").startswith("compare-")
    return "compare" if compares else "run"
