"""The contract of a policy: a quick player of one game, by which bots that search move the seats in their playouts.

An entry point of the group `tourney.policies` brings one. Its name is that of the game, and so is the `name` of the
class:

    [project.entry-points."tourney.policies"]
    mole = "molegame.policy:MolePolicy"
"""

from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar, NamedTuple, Self

from tourney.base.errors import PluginError, type_name
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import State


class _Bounds(NamedTuple):
    whole: bool
    least: float
    most: float
    text: str


LONGEST_PLAYOUT = 10_000
"""After how many decisions a playout stops at the latest, as all its luck is drawn before it."""
_WHOLE = _Bounds(True, 1, inf, "a whole number from 1 on")
_ERRORS = _Bounds(False, 0, inf, "a number from 0 on")
BOUNDS = {
    "horizon": _Bounds(True, 1, LONGEST_PLAYOUT, f"a whole number from 1 to {LONGEST_PLAYOUT:,}"),
    "playouts": _WHOLE,
    "draws": _WHOLE,
    "gate": _ERRORS,
    "drop": _ERRORS,
    "chance": _Bounds(False, 0, 1, "a number from 0 to 1"),
}
"""What each attribute may be, by name; NaN is none of it."""


def refusal(policy: Any) -> str | None:
    """Returns what is wrong with an attribute of a policy and what it may be, or None if nothing is.

    Args:
        policy: A policy, or its class, in which an attribute may be a property.
    """
    for name, bounds in BOUNDS.items():
        value = getattr(policy, name)
        if isinstance(policy, type) and hasattr(value, "__get__"):
            continue
        if isinstance(value, bool) or not isinstance(value, int if bounds.whole else int | float):
            return f"{name} is of the type {type_name(value)}; make it {bounds.text}"
        if not bounds.least <= value <= bounds.most:
            return f"{name} is {value}; make it {bounds.text}"
    return None


class Policy:
    """Plays one seat of one game, quickly: it is asked many thousand times in a search.

    It decides by views alone, draws no lots, and is made anew for each match, or in the middle of one.
    """

    name: ClassVar[str]
    """The name of its game."""
    horizon: int = 60
    """After how many decisions a playout has told what it can, where there has been no score.

    `LONGEST_PLAYOUT` at the most.
    """
    playouts: int = 100
    """How many playouts a decision is worth in its game; `__init__` may set it by the number of seats, say."""
    gate: float = 1.0
    """By how many standard errors a search must find another action better than the policy's to take it instead.

    More where there are many actions and few playouts, as then one of them is soon better by chance.
    """
    drop: float = 0.5
    """By how many standard errors an action must be worse than the policy's to get no more playouts.

    More where there are few playouts for each action, as then a good one soon looks worse by chance; `inf` for never.
    """
    chance: float = 0.2
    """The share of random moves in playouts, 0 to 1, so that what a search finds holds against others as well.

    0 where a random move is nearly always a bad one.
    """
    draws: int = 1
    """From how many imagined matches a search takes each world, by their `likelihood`."""

    def __init__(self, facts: SeatFacts) -> None:
        """Takes the facts of its seat."""

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns one of the legal actions.

        Raises:
            NotImplementedError: A subclass has to decide.
        """
        raise NotImplementedError

    def candidates(self, view: Any, legal: Sequence[int]) -> Sequence[int]:
        """Returns the actions that are worth a search, of those that are legal. Optional; all of them by default.

        The fewer there are, the more playouts each of them gets.
        """
        return legal

    def likelihood(self, state: State) -> float:
        """Returns how likely an imagined match is by what the others have done, in comparison with others. Optional.

        It is asked after `act` or `watch` has seen the position in which the match was imagined, if `draws` is above 1.
        """
        return 1.0

    def settles(self, view: Any) -> bool:
        """Returns whether a search would find nothing better, so that it may be spared. Optional."""
        return False

    def watch(self, view: Any) -> None:
        """Takes in what all seats have seen, from the view of any seat. Optional, for policies that remember it."""

    def copy(self) -> Self:
        """Returns a policy that goes on by itself from here, for one playout.

        A policy that remembers what its seat was shown has to return another one, which may have to learn it again.
        """
        return self


def check_policy(policy: Policy) -> None:
    """Checks the attributes of a policy that was made for a match, whose `__init__` may have set them.

    Raises:
        PluginError: One of them is not what it may be.
    """
    if (wrong := refusal(policy)) is not None:
        raise PluginError(f'policy "{policy.name}": {type_name(policy)}: {wrong}')
