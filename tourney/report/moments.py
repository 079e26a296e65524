"""The moments of a match, each with what every seat sees."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from tourney.game import Game
from tourney.match import Record
from tourney.replay import MATCH_S, DifferenceError, Replay, Step, converted_failures, does_not_replay, in_time


class Moment(NamedTuple):
    """A match right before a decision, or at its end."""

    step: Step | None
    """The decision; None at the end."""
    views: list[dict[str, Any]]
    """What each seat sees, as JSON has it."""


def moments(record: Record, game: Game, most_s: float = MATCH_S) -> Iterator[Moment]:
    """Yields the moments of a match: one before each decision, and the end.

    Args:
        record: The record of the match.
        game: Its game.
        most_s: How long the game's code may take until the next moment, in seconds.

    Raises:
        RunError: The record does not hold, or the game fails.
        GameError: The game's code took longer.
    """
    try:
        with in_time(record, most_s):
            replay = Replay(record, game)
        steps = replay.steps()
        moment: Moment | None = None
        while moment is None or moment.step is not None:
            with in_time(record, most_s, lambda: replay.decision), converted_failures(game):
                step = next(steps, None)
                views = [_plain(replay.state.view(seat).as_dict()) for seat in range(len(record.seats))]
            moment = Moment(step, views)
            yield moment
    except DifferenceError as difference:
        raise does_not_replay(record, difference) from None


def _plain(view: dict[str, Any]) -> dict[str, Any]:
    """Returns a view with nothing in it but what JSON has, such as lists for tuples."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(view))
    return plain
