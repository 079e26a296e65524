"""A match with people at the table, and the resulting run: one match, in fixed seats."""

import os
import re
from collections.abc import Mapping, Sequence
from errno import EACCES
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import msgspec

from tourney import config
from tourney.base.errors import cannot_write
from tourney.config import Tournament
from tourney.config.loader import short_name
from tourney.config.writing import tournament_text
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import Record
from tourney.contracts.wording import YOU
from tourney.hosts.base import PERSON_HOST
from tourney.hosts.notes import NoteTaker
from tourney.hosts.person import AskedPerson, Decide
from tourney.hosts.prints import LabelledHost
from tourney.journal import folder
from tourney.journal.notes import MatchNotes, NotesWriter
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run, write_standings
from tourney.plugins.registry import load_game
from tourney.runner.run import RunPlan
from tourney.schedule.base import schedule
from tourney.table.describe import situation
from tourney.table.sentences import deciding, phrases, seat_names
from tourney.table.table import Began, play

NAME = YOU  # the default name of a person
RUNS = Path("results")


class PersonMatch:
    """A match of people, in adjacent seats from a given one on, against bots."""

    def __init__(
        self, game: str, seats: int, options: Mapping[str, Any], seat: int, against: Sequence[str], seed: int | str,
        is_open: bool = False, people: Sequence[str] = (NAME,),
    ) -> None:  # fmt: skip
        self.people = {(seat + i) % seats: name for i, name in enumerate(people)}
        host = {"host": PERSON_HOST} | ({"host_options": {"open": True}} if is_open else {})
        uses = cycle(against)
        entrants: dict[str, dict[str, Any]] = {}
        for number in range(seats):
            if (person := self.people.get(number)) is not None:
                entrants[person] = {"name": person} | host
                continue
            stem = short_name(use := next(uses))
            names = (stem, *[f"{stem}-{i}" for i in range(2, seats + 1)])
            name = next(each for each in names if each not in entrants and each not in people)
            entrants[name] = {"name": name, "use": use}
        table = {"name": game, "seats": seats} | ({"options": dict(options)} if options else {})
        self._file = Path(f"play {game.replace('/', ' ')}")  # for messages; paths are relative to its folder
        self._text = partial(tournament_text, [*entrants.values()], [table], {}, seed=seed, deals=1, seatings="fixed")
        self.tournament, _ = self._named("play")
        self.game = load_game(game)
        (block,) = schedule(self.tournament).blocks()
        (self.match,) = block.matches()
        self._names = seat_names(self.match.seats)
        self._notes = NoteTaker()
        others = tuple([each for each in self.tournament.entrants if each.has_bots])
        self._others = msgspec.structs.replace(self.tournament, entrants=others)
        config.examine_bots(self._others, self._file)

    def _named(self, name: str) -> tuple[Tournament, str]:
        text = self._text(name=name)
        return config.of_text(text, self._file), text

    def play(self, decide: Decide, began: Began) -> Record:
        """Plays the match; an exception in `decide` aborts it, unless it is a `ChargedError`."""
        hosts = config.create_hosts(self._others)

        def choose(facts: SeatFacts, view: Any, legal: Sequence[int]) -> int:
            return legal[0] if len(legal) == 1 else decide(facts, view, legal)

        try:
            factories = [
                AskedPerson(choose) if seat in self.people else LabelledHost(hosts[name], name)
                for seat, name in enumerate(self.match.seats)
            ]
            return play(self.match, self.game, factories, began=began, notes=self._notes)
        finally:
            for host in hosts.values():
                host.close()

    def situation(self, view: Any) -> list[str]:
        """A person's view in sentences, if the game has words for it."""
        return situation(view, self.game, self._names.__getitem__)

    def called(self, view: Any, legal: Sequence[int]) -> dict[int, str]:
        """A person's legal actions in words."""
        words = phrases(legal, view, self.game, self._names.__getitem__)
        return {action: phrase.text for action, phrase in zip(legal, words, strict=True)}

    def deciding(self, view: Any) -> str:
        """A sentence about the seat that a person waits for."""
        return deciding(view, self.game, self._names)

    def write_run(self, record: Record) -> Path:
        """Writes the match as a finished run into the next free folder, and returns the folder."""
        base = re.sub(r"[^\w.+-]", "-", f"play-{self.match.setup.game}")
        for number in count(1):
            path = RUNS / f"{base}-{number}"
            try:
                path.mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise cannot_write(path, error) from None
            tournament, text = self._named(path.name)
            with RunPlan(tournament, text, path, kind="play").opened() as journal:
                if (noted := MatchNotes.of(record.match, record.seats, self._notes)) is not None:
                    with NotesWriter(path) as notes:
                        notes.append(noted.line())
                journal.append(record.line())
                journal.sync()
                write_standings(path, count_run(RunFolder(path)))
            return path
        raise AssertionError


def require_room() -> None:
    """Creates the results folder before the match, which could not be saved without it."""
    folder.make(RUNS)
    if not os.access(RUNS, os.W_OK | os.X_OK):
        raise cannot_write(RUNS, PermissionError(EACCES, os.strerror(EACCES))).add(", or play in another folder")
