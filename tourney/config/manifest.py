"""The manifest of a run: what was to be played, and the fingerprints of the games and bots."""

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tourney.base.errors import ConfigError
from tourney.base.validation import keys_of, plain
from tourney.config.entrants import all_fingerprints
from tourney.config.tournament import FaultLimits, Tournament, validate_tournament
from tourney.contracts.match import HexDigits
from tourney.plugins import entry_points, registry
from tourney.plugins.fingerprints import Fingerprint


def manifest(
    tournament: Tournament, bots: Mapping[str, Fingerprint] | None = None, kind: str = "run"
) -> dict[str, Any]:
    """What must stay the same for a run to be resumed: the tournament, and the fingerprints of games and bots.

    The fingerprints of bots are those of now unless they are given; `kind` is that of `tourney.journal.kinds`.

    `max_fault_rate`, `max_cost` and `parallel`, which change no record, are left out: a stopped run can be resumed with
    others.
    """
    if bots is None:
        bots = all_fingerprints(tournament.entrants, Path(tournament.folder))
    return {
        "tourney": entry_points.own_version(),
        "kind": kind,
        "python": platform.python_version(),
        "tournament": _resolved(tournament),
        "games": {name: registry.game_fingerprint(name)._asdict() for name in tournament.games},
        "bots": {name: found._asdict() for name, found in bots.items()},
    }


def _resolved(tournament: Tournament) -> dict[str, Any]:
    data = msgspec.to_builtins(tournament) | {"seed": f"{tournament.seed:032x}"}
    limits = data.pop("fault_limits")
    del data["folder"], data["format_options"], data["parallel"], limits["max_fault_rate"], limits["max_cost"]
    for key in ("salts", "entered", "events"):  # left out where unset, as in older manifests
        if not data[key]:
            del data[key]
    for bot in data["bots"]:
        del bot["pickled"]
        for key in ("note_bytes", "match_note_bytes", "call_s", "patience_s"):  # they change no record
            del bot["limits"][key]
        for key in ("host_options", "keep"):
            if not bot[key]:
                del bot[key]
        for key in ("repeats", "sweep"):
            if bot[key] is None:
                del bot[key]
    return plain(data | limits | msgspec.structs.asdict(tournament.format_options))


def of_manifest(manifest: Mapping[str, Any]) -> Tournament:
    """The tournament of a run's manifest; its bots need not be there, and its folder is not known."""
    try:
        seed = msgspec.convert(manifest["tournament"]["seed"], HexDigits)
        data = manifest["tournament"] | {"seed": int(seed, 16), "folder": "."}
        own, limits = keys_of(Tournament, data), keys_of(FaultLimits, data)
        tournament = msgspec.convert(own | {"fault_limits": limits}, Tournament)
        kind = registry.load_format(tournament.format).Options
        others = {key: value for key, value in data.items() if key not in own | limits}
        # older manifests have the keys of all formats, with null for those of others
        options = {key: value for key, value in others.items() if value is not None or keys_of(kind, {key: value})}
        tournament = msgspec.structs.replace(tournament, format_options=msgspec.convert(options, kind))
        validate_tournament(tournament)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the tournament again") from None
    return tournament
