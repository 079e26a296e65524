"""Tournaments between card-game bots: the public API, which docs/api.md describes.

Nothing is imported until it is asked for, so that `import tourney` costs nothing.
"""

# ruff: noqa: I001 - one line a module, several names on it
TYPE_CHECKING = False  # type checkers take it for True; importing `typing` for its own would take time
# fmt: off
if TYPE_CHECKING:  # the same names as in `_NAMES`
    from tourney import cards as cards, pettingzoo as pettingzoo
    from tourney._api.analyses import AnalysedDecision as AnalysedDecision, Analysis as Analysis
    from tourney._api.arguments import RunProgress as RunProgress
    from tourney._api.comparing import compare as compare
    from tourney._api.leagues import Field as Field, History as History, League as League, league as league
    from tourney._api.matches import MatchSummary as MatchSummary, play as play
    from tourney._api.playing import GateResult as GateResult, gate as gate, run as run
    from tourney._api.replays import Decision as Decision, Decisions as Decisions, MatchReplay as MatchReplay
    from tourney._api.replays import PlayedRecord as PlayedRecord
    from tourney._api.runs import Run as Run, VerifiedRecords as VerifiedRecords, load as load
    from tourney._api.tables import Standings as Standings
    from tourney._api.tables import rate as rate
    from tourney._api.training import checkpoints as checkpoints, gym as gym
    from tourney.base.errors import ActionError as ActionError, ClusterLostError as ClusterLostError
    from tourney.base.errors import ConfigError as ConfigError, CostLimitError as CostLimitError
    from tourney.base.errors import GameError as GameError, PluginError as PluginError
    from tourney.base.errors import RunError as RunError, ServiceError as ServiceError
    from tourney.base.errors import SystemLimitError as SystemLimitError
    from tourney.base.errors import TooManyFaultsError as TooManyFaultsError, TourneyError as TourneyError
    from tourney.base.errors import ViewError as ViewError, WriteError as WriteError
    from tourney.contracts.bot import ActionEstimate as ActionEstimate, Bot as Bot, Clock as Clock
    from tourney.contracts.bot import Noted as Noted, Outcome as Outcome, SeatFacts as SeatFacts
    from tourney.contracts.bot import UnavailableError as UnavailableError
    from tourney.contracts.cards import Deck as Deck
    from tourney.contracts.encoding import Vector as Vector
    from tourney.contracts.game import Game as Game, Observation as Observation, Options as Options
    from tourney.contracts.match import Record as Record
    from tourney.contracts.playouts import has_score as has_score, play_out as play_out
    from tourney.contracts.policies import LONGEST_PLAYOUT as LONGEST_PLAYOUT, Policy as Policy
    from tourney.contracts.policies import check_policy as check_policy
    from tourney.contracts.rng import below as below, permutation as permutation, pick as pick, shuffle as shuffle
    from tourney.contracts.state import Entry as Entry, State as State, places_by as places_by
    from tourney.contracts.view import View as View
    from tourney.contracts.wording import RoundWording as RoundWording, Wording as Wording
    from tourney.games.tricks import Deals as Deals, mask_of as mask_of
    from tourney.hosts.transport import Service as Service
    from tourney.journal.history import HistoryRow as HistoryRow
    from tourney.plugins.registry import bot_names as bot_names, game_names as game_names, load_game as load_game
    from tourney.plugins.registry import load_policy as load_policy
    from tourney.plugins.rules_pages import rules_text as rules_text
    from tourney.review.comparison import Comparison as Comparison, ComparisonRow as ComparisonRow
    from tourney.review.field import FieldRow as FieldRow
    from tourney.review.submissions import Submitted as Submitted
    from tourney.standings.duel import SeatPair as SeatPair
    from tourney.standings.ranking import StandingsRow as StandingsRow
    from tourney.table.describe import describe as describe
# fmt: on

_NAMES = {
    "_api.analyses": "AnalysedDecision Analysis",
    "_api.arguments": "RunProgress",
    "_api.comparing": "compare",
    "_api.leagues": "Field History League league",
    "_api.matches": "MatchSummary play",
    "_api.playing": "GateResult gate run",
    "_api.replays": "Decision Decisions MatchReplay PlayedRecord",
    "_api.runs": "Run VerifiedRecords load",
    "_api.tables": "Standings rate",
    "_api.training": "checkpoints gym",
    "base.errors": "ActionError ClusterLostError ConfigError CostLimitError GameError PluginError RunError "
    "ServiceError SystemLimitError TooManyFaultsError TourneyError ViewError WriteError",
    "contracts.bot": "ActionEstimate Bot Clock Noted Outcome SeatFacts UnavailableError",
    "contracts.cards": "Deck",
    "contracts.encoding": "Vector",
    "contracts.game": "Game Observation Options",
    "contracts.match": "Record",
    "contracts.playouts": "has_score play_out",
    "contracts.policies": "LONGEST_PLAYOUT Policy check_policy",
    "contracts.rng": "below permutation pick shuffle",
    "contracts.state": "Entry State places_by",
    "contracts.view": "View",
    "contracts.wording": "RoundWording Wording",
    "games.tricks": "Deals mask_of",
    "hosts.transport": "Service",
    "journal.history": "HistoryRow",
    "plugins.registry": "bot_names game_names load_game load_policy",
    "plugins.rules_pages": "rules_text",
    "review.comparison": "Comparison ComparisonRow",
    "review.field": "FieldRow",
    "review.submissions": "Submitted",
    "standings.duel": "SeatPair",
    "standings.ranking": "StandingsRow",
    "table.describe": "describe",
}
_MODULE_OF = {name: f"tourney.{module}" for module, names in _NAMES.items() for name in names.split()}


if not TYPE_CHECKING:  # for type checkers there are the names above, and no others
    __all__ = ["cards", *_MODULE_OF]  # noqa: PLE0604 - all are texts

    def __getattr__(name):
        """Imports a public name when it is first asked for."""
        from importlib import import_module  # noqa: PLC0415 - it takes a while

        if name in ("cards", "pettingzoo"):
            try:
                return import_module(f"tourney.{name}")
            except ImportError as error:  # an extra is missing, and `hasattr` expects this
                raise AttributeError(str(error)) from error
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'tourney' has no attribute '{name}'")
        globals()[name] = value = getattr(import_module(_MODULE_OF[name]), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
