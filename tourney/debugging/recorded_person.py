"""A person of a recorded match, who cannot be asked again."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tourney import plugins
from tourney.bot import Bot, SeatFacts
from tourney.debugging.analysis_bots import substitute
from tourney.game import Game
from tourney.match import Record
from tourney.replay import MATCH_S, walk


class RecordedPerson(Bot):
    """Decides as a person did for as long as the seat sees the same; from then on, another bot decides."""

    def __init__(self, decisions: Sequence[tuple[Any, int]], other: Bot) -> None:
        """Takes what the seat saw at each decision with the action of the person, and the other bot."""
        self._decisions = decisions
        self._other = other
        self._decided = 0
        self._is_same = True

    def start(self, facts: SeatFacts) -> None:
        """Starts the other bot, too."""
        super().start(facts)
        self._other.start(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the recorded action, or that of the other bot."""
        number, self._decided = self._decided, self._decided + 1
        if self._is_same and number < len(self._decisions):
            seen, action = self._decisions[number]
            if view.as_dict() == seen:
                return action
        self._is_same = False
        return self._other.act(view, legal)


def recorded_person(
    record: Record, game: Game, seat: int, most_s: float = MATCH_S
) -> tuple[str, Callable[[], RecordedPerson]]:
    """Returns who decides for a person once the match is another one, and what makes the bot for the person's seat.

    `most_s` is how long the code of the game may take, in seconds.
    """
    decisions = [
        (found.view.as_dict(), found.step.action)
        for found in walk(record, game, most_s=most_s)
        if found.step is not None and found.step.seat == seat
    ]
    name = substitute(record.game)
    make_other = plugins.load_bot(name, Path()).maker({}, name)
    return name, partial(_make, decisions, make_other)


def _make(decisions: Sequence[tuple[Any, int]], make_other: Callable[[], Bot]) -> RecordedPerson:
    return RecordedPerson(decisions, make_other())
