"""The contract of a policy: a quick player of one game, which moves the seats in the playouts of bots that search.

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
    """Plays one seat of one game, quickly: a search asks it many thousand times.

    It decides by views alone and without randomness. A new one is made for each match, or in the middle of one.
    """

    name: ClassVar[str]
    """The name of its game."""
    horizon: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PLAYOUT)] = 60
    """After how many decisions a playout stops where there has been no score."""
    playouts: Number = 100
    """How many playouts a decision is worth in its game; `__init__` may set it by the number of seats, say."""
    gate: Errors = 1.0
    """By how many standard errors a search must find another action better than the policy's to prefer it.

    More where there are many actions and few playouts, as one of them soon looks better by chance.
    """
    drop: Errors = 0.5
    """By how many standard errors an action must be worse than the policy's to get no more playouts; `inf` for never.

    More where there are few playouts for each action, as a good one soon looks worse by chance.
    """
    chance: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.2
    """The share of random moves in playouts, so that what a search finds holds against other players as well.

    0 where a random move is nearly always a bad one.
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
