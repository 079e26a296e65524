"""The bots of a run asked again, match by match, and what is told about each of them."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from tourney.config import Tournament
from tourney.debugging.bots import RunBots
from tourney.debugging.recheck import Difference, recheck
from tourney.match import Record
from tourney.plugins import load_game


class Rehearsals:
    """What comes of asking the bots again."""

    def __init__(self, tournament: Tournament, bots: RunBots) -> None:
        """Loads all bots; a `PluginError` where one cannot be."""
        self._bots = bots
        self._makers = {name: bots.factory(name) for name in tournament.names}
        self._matches = dict.fromkeys(tournament.names, 0)
        self._first: dict[str, tuple[Record, Difference]] = {}
        self._differ = dict.fromkeys(tournament.names, 0)

    @property
    def differ(self) -> bool:
        """Whether some bot did something otherwise."""
        return bool(self._first)

    def add(self, record: Record) -> None:
        """Asks the bots of a match; what they print goes to stderr."""
        with redirect_stdout(sys.stderr):
            found = recheck(record, load_game(record.game), [self._makers[name] for name in record.seats])
        for name, difference in zip(record.seats, found, strict=True):
            self._matches[name] += 1
            if difference is not None:
                self._differ[name] += 1
                self._first.setdefault(name, (record, difference))

    def told(self, run: Path) -> Iterator[str]:
        """A line for each bot; where it did something otherwise, three: what first, why that may be, how to see it."""
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
