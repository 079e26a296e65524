"""Bots submitted to a league: copied into its folder, checked as they will play, and entered or refused."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from tourney import config
from tourney.base.errors import EXIT_ENDED_EARLY, ConfigError, RunError, TourneyError, cannot_write, one_line
from tourney.config import Entrant, Tournament
from tourney.config.names import validate_names
from tourney.contracts.match import Block
from tourney.contracts.rng import derive
from tourney.journal import folder
from tourney.journal.events import Event, EventLog
from tourney.plugins import bot_imports, registry
from tourney.plugins.fingerprints import Fingerprint, files_of
from tourney.review import bot_check
from tourney.runner.league import BOTS, field_of, newer, now, present, tournament_of, unplayable_reason, version
from tourney.runner.pool.local import LocalPool
from tourney.schedule.league import base_name

SYSTEM = ("/usr", "/bin", "/lib", "/opt", "/etc")
"""The folders of the machine's files, which are not part of a command's bot."""
CHECK_LOG = "check.txt"
MOST_STDERR = 1 << 16
"""The number of bytes of a bot's stderr in the log of its check."""


class Submitted(NamedTuple):
    """The outcome of a submission."""

    name: str
    """With its version; the existing one if nothing was added."""
    state: str
    """`entered`, `refused`, or `there already`."""
    why: str = ""
    block: int = 0
    """Where an entered bot starts: in the first round that begins with this block or a later one."""
    taken: tuple[str, ...] = ()
    """The files copied along, because the bot's file imports them from its own folder."""


class Source(NamedTuple):
    """A submission's source: a table for `[[bot]]`, and the files to copy."""

    table: dict[str, Any]
    unit: Path | None = None
    """The bot's file or folder; None for an installed bot."""
    beside: Sequence[Path] = ()
    """The files that a bot's file imports from its own folder, or from below."""
    file: str = ""
    """The bot's file or folder within the unit, if it is only a part of it."""

    @property
    def taken(self) -> tuple[str, ...]:
        """The names of the files copied along, relative to the bot's folder."""
        if self.unit is None:
            return ()
        others = [file for file in files_of(self.unit) if file != self.unit / self.file] if self.file else self.beside
        return tuple([str(file.relative_to(self.unit.parent)) for file in others])


def source_of(bot: str, is_command: bool) -> Source:
    """Finds a submission's source: a plugin's name, FILE.py:NAME, FOLDER:NAME or, as a command, a program's words."""
    if not (is_command or (os.path.isfile(bot) and os.access(bot, os.X_OK))):
        unit = registry.bot_unit(bot, Path())
        if unit is None:
            return Source({"use": bot})
        file = Path(registry.file_and_name(bot)[0]).resolve().relative_to(unit)
        return Source({"use": bot}, unit, _beside(unit) if unit.is_file() else (), "" if file == Path() else str(file))
    try:
        words = shlex.split(bot)
    except ValueError as error:
        raise ConfigError(f"{bot}: not a command line ({error}); fix its quotes") from None
    words = [os.path.abspath(word) if _is_python(word) else word for word in words]
    own = [
        word
        for word in words
        if os.path.isfile(word) and not (_is_python(word) or os.path.abspath(word).startswith(SYSTEM))
    ]
    if not own:
        raise ConfigError(f"{bot}: no word is a file of the bot; give the path of the program, as in ./rusty/rusty")
    around = Path(own[0]).parent.resolve()
    if (package := bot_imports.unit_of(Path(own[0]).resolve()).root).is_dir():
        return Source({"command": words}, package)
    return Source({"command": words}, Path(own[0]) if around == Path.cwd() else around)


def _is_python(word: str) -> bool:
    """Whether a word is a virtual environment's program, which stays in place."""
    return os.path.isfile(word) and os.path.isfile(Path(word).absolute().parent.parent / "pyvenv.cfg")


def _beside(file: Path) -> list[Path]:
    """The files that a Python file imports from its own folder, directly or not: modules, and whole packages.

    Nothing is run: only the import statements are read.
    """
    files: dict[Path, None] = {}
    modules = [file]
    for module in modules:  # which grows
        for name in _imported(module, len(module.parent.relative_to(file.parent).parts) + 1):
            package, single = file.with_name(name), file.with_name(f"{name}.py")
            path = package if (package / "__init__.py").is_file() else single
            if path.exists() and path.resolve().is_relative_to(file.parent):
                new = [each for each in files_of(path) if each not in files]
                files |= dict.fromkeys(new)
                modules += [each for each in new if each.suffix == ".py"]
    return sorted(files)


def _imported(module: Path, depth: int) -> Iterator[str]:
    """The names, up to the first dot, that a module imports from the folder `depth` levels above it."""
    for level, name, items in bot_imports.imports_in(module):
        if level in (0, depth):
            for first in [name.partition(".")[0]] if name else items:
                if level or first not in sys.stdlib_module_names:
                    yield first


def submit(
    league: Path, bot: str, *, is_command: bool = False, name: str | None = None, author: str = "",
    display: str = "", host: str | None = None, options: dict[str, Any] | None = None,
) -> Submitted:  # fmt: skip
    """Copies a bot into a league, checks it, and enters it from the next round on; retires the previous version.

    Raises:
        ConfigError: The bot was not found, or its name is invalid.
        RunError: The folder is not a league, the name belongs to another author's bot, or the file imports one.
    """
    source = source_of(bot, is_command)
    if name is None:
        name = config.short_name(bot if source.unit is None or not is_command else source.unit.name)
    validate_names("league", [name])
    if base_name(name) != name:
        raise ConfigError(f"{name}: the league numbers the versions; leave out @ and the number")
    table = source.table | {key: value for key, value in (("host", host), ("options", options)) if value}
    with EventLog(league) as log:
        versions = [each for each in field_of(log.events) if base_name(each.name) == name]
        owner = next((each.author for each in versions if each.author and each.state != "refused"), "")
        if owner and author not in ("", owner):
            raise RunError(f"{league}: {name} is the bot of {owner}; enter this one under another name")
        author = author or owner
        tables = [event.table for event in log.events if event.event == "submitted" and base_name(event.bot) == name]
        if display := display or (tables[-1].get("display", "") if tables else ""):
            table["display"] = display
        entrant = f"{name}@{1 + max([version(each.name) for each in versions], default=0)}"
        table = {"name": entrant} | _copied(league, entrant, source, table)
        submitted = Event("submitted", log.next_block, now(), entrant, author=author, table=table)
        try:
            _refuse_bots_of_others(league, log.events, submitted, source)
            tournament = tournament_of(league, [*log.events, submitted, Event("entered", 0, "", entrant)])
            fingerprint = config.all_fingerprints([tournament.entrants[-1]], league)[entrant]
        except TourneyError:
            _remove(league, entrant)
            raise
        submitted = msgspec.structs.replace(submitted, sha256=fingerprint.sha256, version=fingerprint.version)
        if same := _same(log.events, submitted):
            _remove(league, entrant)
            return Submitted(same, "there already")
        log.add(submitted)
    why = _checked(league, tournament, entrant, log.events)
    with EventLog(league) as log:
        if not why:  # later submissions may have been checked sooner
            same, later = _same(log.events, submitted), newer(entrant, field_of(log.events))
            why = f"{same} is the same bot" if same else f"{later} was submitted later, and is entered" if later else ""
        if why:
            log.add(Event("refused", log.next_block, now(), entrant, why))
            return Submitted(entrant, "refused", why, taken=source.taken)
        block = log.next_block
        log.add(Event("checked", block, now(), entrant), Event("entered", block, now(), entrant))
    return Submitted(entrant, "entered", block=block, taken=source.taken)


def _refuse_bots_of_others(league: Path, events: Sequence[Event], submitted: Event, source: Source) -> None:
    """Refuses a bot that takes along another author's submission."""
    copy = league / registry.file_and_name(submitted.table.get("use", ""))[0]
    common = ""  # authors' packages may share it
    if source.unit is not None and source.file:
        copy, common = league / BOTS / submitted.bot, f"{source.unit.name}/__init__.py"
    taken = {(copy / name).read_bytes(): name for name in source.taken if name != common}
    for event in events if taken else ():
        bot = league / registry.file_and_name(event.table.get("use", ""))[0]
        file = bot / "__init__.py" if bot.is_dir() else bot
        if event.author != submitted.author and file.is_file() and (name := taken.get(file.read_bytes())):
            raise RunError(f"{league}: {name}, which is imported, is {event.bot} of another author; give each a folder")


def _same(events: Sequence[Event], submitted: Event) -> str:
    """The identical version in the league; else an empty text."""
    others = {event.bot: event for event in events if event.event == "submitted"}
    for name in present(submitted.bot, field_of(events)):
        if others[name].sha256 == submitted.sha256 and _apart_from_name(others[name]) == _apart_from_name(submitted):
            return name
    return ""


def _apart_from_name(submitted: Event) -> bytes:
    """A version's table without the effects of its name: the same for equal versions."""
    return msgspec.json.encode(submitted.table).replace(submitted.bot.encode(), b"")


def _copied(league: Path, entrant: str, source: Source, table: dict[str, Any]) -> dict[str, Any]:
    """Copies a submission's files, and returns the table that names the copy."""
    target = league / BOTS / entrant
    unit, beside = source.unit, source.beside
    try:
        shutil.rmtree(target, ignore_errors=True)  # left by a killed process
        target.mkdir(parents=True)
        if unit is None:
            return table
        own = unit.stem if beside else unit.name
        main = target / own / "__init__.py" if beside else target / own
        copies = {main / file.relative_to(unit): file for file in files_of(unit)}
        copies |= {target / own / file.relative_to(unit.parent): file for file in beside}
        for copy, file in copies.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
    except OSError as error:
        raise cannot_write(target, error) from None
    place = f"{BOTS}/{entrant}/{own}"
    if "use" in table:
        place = f"{place}/{source.file}" if source.file else place
        return table | {"use": f"{place}:{registry.file_and_name(table['use'])[1]}"}
    root = unit.resolve()
    words = []
    for word in table["command"]:
        path = Path(os.path.abspath(word))
        if unit.is_dir() and os.path.isfile(word) and path.is_relative_to(root):
            words.append(f"./{place}/{path.relative_to(root)}")
        else:
            words.append(f"./{place}" if path == root else word)
    return table | {"command": words, "reads": [place]}


def _remove(league: Path, entrant: str) -> None:
    shutil.rmtree(league / BOTS / entrant, ignore_errors=True)


def _checked(league: Path, tournament: Tournament, name: str, events: Sequence[Event]) -> str:
    """Why a bot cannot play, by `tourney check` and a match against the league's bots; empty if it can."""
    entrant, lines = tournament.entrants[-1], list[str]()
    states = {each.name: each.state for each in field_of(events)}
    recorded = {event.bot: Fingerprint("", event.sha256) for event in events if event.sha256}
    there = [each for each in tournament.entrants if states.get(each.name) == "plays"]
    tournament = msgspec.structs.replace(tournament, entrants=(entrant, *there), events=())
    with TemporaryDirectory() as logs:
        try:
            return _trial(league, tournament, entrant, recorded, lines, Path(logs))
        finally:
            if said := _end_of(config.log_file(Path(logs), name)):
                lines += ["", "what it wrote to stderr:", said]
            text = "".join([f"{line}\n" for line in lines])
            folder.write_atomically(league / BOTS / name / CHECK_LOG, text.encode(errors="backslashreplace"))


def _end_of(file: Path) -> str:
    """The last lines of a log; empty if there is none."""
    text = file.read_bytes()[-MOST_STDERR:] if file.is_file() else b""
    return text.decode(errors="backslashreplace").rstrip("\n")


def _trial(
    league: Path,
    tournament: Tournament,
    entrant: Entrant,
    recorded: Mapping[str, Fingerprint],
    lines: list[str],
    logs: Path,
) -> str:
    """Why a bot cannot play; empty if it can. Adds the findings as lines."""
    try:
        for finding in bot_check.check_entrant(tournament, entrant, league, (), f"{tournament.seed}", 1, logs):
            lines.append(f"{'ok' if finding.passed else 'FAIL':4}  {finding.topic:12}  {finding.text}")
            lines += [finding.traceback] if finding.traceback else []
            if not finding.passed:
                return f"{finding.topic}: {one_line(finding.text)}"
        if why := _against_the_field(tournament, entrant, recorded, logs):
            lines.append(f"FAIL  {why}")
        return why
    except TourneyError as error:
        if error.exit_code == EXIT_ENDED_EARLY:  # the fault is not the bot's
            raise
        lines.append(str(error))
        return one_line(str(error))


def _against_the_field(
    tournament: Tournament, entrant: Entrant, recorded: Mapping[str, Fingerprint], logs: Path
) -> str:
    """Its first fault in a match against the league's bots; empty if there is none."""
    playable = (
        each for each in tournament.entrants[1:] if not unplayable_reason(tournament, each, recorded[each.name])
    )
    setup = tournament.setups[0]
    if not (others := list(islice(playable, setup.seats - 1))):
        return ""
    some = msgspec.structs.replace(tournament, entrants=(entrant, *others))
    seating = (entrant.name, *[others[i % len(others)].name for i in range(setup.seats - 1)])
    block = Block(0, setup, derive(tournament.seed, "submitted", entrant.name), (seating,))
    with LocalPool(some, 1, logs=logs) as pool:
        for played in pool.play(iter([block])):
            for match in () if played is None else played.played():
                for fault in match.faults:
                    if match.seats[fault.seat] == entrant.name:
                        where = f"decision {fault.decision} against a bot of the league"
                        return f"{fault.kind} at {where}: {one_line(fault.detail)}"
    return ""
