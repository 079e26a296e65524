"""`seer`: a search player for every game. docs/included.md describes it, and how strong it is.

For each decision it imagines matches that fit what it sees, plays actions out in each of them (`playouts`), gives the
promising ones more playouts (`budget`), and values the results (`values`). If the game has a policy, it moves all seats
in the playouts, and its own choice stands unless another action is better for sure. The budget is a number of playouts,
so decisions are the same on every machine.
"""

from collections.abc import Sequence
from math import inf
from typing import Annotated, Any, Literal

import msgspec

from tourney import LONGEST_PLAYOUT, ActionEstimate, Bot, Noted, Options, SeatFacts
from tourney_bots.seer.budget import Search, of_playouts, of_seconds
from tourney_bots.seer.playouts import Guides, Worlds
from tourney_bots.seer.values import chosen, estimate, values


class SeerOptions(Options, frozen=True):
    """Options of `seer`."""

    playouts: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The most playouts for a decision, but at least one for each action; by default the policy's number, or 100."""
    think_ms: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """How many milliseconds a decision gets instead. Its decisions may then vary."""
    depth: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PLAYOUT)] | None = None
    """After how many decisions a playout stops if there has been no score; by default as the policy says, or 60."""
    policy: bool = True
    """Whether it uses the policy for the game, if there is one; without, the moves of playouts are random."""
    draws: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """From how many imagined matches a world is taken, by the policy's likelihood; by default as it says, or 1."""
    chance: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """The share of random moves in playouts, 0 to 1; the others are the policy's. By default as it says, or 0.2."""
    budget: Literal["even", "halving"] = "halving"
    """Which actions get the playouts: all as many, or again and again only the better half of them."""
    drop: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """By how many standard errors an action must be worse than the policy's to get no more playouts.

    By default as the policy says, or 0.5. Without a policy the best action so far is in its place, and by default no
    action is dropped.
    """
    gate: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """By how many standard errors another action must be better than the policy's; by default as it says, or 1."""


class Seer(Bot):
    """A search player: imagines matches that fit its view, and plays actions out."""

    Options = SeerOptions

    def __init__(self, options: SeerOptions) -> None:
        self._options = options

    def start(self, facts: SeatFacts) -> None:
        """Takes the rules, its seat, the random numbers of its seat, and the policy for the game."""
        self.facts = facts
        self._guides = Guides(facts, self._options.policy, self._options.chance)
        self._gate = self._guides.own.gate if self._options.gate is None else self._options.gate

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """The policy's action, or one that is better for sure; without a policy the best one.

        After a search, it notes the expected value, the number of playouts, and the next best action.
        """
        guide = self._guides.choice(view, legal)
        if len(legal) == 1:
            return legal[0]
        if guide is not None and self._guides.own.settles(view):
            return guide
        candidates = self._guides.candidates(view, legal, guide)
        if len(candidates) == 1:
            return candidates[0]
        endings = self._searched(view, candidates, guide)
        rated = {action: estimate(action, shares) for action, shares in endings.items()}
        first = chosen(endings, guide, self._gate)
        after = max([each for action, each in rated.items() if action != first], key=lambda each: each.mean)
        playouts = sum([each.playouts for each in rated.values()])
        best, text = rated[first].mean / 100, self.facts.game.text(after.action)
        return Noted(first, value=best, playouts=playouts, next_best=text, next_value=after.mean / 100)

    def estimates(self, view: Any, legal: Sequence[int]) -> list[ActionEstimate]:
        """How good each action that it looks at is, the one that `act` takes first, and then the best first."""
        guide = self._guides.choice(view, legal)
        endings = self._searched(view, self._guides.candidates(view, legal, guide), guide)
        first = chosen(endings, guide, self._gate)
        if guide is not None and self._guides.own.settles(view):
            first = guide
        rated = [estimate(action, shares) for action, shares in endings.items()]
        return sorted(rated, key=lambda each: (each.action != first, -each.mean))

    def _searched(self, view: Any, actions: Sequence[int], guide: int | None) -> dict[int, list[float]]:
        options = self._options
        own, facts = self._guides.own, self.facts
        depth, draws = options.depth or own.horizon, options.draws or own.draws
        worlds = Worlds(facts.game, view, facts.rng, depth, draws, own.likelihood)
        search = Search(worlds, self._guides, facts.seat, actions)
        think_ms = options.think_ms
        budget = of_playouts(options.playouts or own.playouts) if think_ms is None else of_seconds(think_ms / 1000)
        if options.budget == "even":
            search.spread(budget)
        else:
            drop = inf if guide is None else own.drop
            search.halve(budget, guide, drop if options.drop is None else options.drop)
        return values(search.endings)
