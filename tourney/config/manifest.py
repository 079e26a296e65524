"""The manifest of a run: what was to be played, and which code games and bots are."""

import platform
from pathlib import Path
from typing import Any

import msgspec

from tourney import format_keys, plugins
from tourney.config.entrants import fingerprint
from tourney.config.tournament import Entrant, Tournament, check_anchor
from tourney.errors import ConfigError
from tourney.validation import plain


def manifest(tournament: Tournament) -> dict[str, Any]:
    """What must be the same for a run to go on: the resolved configuration, and which code the games and bots are.

    Nothing in it depends on the time or on where the files are. `max_fault_rate` is not in it: it says when a run
    stops, and changes no record, so that a run that has stopped can go on with another.
    """
    folder = Path(tournament.folder)
    return {
        "tourney": plugins.own_version(),
        "python": platform.python_version(),
        "tournament": {
            "name": tournament.name,
            "seed": f"{tournament.seed:032x}",
            "format": tournament.format,
            "deals": tournament.deals,
            "groups": tournament.groups,
            "challengers": None if tournament.challengers is None else list(tournament.challengers),
            "rounds": tournament.rounds,
            "seatings": tournament.seatings,
            "match_s": tournament.match_s,
            "max_faults": tournament.max_faults,
            "max_faults_in_row": tournament.max_faults_in_row,
            "bots": [_entrant(entrant) for entrant in tournament.entrants],
            "games": [msgspec.to_builtins(setup) for setup in tournament.setups],
            "weights": list(tournament.weights),
            "smaller_tables": tournament.smaller_tables,
            "anchor": msgspec.to_builtins(tournament.anchor),
        },
        "games": {name: plugins.game_fingerprint(name)._asdict() for name in tournament.games},
        "bots": {entrant.name: fingerprint(entrant, folder)._asdict() for entrant in tournament.entrants},
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    """Returns an entrant as plain data, without the options of its host where it has none."""
    data = plain(entrant)
    return data if entrant.host_options else {key: value for key, value in data.items() if key != "host_options"}


def of_manifest(manifest: dict[str, Any]) -> Tournament:
    """The tournament that a run's manifest describes, without its bots: enough to tell what was to be played."""
    resolved = {key: value for key, value in manifest["tournament"].items() if key not in ("bots", "games", "seed")}
    try:
        tournament = msgspec.convert(
            resolved
            | {
                "seed": int(manifest["tournament"]["seed"], 16),
                "entrants": manifest["tournament"]["bots"],
                "setups": manifest["tournament"]["games"],
                "folder": ".",
            },
            Tournament,
        )
        if not tournament.setups or not tournament.entrants:
            raise ConfigError("there are no games or no bots")
        format_keys.check(tournament.format, tournament, tournament.names, tournament.setups)
        if len(tournament.weights) not in (0, len(tournament.setups)):
            raise ConfigError("there are not as many weights as games")
        check_anchor(tournament.anchor, tournament.names)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the tournament anew") from None
    return tournament
