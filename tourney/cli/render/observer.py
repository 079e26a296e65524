"""What a seat learns of the decisions of others, found out by its views alone.

An action of another seat is what the seat's view afterwards calls it. Where the view does not name it, it is known as
far as the view tells it from what might have been done instead. So a knife looks like a trade, a discard is a discard
of something, a secret bid is known once it is shown, and a decision that changes nothing in sight is not noticed. No
game has to say so.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tourney.game import Game, State, View
from tourney.replay import Step

WORLDS = 8
"""So many imagined matches are asked what another seat might have done, where it had no choice."""
KEPT = 100
"""What is still not known after so many decisions stays so."""


class Secret(NamedTuple):
    """An action that is not known yet."""

    decision: int
    seat: int
    text: str
    others: list[State]
    """The match as it would be with another action there, as long as it looks the same."""
    shown: bool
    """Whether something has looked different since."""


class Sight(NamedTuple):
    """What a seat sees when a decision is made."""

    action: str | None
    """The action, or what may have been it; None if the seat notices nothing."""
    shown: list[Secret]
    """Earlier actions that it learns now."""


class Witness:
    """One seat, following a match."""

    def __init__(self, game: Game, seat: int) -> None:
        """It has seen nothing yet."""
        self._game = game
        self._seat = seat
        self._secrets: list[Secret] = []

    def sees(self, step: Step) -> Sight:
        """What the seat sees of the next decision."""
        after = _after(step.state, step.action)
        seen = after.view(self._seat)
        shown = self._shown(step, seen)
        text = self._game.text(step.action)
        if step.seat == self._seat:
            return Sight(text, shown)
        before = step.state.view(self._seat)
        alike = self._alike(step.state, step.action, step.legal, seen)
        dealt = any([entry[0] == "deal" for entry in after.log])
        guessed = self._guessed(step, before, None if dealt else seen)
        named = self._named(text, before, seen)
        if alike and named != text:
            # what is guessed is in other deals, which would look otherwise for other reasons
            self._secrets.append(Secret(step.decision, step.seat, text, list(alike.values()), shown=False))
        if seen == before:
            return Sight(None, shown)
        actions = [step.action, *alike, *guessed]
        return Sight(named or _one_of([self._game.text(action) for action in actions]), shown)

    def _named(self, text: str, before: View, seen: View) -> str | None:
        """What the view calls the action, if it does."""
        new = Counter(_strings(seen.as_dict())) - Counter(_strings(before.as_dict()))
        actions = [string for string in new if ":" in string and string in self._game.names]
        if text in actions:
            return text
        return actions[0] if len(actions) == 1 else None

    def _alike(self, state: State, taken: int, legal: Sequence[int], seen: View) -> dict[int, State]:
        """The other actions after which the seat would see the same, with the match after each."""
        others = {action: _after(state, action) for action in legal if action != taken}
        return {action: after for action, after in others.items() if after.view(self._seat) == seen}

    def _guessed(self, step: Step, before: View, seen: View | None) -> list[int]:
        """What the other seat, where it had no choice, might have done with other cards.

        With `seen`, only what would have looked the same. After a new deal nothing does.
        """
        if len(step.legal) > 1 and step.action in step.legal:
            return []
        rng = Random(step.decision)
        worlds = [self._game.imagine(before, rng) for _ in range(WORLDS)]
        fitting = [world for world in worlds if world.seat == step.seat]
        if seen is None:
            return [action for world in fitting for action in world.legal()]
        return [action for world in fitting for action in self._alike(world, step.action, world.legal(), seen)]

    def _shown(self, step: Step, seen: View) -> list[Secret]:
        """Takes the matches that might have been a decision further; the secrets that are none any more."""
        kept, shown = [], []
        for secret in self._secrets:
            alive = [state for state in secret.others if state.seat == step.seat and step.action in state.legal()]
            for state in alive:
                state.apply(step.action)
            same = [state for state in alive if state.view(self._seat) == seen]
            now = secret._replace(others=same, shown=secret.shown or len(same) < len(alive))
            if same and step.decision < secret.decision + KEPT:
                kept.append(now)
            elif not same and now.shown:
                shown.append(now)
        self._secrets = kept
        return shown


def _after(state: State, action: int) -> State:
    after = state.copy()
    after.apply(action)
    return after


def _strings(value: Any) -> list[str]:
    """Every text in a view."""
    found: list[str] = []
    inner = [value]
    while inner:
        match inner.pop():
            case str() as text:
                found.append(text)
            case dict() as table:
                inner += table.values()
            case list() as items:
                inner += items
    return found


def _one_of(texts: Sequence[str]) -> str:
    """One of these actions, without what would tell which cards the other seat has: `bury:?`, `knife:1 or trade:1`."""
    kinds: dict[str, set[str]] = {}
    for text in sorted(texts):
        kinds.setdefault(text.partition(":")[0], set()).add(text)
    return " or ".join([f"{kind}:?" if len(those) > 1 else those.pop() for kind, those in kinds.items()])
