"""Matches for the game checks: played at random, with the seeds of the deals fixed."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import orjson

from tourney.contracts.game import Game, State
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import derive, pick, root_seed


class BrokenContractError(AssertionError):
    """A game or a bot breaks its contract; the message is one line."""


class EndlessMatchError(BrokenContractError):
    """A match of the game does not end, so nothing more can be tried."""


def require(kept: bool, message: str) -> None:
    """Raises a `BrokenContractError` unless a part of the contract is kept."""
    if not kept:
        raise BrokenContractError(message)


class TriedTable(NamedTuple):
    """A game with a number of seats and with options, for the checks."""

    game: Game
    seats: int
    given: Mapping[str, Any]  # the values of options, as in a tournament file
    options: Any  # as the game's method `options` returns them

    @classmethod
    def of(cls, game: Game, seats: int, given: Mapping[str, Any]) -> "TriedTable":
        """The table with these options; raises a `ConfigError` if the game cannot be played so."""
        return cls(game, seats, given, game.options(seats, given))

    def started(self, seed: int) -> State:
        """A new match."""
        return self.game.start(self.seats, self.options, seed)

    def played(self, seed: int, player: int) -> State:
        """A match that was played to its end at random; `player` is the seed of the choices."""
        state = self.started(seed)
        self.play_out(state, Random(player))
        return state

    def midway(self, seed: int, rng: Random) -> State:
        """A match before its end, after a random number of random decisions."""
        whole = self.started(seed)
        self.play_out(whole, rng)
        actions = [entry[1] for entry in whole.log if isinstance(entry[0], int)]
        state = self.started(seed)
        for action in actions[: int(rng.random() * len(actions))]:
            state.apply(action)
        return state

    def play_out(self, state: State, rng: Random) -> None:
        """Plays a match to its end, every choice at random; raises an `EndlessMatchError` if it has none."""
        most = self.game.max_decisions(self.seats, self.options)
        if not play_out(state, lambda state, legal: any_action(state, legal, rng), most):
            raise EndlessMatchError(f"a match is not over after {most} decisions, the most by max_decisions")

    def views(self, state: State) -> list[dict[str, Any]]:
        """Each seat's view, as plain data."""
        return [state.view(seat).as_dict() for seat in range(self.seats)]

    def act_text(self, action: int) -> str:
        """An action as text, whatever it is."""
        names = self.game.names
        return names[action] if type(action) is int and 0 <= action < len(names) else repr(action)


def step(state: State, rng: Random) -> None:
    """Makes a random move."""
    legal = state.legal()
    state.play(any_action(state, legal, rng), legal)


def any_action(state: State, legal: Sequence[int], rng: Random) -> int:
    """One of the legal actions; there must be one."""
    require(len(legal) > 0, f"seat {state.seat} must decide, but no action is legal")
    return pick(legal, rng)


def deal_seeds(count: int, seed: int | str = 1) -> list[int]:
    """Seeds of deals, the same each time."""
    return [derive(root_seed(seed), "check", number) for number in range(count)]


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The first key in which two views differ, with both values; an empty text if they are equal."""
    for key in [*one, *[key for key in other if key not in one]]:
        if key not in one or key not in other or one[key] != other[key]:
            return f"{key} is {short(one.get(key))} in one, {short(other.get(key))} in the other"
    return ""


def short(value: Any) -> str:
    """A value for a message, in at most 60 characters."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def same_views(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]], message: str) -> None:
    """Requires that all seats see the same in two matches; the message goes before the difference."""
    for seat, (mine, yours) in enumerate(zip(one, other, strict=True)):
        require(mine == yours, f"{message}: in the view of seat {seat} {difference(mine, yours)}")
