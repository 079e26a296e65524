"""The policy contract: a quick player of one game, which moves the seats in the playouts of bots that search.

An entry point of the group `tourney.policies` declares one, under the name of its game:

    [project.entry-points."tourney.policies"]
    mole = "molegame.policy:MolePolicy"
"""

from collections.abc import Sequence
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import msgspec

from tourney.base.errors import PluginError, type_name
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import State

LONGEST_PLAYOUT = 10_000
"""The largest number of decisions of a playout, whose randomness is drawn before it."""
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Errors: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class Policy:
    """A fast player for one game, used in playouts: a search asks it many thousand times.

    It decides by views alone and without randomness. A new one is made for each match, or in the middle of one.
    """

    name: ClassVar[str]
    """The name of its game."""
    horizon: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PLAYOUT)] = 60
    """The number of decisions after which a playout stops if there has been no score."""
    playouts: Number = 100
    """How many playouts a decision is worth in its game; `__init__` may set it, for example by the number of seats."""
    gate: Errors = 1.0
    """By how many standard errors a search must find another action better than the policy's to prefer it.

    Higher if there are many actions and few playouts, because one of them soon looks better by chance.
    """
    drop: Errors = 0.5
    """By how many standard errors an action must be worse than the policy's to get no more playouts; `inf` for never.

    Higher if there are few playouts for each action, because a good one soon looks worse by chance.
    """
    chance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.2
    """The share of random moves in playouts, so a search's result also holds against other players.

    0 if a random move is nearly always a bad one.
    """
    draws: Number = 1
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
        """The legal actions that are worth a search; the fewer, the more playouts each gets. Optional; default all."""
        return legal

    def likelihood(self, state: State) -> float:
        """Returns an imagined match's relative likelihood, judged by the others' actions. Optional.

        It is called after `act` or `watch` has seen the imagined position, if `draws` is above 1.
        """
        return 1.0

    def settles(self, view: Any) -> bool:
        """Returns whether a search would find nothing better, and can be skipped. Optional."""
        return False

    def watch(self, view: Any) -> None:
        """Takes in public information, from the view of any seat. Optional, for policies that remember it."""

    def copy(self) -> Self:
        """Returns an independent policy that continues from here, for one playout.

        A policy that remembers its seat's views has to return a new one, which may have to see them again.
        """
        return self


def refusal(policy: Any) -> str | None:
    """Returns which attribute of a policy has a wrong value, and why; None if all are right.

    Args:
        policy: A policy, or its class, in which an attribute may be a property.
    """
    for name, kind in get_annotations(Policy).items():
        value = getattr(policy, name, None)  # the policy of no game has no name
        if name == "name" or (isinstance(policy, type) and hasattr(value, "__get__")):
            continue
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            return f"{name} is {value!r}: {error}"
    return None


def check_policy(policy: Policy) -> None:
    """Checks the attributes of a policy, which its `__init__` may have set for the match.

    Raises:
        PluginError: One of them has a wrong value.
    """
    if (wrong := refusal(policy)) is not None:
        raise PluginError(f'policy "{policy.name}": {type_name(policy)}: {wrong}; fix it')
