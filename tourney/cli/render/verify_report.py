"""The report of `tourney verify --bots`: what every bot of a run does when it is asked again."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from tourney.config import Tournament
from tourney.debugging.bots import RunBots
from tourney.debugging.recheck import Difference, recheck
from tourney.match import Record
from tourney.plugins import load_game
from tourney.schedule.base import schedule


class RecheckReport:
    """Collects, match by match, what the bots do when they are asked again."""

    def __init__(self, tournament: Tournament, bots: RunBots) -> None:
        """Loads all bots.

        Raises:
            PluginError: A bot cannot be loaded.
        """
        self._bots = bots
        self._schedule = schedule(tournament)
        self._makers = {name: bots.factory(name) for name in tournament.names}
        self._matches = dict.fromkeys(tournament.names, 0)
        self._first: dict[str, tuple[Record, Difference]] = {}
        self._differ = dict.fromkeys(tournament.names, 0)

    @property
    def differ(self) -> bool:
        """Whether some bot decided differently."""
        return bool(self._first)

    def add(self, record: Record) -> None:
        """Asks the bots of a match again; what they print goes to stderr."""
        with redirect_stdout(sys.stderr):
            makers = [self._makers[name] for name in record.seats]
            found = recheck(record, load_game(record.game), makers, self._schedule.block_names(record.seats))
        for name, difference in zip(record.seats, found, strict=True):
            self._matches[name] += 1
            if difference is not None:
                self._differ[name] += 1
                self._first.setdefault(name, (record, difference))

    def lines(self, run: Path) -> Iterator[str]:
        """Yields a line for each bot; for one that decided differently, further lines say where and perhaps why."""
        width = max([len(name) for name in self._makers])
        for name, matches in self._matches.items():
            changed = self._bots.changed(name)
            if name not in self._first:
                note = ", though its source has changed" if changed else ""
                yield f"{name:{width}}  does all of it again in {matches} matches{note}"
                continue
            record, difference = self._first[name]
            yield f"{name:{width}}  differs in {self._differ[name]} of {matches} matches, first in {record.match},"
            yield f"  decision {difference.decision}: now {difference.now}; recorded {difference.recorded}"
            if changed:
                yield "  its source has changed since the run"
            else:
                yield "  its source is that of the run: it goes by more than its views and its rng"
            if difference.decision <= record.actions.count(" ") + 1:
                yield f"  tourney debug {run} {record.match} {difference.decision}"
