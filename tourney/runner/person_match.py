"""A match with a person at the table, and the run that it becomes: one match, in fixed seats."""

import os
import re
from collections.abc import Mapping, Sequence
from errno import EACCES
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import msgspec

from tourney import config
from tourney.base.errors import cannot_write
from tourney.config import Tournament
from tourney.config.gate_file import tournament_text
from tourney.config.loader import short_name
from tourney.contracts.match import Record
from tourney.hosts.base import PERSON_HOST
from tourney.hosts.notes import NoteTaker
from tourney.hosts.person import AskedPerson, Decide
from tourney.hosts.prints import LabelledHost
from tourney.journal import folder, signature, writer
from tourney.journal.notes import MatchNotes, NotesWriter
from tourney.journal.standings import count_run, write_standings
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.table import Began, play

NAME = "you"  # the name of the person
RUNS = Path("results")


class PersonMatch:
    """A match of a person against bots."""

    def __init__(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any],
        seat: int,
        against: Sequence[str],
        seed: int | str,
        is_open: bool = False,
    ) -> None:
        bots: dict[str, dict[str, Any]] = {NAME: {"name": NAME, "host": PERSON_HOST}}
        if is_open:
            bots[NAME]["host_options"] = {"open": True}
        for use in islice(cycle(against), seats - 1):
            stem = short_name(use)
            name = next(each for each in (stem, *[f"{stem}-{i}" for i in range(2, seats + 1)]) if each not in bots)
            bots[name] = {"name": name, "use": use}
        person, *others = bots.values()
        table = {"name": game, "seats": seats} | ({"options": dict(options)} if options else {})
        self._file = Path(f"play {game.replace('/', ' ')}")  # what messages name; paths are relative to its folder
        others.insert(seat, person)
        self._text = partial(tournament_text, others, [table], {}, seed=seed, deals=1, seatings="fixed")
        self.tournament, _ = self._named("play")
        self.seat = seat
        self.game = load_game(game)
        (block,) = schedule(self.tournament).blocks()
        (self.match,) = block.matches()
        self._notes = NoteTaker()  # what the bots note
        entrants = tuple([entrant for entrant in self.tournament.entrants if entrant.name != NAME])
        self._others = msgspec.structs.replace(self.tournament, entrants=entrants)
        config.examine_bots(self._others, self._file)

    def _named(self, name: str) -> tuple[Tournament, str]:
        """The tournament under a name, and the text of its file."""
        text = self._text(name=name)
        return config.of_text(text, self._file), text

    def play(self, decide: Decide, began: Began) -> Record:
        """Plays the match; what `decide` raises ends it."""
        hosts = config.create_hosts(self._others)
        try:
            factories = [
                AskedPerson(decide) if name == NAME else LabelledHost(hosts[name], name) for name in self.match.seats
            ]
            return play(self.match, self.game, factories, began=began, notes=self._notes)
        finally:
            for host in hosts.values():
                host.close()

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
            with writer.begin(path, text, config.manifest(tournament)) as journal:
                signature.sign(path, tournament)
                if (noted := MatchNotes.of(record.match, record.seats, self._notes)) is not None:
                    with NotesWriter(path) as notes:
                        notes.append(noted.line())
                journal.append(record.line())
                journal.sync()
                write_standings(path, count_run(path))
            return path
        raise AssertionError


def require_room() -> None:
    """Makes the folder of the runs if it is missing, before the match is played that would be lost without it."""
    folder.make(RUNS)
    if not os.access(RUNS, os.W_OK | os.X_OK):
        raise cannot_write(RUNS, PermissionError(EACCES, os.strerror(EACCES))).add(", or play in another folder")
