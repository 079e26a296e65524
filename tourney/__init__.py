"""Tournaments between card-game bots: the public API, which docs/api.md describes.

Nothing is imported until it is asked for, so that `import tourney` costs nothing.
"""

TYPE_CHECKING = False  # type checkers take it for True; `typing` would have to be imported for its own
if TYPE_CHECKING:
    from tourney._api import pettingzoo as pettingzoo
    from tourney._api.analyses import AnalysedDecision as AnalysedDecision
    from tourney._api.analyses import Analysis as Analysis
    from tourney._api.gates import GateResult as GateResult
    from tourney._api.gates import gate as gate
    from tourney._api.matches import MatchSummary as MatchSummary
    from tourney._api.matches import play as play
    from tourney._api.playing import RunProgress as RunProgress
    from tourney._api.playing import run as run
    from tourney._api.replays import Decision as Decision
    from tourney._api.replays import MatchReplay as MatchReplay
    from tourney._api.replays import PlayedRecord as PlayedRecord
    from tourney._api.runs import Run as Run
    from tourney._api.runs import VerifiedRecords as VerifiedRecords
    from tourney._api.runs import load as load
    from tourney._api.tables import Standings as Standings
    from tourney.base.errors import (
        ActionError as ActionError,
    )
    from tourney.base.errors import (
        ClusterLostError as ClusterLostError,
    )
    from tourney.base.errors import (
        ConfigError as ConfigError,
    )
    from tourney.base.errors import (
        GameError as GameError,
    )
    from tourney.base.errors import (
        PluginError as PluginError,
    )
    from tourney.base.errors import (
        RunError as RunError,
    )
    from tourney.base.errors import (
        SystemLimitError as SystemLimitError,
    )
    from tourney.base.errors import (
        TooManyFaultsError as TooManyFaultsError,
    )
    from tourney.base.errors import (
        TourneyError as TourneyError,
    )
    from tourney.base.errors import (
        ViewError as ViewError,
    )
    from tourney.base.errors import (
        WriteError as WriteError,
    )
    from tourney.contracts import cards as cards
    from tourney.contracts.bot import (
        ActionEstimate as ActionEstimate,
    )
    from tourney.contracts.bot import (
        Bot as Bot,
    )
    from tourney.contracts.bot import (
        Clock as Clock,
    )
    from tourney.contracts.bot import (
        Outcome as Outcome,
    )
    from tourney.contracts.bot import (
        SeatFacts as SeatFacts,
    )
    from tourney.contracts.cards import Deck as Deck
    from tourney.contracts.encoding import Vector as Vector
    from tourney.contracts.game import (
        Game as Game,
    )
    from tourney.contracts.game import (
        Observation as Observation,
    )
    from tourney.contracts.game import (
        Options as Options,
    )
    from tourney.contracts.game import (
        View as View,
    )
    from tourney.contracts.game import (
        places_by as places_by,
    )
    from tourney.contracts.match import Record as Record
    from tourney.contracts.playouts import has_score as has_score
    from tourney.contracts.playouts import play_out as play_out
    from tourney.contracts.policies import (
        LONGEST_PLAYOUT as LONGEST_PLAYOUT,
    )
    from tourney.contracts.policies import (
        Policy as Policy,
    )
    from tourney.contracts.policies import (
        check_policy as check_policy,
    )
    from tourney.contracts.rng import below as below
    from tourney.contracts.rng import permutation as permutation
    from tourney.contracts.rng import pick as pick
    from tourney.contracts.rng import shuffle as shuffle
    from tourney.contracts.state import Entry as Entry
    from tourney.contracts.state import State as State
    from tourney.contracts.wording import RoundWording as RoundWording
    from tourney.contracts.wording import Wording as Wording
    from tourney.plugins.registry import (
        bot_names as bot_names,
    )
    from tourney.plugins.registry import (
        game_names as game_names,
    )
    from tourney.plugins.registry import (
        load_game as load_game,
    )
    from tourney.plugins.registry import (
        load_policy as load_policy,
    )
    from tourney.standings.ranking import StandingsRow as StandingsRow

_NAMES = {
    "_api.analyses": "AnalysedDecision Analysis",
    "_api.gates": "GateResult gate",
    "_api.matches": "MatchSummary play",
    "_api.playing": "RunProgress run",
    "_api.replays": "Decision MatchReplay PlayedRecord",
    "_api.runs": "Run VerifiedRecords load",
    "_api.tables": "Standings",
    "base.errors": "ActionError ClusterLostError ConfigError GameError PluginError RunError SystemLimitError "
    "TooManyFaultsError TourneyError ViewError WriteError",
    "contracts.bot": "ActionEstimate Bot Clock Outcome SeatFacts",
    "contracts.cards": "Deck",
    "contracts.encoding": "Vector",
    "contracts.game": "Game Observation Options View places_by",
    "contracts.match": "Record",
    "contracts.playouts": "has_score play_out",
    "contracts.policies": "LONGEST_PLAYOUT Policy check_policy",
    "contracts.rng": "below permutation pick shuffle",
    "contracts.state": "Entry State",
    "contracts.wording": "RoundWording Wording",
    "plugins.registry": "bot_names game_names load_game load_policy",
    "standings.ranking": "StandingsRow",
}
"""The modules of the names, which are imported with the first of them."""
_MODULES = {"cards": "contracts.cards", "pettingzoo": "_api.pettingzoo"}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_MODULE_OF, *_MODULES]  # noqa: PLE0604 - the names are listed once, above


if not TYPE_CHECKING:  # for type checkers there are the names above, and no others

    def __getattr__(name):
        """Imports a public name when it is first asked for."""
        from importlib import import_module  # noqa: PLC0415 - it takes a while

        if name in _MODULE_OF:
            found = getattr(import_module(f"tourney.{_MODULE_OF[name]}"), name)
        elif name in _MODULES:
            found = import_module(f"tourney.{_MODULES[name]}")
        else:
            raise AttributeError(f"module 'tourney' has no attribute '{name}'")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Returns the public names, and those of a module."""
    return sorted({*globals(), *__all__})
