"""The moments of a match, each with what every seat sees."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from tourney.game import Game
from tourney.match import Record
from tourney.replay import MATCH_S, DifferenceError, Step, begun_replay, converted_failures, does_not_replay, in_time


class Moment(NamedTuple):
    """A match right before a decision, or at its end."""

    step: Step | None
    """The decision; None at the end."""
    views: list[dict[str, Any]]
    """What each seat sees, as JSON has it."""


def moments(record: Record, game: Game, most_s: float = MATCH_S) -> Iterator[Moment]:
    """Yields the moments of a match: one before each decision, and the end."""
    replay = begun_replay(record, game, most_s)
    steps = replay.steps()
    moment: Moment | None = None
    plain = _PlainViews()
    try:
        while moment is None or moment.step is not None:
            with in_time(record, most_s, lambda: replay.decision), converted_failures(game):
                step = next(steps, None)
                views = plain.of([replay.state.view(seat).as_dict() for seat in range(len(record.seats))])
            moment = Moment(step, views)
            yield moment
    except DifferenceError as difference:
        raise does_not_replay(record, difference) from None


class _PlainViews:
    """Makes views plain: with nothing in them but what JSON has, such as lists for tuples.

    What is the same for several seats, or as it was at the moment before, is the same object: most of a view is, and
    to read it anew each time took a third of the time for a page.
    """

    def __init__(self) -> None:
        self._last: dict[bytes, Any] = {}  # the values at the last moment, by their JSON

    def of(self, views: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the views of a moment, made plain."""
        values: dict[bytes, Any] = {}
        found = []
        for view in views:
            plain: dict[str, Any] = orjson.loads(orjson.dumps(dict.fromkeys(view)))
            for key, value in zip(plain, view.values(), strict=True):
                data = orjson.dumps(value)
                if data not in values:
                    values[data] = self._last[data] if data in self._last else orjson.loads(data)
                plain[key] = values[data]
            found.append(plain)
        self._last = values
        return found
