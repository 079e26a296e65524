"""The report of `tourney verify --bots`: what every bot of a run does when it is asked again."""

from collections.abc import Iterator
from pathlib import Path

from tourney.cli.render.look_commands import LookCommands
from tourney.debugging.bots import RunBots
from tourney.debugging.recheck import Difference
from tourney.verify import VerifiedLine
from tourney.wording import counted


class RecheckReport:
    """Collects, match by match, what the bots do when they are asked again."""

    def __init__(self, bots: RunBots, folder: Path | None) -> None:
        """Has no match yet; `folder` is where the files of the bots were said to be."""
        self._bots = bots
        self._folder = folder
        names = bots.tournament.names
        self._matches = dict.fromkeys(names, 0)
        self._first: dict[str, tuple[VerifiedLine, Difference]] = {}
        self._differ = dict.fromkeys(names, 0)

    @property
    def differ(self) -> bool:
        """Whether some bot decided differently."""
        return bool(self._first)

    def add(self, line: VerifiedLine) -> None:
        """Counts a match, if its bots were asked again; they are not where it seats others than the entrants."""
        if line.differences is None:
            return
        for name, difference in zip(line.seats, line.differences, strict=True):
            self._matches[name] += 1
            if difference is not None:
                self._differ[name] += 1
                self._first.setdefault(name, (line, difference))

    def lines(self, run: Path) -> Iterator[str]:
        """Yields a line for each bot; for one that decided differently, further lines say where and perhaps why."""
        width = max(map(len, self._matches))
        commands = LookCommands(run, self._bots.tournament, self._folder)
        for name, matches in self._matches.items():
            if not self._bots.has_bot(name):
                yield f"{name:{width}}  is a person, who is not asked again"
                continue
            changed = self._bots.changed(name)
            if name not in self._first:
                note = ", though its source has changed" if changed else ""
                yield f"{name:{width}}  does all of it again in {counted(matches, 'match', 'matches')}{note}"
                continue
            line, difference = self._first[name]
            of = f"{self._differ[name]} of {counted(matches, 'match', 'matches')}"
            yield f"{name:{width}}  differs in {of}, first in {line.match},"
            yield f"  decision {difference.decision}: now {difference.now}; recorded {difference.recorded}"
            if changed:
                yield "  its source has changed since the run"
            else:
                yield "  its source is that of the run: it goes by more than its views and its rng"
            if difference.decision <= line.decisions:
                yield f"  {commands.decision(name, line.match, difference.decision)}"
