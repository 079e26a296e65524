"""A match while it is played, event by event, as everyone or as one seat sees it.

It is played again beside the table, from the table's log, so that each event comes with the match as it was.
"""

from collections.abc import Iterator, Sequence

from tourney.contracts.game import Entry, Game
from tourney.contracts.match import Fault, Match, Record, options_of
from tourney.contracts.rng import seed_text
from tourney.table.replay import EventReader, ReplayEvent, Step


class LiveMatch:
    """A match that is being played, for a display of it."""

    def __init__(
        self, match: Match, game: Game, seat: int | None, log: Sequence[Entry], faults: Sequence[Fault]
    ) -> None:
        options, _ = options_of(match.setup, game)
        self.state = game.start(match.setup.seats, options, match.seed)
        """The match as far as `news` has shown it."""
        self.decisions = 0
        self._log, self._faults = log, faults
        self._read = 0  # how many entries of the log at the table
        self._events = EventReader(game, seat)

    def news(self) -> Iterator[ReplayEvent]:
        """What has happened since the last call; exhaust it before the match goes on."""
        state = self.state
        yield from self._events.read(state, None, None, len(state.log) if not self.decisions else self._events.done)
        while self._read < len(self._log):
            entry = self._log[self._read]
            self._read += 1
            if isinstance(entry[0], int):
                yield from self._decision(*entry)

    def _decision(self, seat: int, action: int, legal: Sequence[int]) -> Iterator[ReplayEvent]:
        """Makes a decision of the table, and yields it with all that follows from it."""
        state = self.state
        self.decisions += 1
        fault = next((each for each in self._faults if each.decision == self.decisions and each.seat == seat), None)
        by_house = any([each.seat == seat and each.decision <= self.decisions for each in self._faults])
        step = Step(self.decisions, seat, action, tuple(legal), fault, by_house, state)
        view = state.view(seat)
        state.play(action, step.legal)
        yield from self._events.read(state, step, view, len(state.log))


def unfinished_record(match: Match, game: Game, log: Sequence[Entry] = (), faults: Sequence[Fault] = ()) -> Record:
    """The record of a match as far as it was played, by the table's log: it has neither scores nor places."""
    setup = match.setup
    actions = " ".join([game.text(action) for seat, action, *_ in log if isinstance(seat, int)])
    return Record(
        match.id, setup.game, setup.options, match.block, seed_text(match.seed), match.seats,
        actions, (), (), tuple(faults), "",
    )  # fmt: skip
