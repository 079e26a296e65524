"""Tournaments between card-game bots: the public API, which docs/api.md describes.

Nothing is imported until it is asked for, so that `import tourney` costs nothing.
"""

TYPE_CHECKING = False  # type checkers take it for True; `typing` would have to be imported for its own
if TYPE_CHECKING:
    from tourney._api.analyses import AnalysedDecision, Analysis
    from tourney._api.gates import GateResult, gate
    from tourney._api.matches import MatchSummary, play
    from tourney._api.playing import run
    from tourney._api.progress import RunProgress
    from tourney._api.replays import Decision, MatchReplay, PlayedRecord
    from tourney._api.runs import Run, VerifiedRecords, load
    from tourney._api.standings import Standings
    from tourney.errors import (
        ClusterLostError,
        ConfigError,
        GameError,
        PluginError,
        RunError,
        SystemLimitError,
        TooManyFaultsError,
        TourneyError,
        WriteError,
    )
    from tourney.match import Record
    from tourney.plugins import bot_names, game_names, load_game
    from tourney.stats.ranking import StandingsRow

_HOMES = {
    "_api.analyses": ("AnalysedDecision", "Analysis"),
    "_api.gates": ("GateResult", "gate"),
    "_api.matches": ("MatchSummary", "play"),
    "_api.playing": ("run",),
    "_api.progress": ("RunProgress",),
    "_api.replays": ("Decision", "MatchReplay", "PlayedRecord"),
    "_api.runs": ("Run", "VerifiedRecords", "load"),
    "_api.standings": ("Standings",),
    "errors": (
        "ClusterLostError",
        "ConfigError",
        "GameError",
        "PluginError",
        "RunError",
        "SystemLimitError",
        "TooManyFaultsError",
        "TourneyError",
        "WriteError",
    ),
    "match": ("Record",),
    "plugins": ("bot_names", "game_names", "load_game"),
    "stats.ranking": ("StandingsRow",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AnalysedDecision",
    "Analysis",
    "ClusterLostError",
    "ConfigError",
    "Decision",
    "GameError",
    "GateResult",
    "MatchReplay",
    "MatchSummary",
    "PlayedRecord",
    "PluginError",
    "Record",
    "Run",
    "RunError",
    "RunProgress",
    "Standings",
    "StandingsRow",
    "SystemLimitError",
    "TooManyFaultsError",
    "TourneyError",
    "VerifiedRecords",
    "WriteError",
    "bot_names",
    "game_names",
    "gate",
    "load",
    "load_game",
    "play",
    "run",
]


if not TYPE_CHECKING:  # for type checkers there are the names above, and no others

    def __getattr__(name):
        """Imports a name of the API when it is first asked for."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'tourney' has no attribute '{name}'")
        from importlib import import_module  # noqa: PLC0415 - it takes a while

        found = getattr(import_module(f"tourney.{_HOME_OF[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Returns the names of the API, and those of a module."""
    return sorted({*globals(), *__all__})
