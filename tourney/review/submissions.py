"""Bots submitted to a league: copied into its folder, checked as they will play, and entered or refused."""

import filecmp
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import msgspec

from tourney import config
from tourney.base import files as regular_files
from tourney.base.errors import (
    ConfigError,
    PluginError,
    RunError,
    TourneyError,
    one_line,
    spares_bots,
    writable,
)
from tourney.config import Entrant, Tournament, writing
from tourney.config.names import base_name, validate_names
from tourney.contracts.match import Block
from tourney.contracts.rng import derive
from tourney.journal import bot_logs, folder
from tourney.journal.events import BOTS, Event, EventLog, read_events
from tourney.journal.run import RunFolder
from tourney.plugins import bot_imports, handed_in, registry
from tourney.plugins.fingerprints import Fingerprint
from tourney.plugins.handed_in import UNBOUNDED, Bounds
from tourney.review import bot_check
from tourney.review.bot_check import Finding
from tourney.runner.league import (
    ENTERED,
    PRESENT,
    begin,
    closed_reason,
    field_of,
    newer,
    now,
    present,
    refuse_edited,
    successor_text,
    tournament_of,
    unplayable_reason,
    version,
)
from tourney.runner.pool.local import LocalPool

CHECK_LOG = "check.txt"
MOST_STDERR = 1 << 16


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
    """The files copied along with the bot's own."""
    left: tuple[str, ...] = ()
    """The files in the bot's folder that its code names and that were not copied."""
    twins: tuple[str, ...] = ()
    """The other authors' bots with the same files."""


class Source(NamedTuple):
    """A submission's source: a table for `[[bot]]`, and the files to copy."""

    table: dict[str, Any]
    top: str = ""  # the file or folder that the copy consists of; empty for an installed bot
    files: Mapping[str, Path] = {}  # all files, by their paths in the copy
    own: tuple[str, ...] = ()  # the bot's own file there, and its package's, which authors may share
    taken: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def default_name(self, bot: str) -> str:
        """The default name of the bot that was given so."""
        return config.short_name(self.top if "command" in self.table else bot)

    def table_at(self, place: str) -> dict[str, Any]:
        """The table with the paths of a copy in this folder, relative to the league's."""
        if not self.files:
            return self.table
        if "use" in self.table:
            return self.table | {"use": f"{place}/{self.table['use']}"}
        paths = {file: f"./{place}/{name}" for name, file in self.files.items()}
        words = [paths.get(Path(os.path.abspath(word)).resolve(), word) for word in self.table["command"]]
        return self.table | {"command": words, "reads": [f"{place}/{self.top}"]}


def source_of(bot: str, is_command: bool, reads: Sequence[str] = (), bounds: Bounds = UNBOUNDED) -> Source:
    """Finds a submission's source: a plugin's name, FILE.py:NAME, FOLDER:NAME or, as a command, a program's words.

    `reads` are more files and folders of the bot's folder.
    """
    registry.refuse_blank(bot)
    if is_command or (os.path.isfile(bot) and os.access(bot, os.X_OK)):
        return _program(bot, reads, bounds)
    unit = registry.bot_unit(bot, Path())
    if unit is None:
        if reads:
            raise ConfigError(f"{bot}: reads: an installed bot has no files to copy; leave it out")
        return Source({"use": bot})
    file, name = registry.file_and_name(bot)
    if unit.root.is_file():
        source = _file(unit.root, _below(unit.root.parent, reads, bounds), bounds, "__init__.py")
        return source._replace(table={"use": f"{source.top}:{name}"})
    _below(unit.root, reads, bounds)
    place = handed_in.named(file, Path()).relative_to(unit.root.parent).as_posix()
    return _folder(unit.root, [unit.file, unit.root / "__init__.py"], bounds)._replace(table={"use": f"{place}:{name}"})


def _program(bot: str, reads: Sequence[str], bounds: Bounds) -> Source:
    """The source of a program: its folder, or, in the working folder, the files that its words name."""
    words = writing.command_words(bot)
    words = [os.path.abspath(word) if handed_in.is_python(word) else word for word in words]
    here = Path.cwd()
    files = [word for word in words if handed_in.may_be_file(word, here) and not handed_in.is_system(here / word, here)]
    if not files:
        raise ConfigError(f"{bot}: no word is a file of the bot; give the path of the program, as in ./rusty/rusty")
    main, *others = [handed_in.files_of(handed_in.named(word, here))[0] for word in files]
    package = bot_imports.unit_of(main).root
    root = package if package.is_dir() else main if main.parent == here else main.parent
    more = _below(root if root.is_dir() else here, [*map(str, others), *reads], bounds)
    if root.is_file():
        return _file(main, more, bounds, main.name)._replace(table={"command": words})
    beside = (main, *others, *bot_imports.bot_unit(main).beside)
    bots = [] if root == package else [each for each in sorted(root.glob("*.py")) if each not in beside]
    if strange := next(filter(bot_imports.bot_classes, bots), None):
        raise ConfigError(f"{bot}: {strange} is another bot in its folder; move the program to a folder without it")
    return _folder(root, [main], bounds)._replace(table={"command": words})


def _below(folder: Path, paths: Sequence[str], bounds: Bounds) -> list[Path]:
    """The files at paths, each relative to a folder or to the working folder, which must lie in the folder."""
    files = []
    for path in paths:
        whole = handed_in.named(path, folder if os.path.lexists(folder / path) else Path())
        if not whole.is_relative_to(folder):
            raise ConfigError(f"reads: {path} is not in the bot's folder {folder}; put it there")
        files += handed_in.files_of(whole, bounds=bounds)
    return files


def _folder(root: Path, own: Sequence[Path], bounds: Bounds) -> Source:
    files = handed_in.names(handed_in.files_of(root, bounds=bounds), root.parent)
    names = [file.relative_to(root.parent).as_posix() for file in own]
    return Source({}, root.name, files, tuple(names), tuple([name for name in files if name != names[0]]))


def _file(main: Path, more: Sequence[Path], bounds: Bounds, name: str) -> Source:
    """The source of a bot in a file; with `more`, or what it imports from its own folder, it is `name` in a folder."""
    folder, unit = main.parent, bot_imports.bot_unit(main)
    others = handed_in.names(sorted({*unit.beside, *more} - {main}), folder)
    bounds.require(1 + len(others), sum([file.stat().st_size for file in (main, *others.values())]), main)
    mentioned = bot_imports.mentioned([file for file in (main, *others.values()) if file.suffix == ".py"], folder)
    left = [str(file.relative_to(folder)) for file in mentioned if file not in (main, *others.values())]
    top, own = (main.stem, f"{main.stem}/{name}") if others else (main.name, main.name)
    files = {own: main} | {f"{top}/{name}": file for name, file in others.items()}
    return Source({}, top, files, (own,), tuple(others), tuple(left))


def submit(
    league: Path, bot: str, *, is_command: bool = False, name: str | None = None, author: str = "",
    display: str = "", host: str | None = None, options: dict[str, Any] | None = None, reads: Sequence[str] = (),
) -> Submitted:  # fmt: skip
    """Copies a bot into a league, checks it, and enters it from the next round on; see `tourney.League.submit`.

    Only a bot that is entered gets a folder, a version and its previous version's place.
    """
    manifest = folder.read_manifest(league)
    begun = tournament_of(league, (), manifest)
    source = source_of(bot, is_command, reads, Bounds(begun.format_options.max_files, begun.format_options.max_mb))
    if name is None:
        name = source.default_name(bot)
    validate_names("league", [name])
    if base_name(name) != name:
        raise ConfigError(f"{name}: the league numbers the versions; leave out @ and the number")
    if name.startswith("-"):
        raise ConfigError(f"{name}: a name that starts with a dash looks like an option; give another name")
    table = source.table | {key: value for key, value in (("host", host), ("options", options)) if value}
    with ExitStack() as copies:
        with EventLog(league) as log:
            if why := closed_reason(log.events):
                raise RunError(f"{league}: {why}")
            author = _owner(league, begun.names, log.events, name, author)
            tables = [each.table for each in log.events if each.event == "submitted" and base_name(each.bot) == name]
            if display := display or (tables[-1].get("display", "") if tables else ""):
                table["display"] = display
            begun_ones = [each.name[1:] for each in (league / BOTS).glob(f".{name}@*")]
            entered = [each.name for each in field_of(log.events) if each.state in ENTERED]
            numbers = [version(each) for each in (*begun_ones, *entered) if base_name(each) == name]
            entrant = f"{name}@{1 + max(numbers, default=0)}"
            copy, target = league / BOTS / f".{entrant}", league / BOTS / entrant
            copies.enter_context(copied(copy, source.files))
            event = Event("submitted", log.next_block, now(), entrant, author=author)
            table = {"name": entrant} | source._replace(table=table).table_at(f"{BOTS}/{entrant}")
            submitted = msgspec.structs.replace(event, table=table)
            twins = _refuse_bots_of_others(league, log.events, submitted, source)
            tournament = _with_tried(league, log.events, submitted, manifest)
            field = [*log.events, Event("entered", 0, "", entrant)]
            refuse_edited(league, field, manifest, config.manifest(tournament, {}, "league"))
            submitted = _with_fingerprint(league, submitted, tournament)
            if same := _same(log.events, submitted):
                return Submitted(same, "there already")
        why = _checked(league, tournament, entrant, log.events, copy)
        if why and source.left:
            why += f"; {', '.join(source.left)} was not handed in: name it in reads"
        with EventLog(league) as log:
            _owner(league, begun.names, log.events, name, author)
            if not why:  # later submissions may have been checked sooner
                same, later = _same(log.events, submitted), newer(entrant, field_of(log.events))
                why = f"{later} was submitted later, and is entered" if later else ""
                why = f"{same} is the same bot" if same else why
            block = log.next_block
            state = _put_in_place(copy, target, log, submitted, why)
    return Submitted(entrant, state, why, 0 if why else block, source.taken, source.left, twins)


def succeed(
    league: Path, name: str, like: RunFolder, games: Sequence[str] = (), settle: str | None = None,
    host: str | None = None, seed: str | None = None,
) -> Iterator[Submitted]:  # fmt: skip
    """Creates the successor of a league, and checks and enters, or refuses, each of its bots; all of it or nothing.

    The bots keep their versions, authors and pauses. A name without a version in the league stays its author's, as if
    refused. What is not given is as in the league.
    """
    begin(league, successor_text(name, like, league, games, settle, host, seed))
    try:
        yield from _taken_over(league, like)
    except BaseException:
        shutil.rmtree(league, ignore_errors=True)
        raise


def _taken_over(league: Path, like: RunFolder) -> Iterator[Submitted]:
    manifest = folder.read_manifest(league)
    submitted = {event.bot: event for event in like.events if event.event == "submitted"}
    statuses = [each for each in field_of(like.events) if each.name in submitted]
    latest = {base_name(each.name): each for each in statuses}
    for each in statuses:
        is_in, name = each.state in PRESENT, each.name
        if not is_in and (present(name, statuses) or latest[base_name(name)] != each):
            continue
        event = msgspec.structs.replace(submitted[name], block=0, date=now())
        copy, files = league / BOTS / f".{name}", handed_in.files_of(like.path / BOTS / name) if is_in else []
        why = "" if is_in else each.why or f"{each.state} in {like}"
        with copied(copy, handed_in.names(files, like.path / BOTS / name)):
            events = read_events(league)
            try:
                if is_in:
                    tournament = _with_tried(league, events, event, manifest)
                    event = _with_fingerprint(league, event, tournament)
                    why = _checked(league, tournament, name, events, copy)
            except TourneyError as error:
                if spares_bots(error):
                    raise
                why = one_line(str(error))
            with EventLog(league) as log:
                state: str = _put_in_place(copy, league / BOTS / name, log, event, why)
                if each.state == "paused" and not why:
                    state, why = "paused", each.why
                    log.add(Event("paused", 0, now(), name, why))
        yield Submitted(name, state, why)


def _with_tried(league: Path, events: Sequence[Event], submitted: Event, manifest: Mapping[str, Any]) -> Tournament:
    old, new = [f"{BOTS}/{mark}{submitted.bot}/".encode() for mark in ("", ".")]
    table = msgspec.json.decode(msgspec.json.encode(submitted.table).replace(old, new))
    tried = msgspec.structs.replace(submitted, table=table)
    return tournament_of(league, [*events, tried, Event("entered", 0, "", submitted.bot)], manifest)


def _with_fingerprint(league: Path, submitted: Event, tournament: Tournament) -> Event:
    fingerprint = config.all_fingerprints([tournament.entrants[-1]], league)[submitted.bot]
    return msgspec.structs.replace(submitted, sha256=fingerprint.sha256, version=fingerprint.version)


def _owner(league: Path, own: Sequence[str], events: Sequence[Event], name: str, author: str) -> str:
    """The author as written before; a `RunError` if the name, or one that differs in case, is another's."""
    known = {event.author.casefold(): event.author for event in reversed(events) if event.author}
    author = known.get(author.casefold(), author)
    owners = dict.fromkeys(own, "")
    for event in events:
        if event.event == "submitted":
            owners.setdefault(base_name(event.bot), event.author)
    for other in [each for each in owners if each.casefold() == name.casefold()]:
        owner, why = owners[other], f"{name} differs from {other} only in case; write it so"
        if other == name and owner != author:
            why = f"{name} is the bot of {owner or 'the organiser'}; name {'its' if owner else 'no'} author"
        if other != name or owner != author:
            raise RunError(f"{league}: {why}, or enter this one under another name")
    return author


@contextmanager
def copied(copy: Path, files: Mapping[str, Path]) -> Iterator[None]:
    """A new folder with copies of files, which is locked; removes it in the end, unless it has been renamed."""
    with ExitStack() as opened:
        with writable(copy):
            copy.mkdir(parents=True)
            opened.callback(os.close, lock := os.open(copy, os.O_RDONLY))
            opened.callback(_remove, copy, os.fstat(lock))
            with suppress(OSError):  # where there are no locks, a folder that is left stays
                regular_files.lock(lock)
            handed_in.copy(files, copy)
        yield


def _remove(copy: Path, its: os.stat_result) -> None:
    """Removes a folder, unless it was renamed and another submission has its name."""
    with suppress(OSError):
        if os.path.samestat(copy.stat(), its):
            shutil.rmtree(copy, ignore_errors=True)


def _put_in_place(copy: Path, target: Path, log: EventLog, submitted: Event, why: str) -> Literal["entered", "refused"]:
    """Enters or refuses a submission: renames its folder, which after a refusal has only the log of its check."""
    block = log.next_block
    state: Literal["entered", "refused"] = "refused" if why else "entered"
    checked = [] if why else [Event("checked", block, now(), submitted.bot)]
    with writable(target):
        for each in copy.iterdir() if why else ():
            if each.is_dir():
                shutil.rmtree(each)
            elif each.name != CHECK_LOG:
                each.unlink()
        if target.exists():  # of a refused submission
            shutil.rmtree(target)
        copy.rename(target)
    try:
        log.add(submitted, *checked, Event(state, block, now(), submitted.bot, why))
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return state


def _refuse_bots_of_others(league: Path, events: Sequence[Event], submitted: Event, source: Source) -> tuple[str, ...]:
    """Refuses a bot that takes along another author's submission; returns other authors' bots with the same files."""
    copy, twins = league / BOTS / f".{submitted.bot}", []
    taken, mine = [copy / name for name in source.files if name not in source.own], _contents(copy)
    others = {event.bot: event for event in events if event.event == "submitted" and event.author != submitted.author}
    for name, event in others.items() if mine else ():
        own, theirs = _own_file(league, event), _contents(league / BOTS / name)
        for file in taken:
            if own is not None and own.stat().st_size and filecmp.cmp(own, file, shallow=False):
                path = file.relative_to(copy).as_posix()
                raise RunError(f"{league}: {path}, which is taken along, is {name} of another author; leave it out")
        if mine.keys() == theirs.keys() and all([filecmp.cmp(mine[key], theirs[key], shallow=False) for key in mine]):
            twins.append(name)
    return tuple(twins)


def _contents(copy: Path) -> dict[str, Path]:
    files = handed_in.files_of(copy) if copy.is_dir() else []
    return {"/".join(file.relative_to(copy).parts[1:]): file for file in files if file != copy / CHECK_LOG}


def _own_file(league: Path, event: Event) -> Path | None:
    words = event.table.get("command") or [registry.file_and_name(event.table.get("use", ""))[0]]
    path = next((league / word for word in words if Path(word).parts[:1] == (BOTS,)), league)
    try:
        path = bot_imports.bot_unit(path).file if path.is_dir() and path != league else path
    except PluginError:
        return None
    return path if path.is_file() else None


def _same(events: Sequence[Event], submitted: Event) -> str:
    def content(event: Event) -> tuple[str, bytes]:  # without the effects of its name
        return event.sha256, msgspec.json.encode(event.table).replace(event.bot.encode(), b"")

    others = {event.bot: event for event in events if event.event == "submitted"}
    versions = present(submitted.bot, field_of(events))
    return next((name for name in versions if content(others[name]) == content(submitted)), "")


def _checked(league: Path, tournament: Tournament, name: str, events: Sequence[Event], copy: Path) -> str:
    """Why a bot cannot play, by `tourney check` and a match against the league's bots; empty if it can."""
    entrant, lines, why = tournament.entrants[-1], list[str](), ""
    states = {each.name: each.state for each in field_of(events)}
    recorded = {event.bot: Fingerprint("", event.sha256) for event in events if event.sha256}
    there = [each for each in tournament.entrants if states.get(each.name) == "plays"]
    tournament = msgspec.structs.replace(tournament, entrants=(entrant, *there), events=())
    with TemporaryDirectory() as tried:
        run = Path(tried) / "check"
        try:
            for finding in check_newcomer(tournament, entrant, league, recorded, run):
                lines.append(f"{'ok' if finding.passed else 'FAIL':4}  {finding.topic:12}  {finding.text}")
                lines += [finding.traceback] if finding.traceback else []
                text = f"{finding.topic}: {one_line(finding.text)}{_numbers(finding.traceback)}"
                why = "" if finding.passed else text
        except TourneyError as error:
            if spares_bots(error):
                raise
            lines.append(str(error))
            why = one_line(str(error))
        finally:
            if said := bot_logs.stderr(run, name)[-MOST_STDERR:]:
                lines += ["", "what it wrote to stderr:", said]
            text = "".join([f"{line}\n" for line in lines]).replace(copy.name, name)
            folder.write_atomically(copy / CHECK_LOG, text.encode(errors="backslashreplace"))
    return why.replace(copy.name, name)


def check_newcomer(
    tournament: Tournament, entrant: Entrant, path: Path, recorded: Mapping[str, Fingerprint], run: Path
) -> Iterator[Finding]:
    """Checks a tournament's first entrant as a league does, up to the first failure.

    That is the check of an entrant, played in the folder `run`, and a match against the others with the fingerprints
    that are recorded.
    """
    for finding in bot_check.check_entrant(tournament, entrant, path, (), f"{tournament.seed}", 1, run):
        yield finding
        if not finding.passed:
            return
    if why := _against_the_field(tournament, entrant, recorded, folder.logs_folder(run, tournament)):
        yield Finding("field", False, why)


def _against_the_field(
    tournament: Tournament, entrant: Entrant, recorded: Mapping[str, Fingerprint], logs: Path
) -> str:
    setup, field = tournament.setups[0], tournament.entrants[1:]
    playable = (each for each in field if not unplayable_reason(tournament, each, recorded[each.name]))
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
                        raised = pool.tracebacks.get((entrant.name, fault.kind))
                        numbers = "" if raised is None else _numbers(raised.text)
                        return f"{fault.kind} at {where}: {one_line(fault.detail)}{numbers}"
    return ""


def _numbers(trace: str) -> str:
    """The trace of a timeout, which is a line with its numbers; empty for an exception's."""
    return f" ({one_line(trace)})" if len(trace.splitlines()) == 1 else ""
