"""A league's inbox: a folder for each author, in which they put bots and find what became of them.

Authors may change their folders at any time, so nothing is used in place: files are copied without following links,
then recognised and submitted from the copy.
"""

import ast
import hashlib
import os
import re
import shlex
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, NamedTuple, TypeAlias

import msgspec

from tourney import config
from tourney.base import files as regular_files
from tourney.base.errors import PluginError, RunError, TourneyError, one_line, spares_bots, writable
from tourney.contracts.wording import counted
from tourney.journal import folder
from tourney.journal.events import BOTS
from tourney.journal.run import RunFolder
from tourney.journal.told import Told
from tourney.plugins.bot_imports import bot_classes
from tourney.plugins.handed_in import INSTEAD, SKIPPED, Bounds
from tourney.review.field import minute, outlook
from tourney.review.submissions import CHECK_LOG, Submitted, submit
from tourney.runner import unpacking
from tourney.runner.league import closed_reason, now, refuse_edited, tournament_of

RESULT = "RESULT.txt"
STATE = "inbox.json"  # the league's file of what was taken from the inbox
LOOSE = "."  # the submission that consists of the files directly in an author's folder
LONGEST_URL = 1000
LONGEST_MODULE = 1 << 20
MOST_FOLDERS = 20  # nested in each other
PREFERRED = ("bot", "main", "run")  # names of a class or program that is the bot among several
_GIT = (".git", ".url")


class _Taken(msgspec.Struct):
    seen: str = ""  # a hash of its files' names, sizes and times; or why they could not be read
    sha256: str = ""
    said: str = ""


class _Author(msgspec.Struct):
    taken: dict[str, _Taken] = {}
    said: str = ""
    day: str = ""
    tries: int = 0


_File: TypeAlias = tuple[str, os.stat_result, Callable[[], BinaryIO]]  # a path, and what opens it until the next one


class Outcome(NamedTuple):
    """The outcome of a submission from the inbox."""

    author: str
    entry: str  # the name of its file or folder
    text: str


class Inbox:
    """A league's inbox in a folder."""

    def __init__(self, league: Path, place: Path, per_day: int, schemes: Collection[str]) -> None:
        """`per_day` is the most submissions per author and day (UTC), `schemes` the allowed kinds of git addresses."""
        self._league, self._place, self._per_day, self._schemes = league, place, per_day, schemes

    def take(self) -> Iterator[Outcome]:
        """Submits everything new or changed, and yields the outcomes; authors find theirs in their folders.

        Raises:
            RunError: The league cannot be read or was edited, or another process takes from its inbox.
        """
        run = RunFolder(self._league).require("league")
        self._told, events = Told([run], "author"), run.events
        self._closed = closed_reason(events)
        tournament = tournament_of(self._league, events, run.manifest)
        refuse_edited(self._league, events, run.manifest, config.manifest(tournament, {}, "league"))
        self._addresses = sorted({event.author for event in events if "@" in event.author}, key=len, reverse=True)
        self._bounds = Bounds(tournament.format_options.max_files, tournament.format_options.max_mb)
        with _opened(self._league) as league, _opened(self._place) as place:
            if not regular_files.lock(league):
                raise RunError(f"{self._league}: another process is taking from its inbox; let it finish")
            authors = self._state()
            for name in sorted(os.listdir(place)):
                if name.startswith("."):
                    continue
                author = authors.setdefault(one_line(name), _Author())
                try:
                    if not stat.S_ISDIR(os.lstat(name, dir_fd=place).st_mode) or not name.isprintable():
                        raise PluginError("not a folder with a printable name; put bots into FOLDER/AUTHOR")
                    with _opened(name, place) as own:
                        for outcome in self._take_from(name, own, author):
                            self._save(authors)
                            yield outcome
                except (OSError, PluginError) as error:
                    if author.said != (why := f"cannot be read: {error}"):
                        author.said = why
                        yield Outcome(one_line(name), "", why)
                self._save(authors)

    def _state(self) -> dict[str, _Author]:
        try:
            return msgspec.json.decode((self._league / STATE).read_bytes(), type=dict[str, _Author])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            raise RunError(f"{self._league / STATE}: damaged; remove it, and all bots are taken again") from None

    def _save(self, authors: Mapping[str, _Author]) -> None:
        folder.write_atomically(self._league / STATE, msgspec.json.encode(authors))

    def _take_from(self, name: str, own: int, author: _Author) -> Iterator[Outcome]:
        entries, files = _entries(own), dict[str, str]()
        author.taken = {entry: author.taken.get(entry, _Taken()) for entry in entries}
        for entry, names in entries.items():
            known, bot = author.taken[entry], _league_name(name, entry, alone=len(entries) == 1)
            text, done = self._taken(name, own, author, names, known, bot)
            shown = one_line(names[0]) if len(names) == 1 else "files"
            if text:
                known.said = f"{shown}, {minute(now())} UTC: {text}"
                twins = f" The same files as {', '.join(done.twins)} of another author." if done and done.twins else ""
                yield Outcome(name, shown, text + twins)
            if done is not None and done.state != "there already":
                log = (self._league / BOTS / done.name / CHECK_LOG).read_text(errors="replace")
                files[CHECK_LOG if len(entries) == 1 else f"{bot}-{CHECK_LOG}"] = self._told.text(log)
        said = self._told.text("".join([f"{known.said}\n" for known in author.taken.values()]))
        for other in [each for each in self._addresses if each != name]:
            said = said.replace(other, "another author")
        if said == author.said and not files:
            return
        try:
            for file, text in [*files.items(), (RESULT, said)]:
                _write(own, file, text.encode(errors="backslashreplace"))
            author.said = said
        except OSError as error:
            yield Outcome(name, RESULT, f"cannot be written ({error.strerror})")

    def _taken(
        self, name: str, own: int, author: _Author, names: Sequence[str], known: _Taken, bot: str
    ) -> tuple[str, Submitted | None]:
        is_url = len(names) == 1 and names[0].lower().endswith(_GIT)
        try:
            seen = self._address(own, names[0]) if is_url else _glance(own, names, self._bounds)
        except PluginError as error:
            why = f"refused: {error}"
            is_new, known.seen, known.sha256 = why != known.seen, why, ""
            return why if is_new else "", None
        if seen == known.seen:
            return "", None
        if author.day != (today := now()[:10]):
            author.day, author.tries = today, 0
        text = f"refused: {self._closed}" if self._closed else ""
        if author.tries >= self._per_day and not text:
            text = f"waits: at most {counted(self._per_day, 'submission')} a day; this one is taken tomorrow (UTC)"
        if text:
            known.sha256 = ""  # taken later, even if it is then as before
            return "" if known.said.endswith(text) else text, None
        with TemporaryDirectory(prefix="tourney-inbox-") as temporary:
            try:
                copy = Path(os.path.realpath(temporary)) / ".copy"
                sha256 = self._copied(own, names, copy) + (seen if is_url else "")
                known.seen, is_new = seen, sha256 != known.sha256
                author.tries, known.sha256 = author.tries + is_new, sha256
                url = seen.partition(" ")[0] if is_url else ""
                return self._submitted(name, names, copy, url, bot) if is_new else ("", None)
            except TourneyError as error:
                if spares_bots(error):
                    raise
                known.seen, why = seen, str(error).replace(f"{self._league}: ", "").replace(f"{temporary}/", "")
                return f"refused: {one_line(why)}", None

    def _address(self, own: int, name: str) -> str:
        with _open_file(own, name) as file:
            lines = file.read(LONGEST_URL).decode(errors="replace").splitlines()
        url = next((line.removeprefix("URL=").strip() for line in lines if line.strip() and line[0] != "["), "")
        return f"{url} {unpacking.newest(url, self._schemes, self._bounds)}"

    def _copied(self, own: int, names: Sequence[str], copy: Path) -> str:
        digest, size = hashlib.sha256(), 0
        with writable(copy):
            for path, status, opened in _files(own, names, self._bounds):
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                digest.update(f"{path}\0{status.st_mode & 0o100}\0{status.st_size}\0".encode())
                with opened() as file, (copy / path).open("wb") as written:
                    while part := file.read(1 << 16):
                        size += len(part)
                        self._bounds.require(1, size, Path(path))
                        digest.update(part)
                        written.write(part)
                (copy / path).chmod(0o755 if status.st_mode & 0o100 else 0o644)
        return digest.hexdigest()

    def _submitted(
        self, author: str, names: Sequence[str], copy: Path, url: str, bot: str
    ) -> tuple[str, Submitted | None]:
        only, place = copy / names[0], copy.with_name(bot)
        if url:
            unpacking.clone(url, place, self._schemes, self._bounds)
        elif len(names) == 1 and only.is_file() and unpacking.is_archive(only.name):
            unpacking.unpack(only, place, self._bounds)
        else:
            (only if len(names) == 1 and only.is_dir() else copy).rename(place)
        words, is_program = recognised(place)
        done = submit(self._league, words, is_command=is_program, name=bot, author=author)
        if done.state != "entered":
            is_refused = done.state == "refused"
            return f"refused: {done.why}" if is_refused else f"no change: the same as {done.name}", done
        plans = outlook(RunFolder(self._league))
        return f"entered as {done.name}; next match: {plans.next_match[done.name]}. {plans.next_round}", done


def _glance(own: int, names: Iterable[str], bounds: Bounds) -> str:
    digest = hashlib.sha256()
    for path, status, _ in _files(own, names, bounds):
        of_file = status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        digest.update(f"{path} {of_file}\n".encode())
    return digest.hexdigest()


def _entries(own: int) -> dict[str, list[str]]:
    entries, loose, is_bot = dict[str, list[str]](), list[str](), False
    for name in sorted(os.listdir(own)):
        mode = os.lstat(name, dir_fd=own).st_mode
        if name.startswith(".") or name == RESULT or name.endswith(CHECK_LOG):
            continue
        if stat.S_ISDIR(mode) or unpacking.is_archive(name) or name.lower().endswith(_GIT):
            if name not in SKIPPED:
                entries[one_line(name)] = [name]
        else:
            loose.append(name)
            is_bot |= name.endswith(".py") or bool(mode & 0o100) or not stat.S_ISREG(mode)
    return entries | ({LOOSE: loose} if loose and (is_bot or not entries) else {})


def _league_name(author: str, entry: str, alone: bool) -> str:
    own, stem = [
        re.sub(r"[^\w.+-]+", "-", text).strip("-.") for text in (author.partition("@")[0], entry.partition(".")[0])
    ]
    own = own or "bot"
    return own if alone or not stem or stem.casefold() == own.casefold() else f"{own}-{stem}"


@contextmanager
def _opened(path: str | Path, parent: int | None = None) -> Iterator[int]:
    """An open folder; in a parent, never by a link."""
    flags = os.O_RDONLY | os.O_DIRECTORY | (0 if parent is None else os.O_NOFOLLOW)
    opened = os.open(path, flags, dir_fd=parent)
    try:
        yield opened
    finally:
        os.close(opened)


def _files(place: int, names: Iterable[str], bounds: Bounds) -> Iterator[_File]:
    count = size = 0

    def below(parent: int, name: str, path: str) -> Iterator[_File]:
        nonlocal count, size
        status = os.lstat(name, dir_fd=parent)
        count, size = count + 1, size + status.st_size
        bounds.require(count, size, Path(path))
        if not path.isprintable() or path.count("/") > MOST_FOLDERS:
            raise PluginError(f"{one_line(path)}: use printable names, and fewer folders in folders")
        if stat.S_ISDIR(status.st_mode):
            with _opened(name, parent) as inner:
                within = [each for each in sorted(os.listdir(inner)) if each not in SKIPPED]
                for each in () if "pyvenv.cfg" in within else within:
                    yield from below(inner, each, f"{path}/{each}")
        elif stat.S_ISREG(status.st_mode):
            yield path, status, partial(_open_file, parent, name)
        else:
            kind = "a link" if stat.S_ISLNK(status.st_mode) else "neither a file nor a folder"
            raise PluginError(f"{path} is {kind}; {INSTEAD}")

    for name in names:
        try:
            yield from below(place, name, name)
        except OSError as error:
            raise PluginError(f"{one_line(name)} cannot be read ({error.strerror}); put it there again") from None


def _open_file(parent: int, name: str) -> BinaryIO:
    try:
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    except OSError as error:
        raise PluginError(f"{name} cannot be read ({error.strerror}); put the file itself there") from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise PluginError(f"{name} is not a file; {INSTEAD}")
    return os.fdopen(opened, "rb")


def _write(place: int, name: str, content: bytes) -> None:
    """Writes a file in a folder atomically; a link in its place is replaced, not followed."""
    new = f".{name}.{os.urandom(8).hex()}"
    try:
        with open(
            os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=place), "wb"
        ) as file:
            file.write(content)
        os.rename(new, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        with suppress(OSError):
            os.unlink(new, dir_fd=place)
        raise


def recognised(place: Path) -> tuple[str, bool]:
    """The bot in a folder as `submit` takes it, and whether it is a program; no code of it runs.

    Raises:
        PluginError: There is no bot, or more than one.
    """
    found = _bots_in(place)
    folders = [each for each in sorted(place.iterdir()) if each.is_dir() and each.name not in SKIPPED]
    if not found and len(folders) == 1:
        return recognised(folders[0])
    if not found:
        found = [bot for each in folders for bot in _bots_in(each)]
    if len(found) != 1:
        names = ", ".join([os.path.relpath(bot, place) for bot, _ in found])
        why = f"several bots ({names}); put each into its own folder" if found else "no bot; a bot is a class with a "
        why += "" if found else "method act, in a file or a package with __init__.py, or a program that can be executed"
        raise PluginError(why)
    return found[0]


def _bots_in(place: Path) -> list[tuple[str, bool]]:
    init, top = place / "__init__.py", [each for each in sorted(place.iterdir()) if each.is_file()]
    is_package = init.is_file()
    modules = [each for each in (sorted(place.rglob("*.py")) if is_package else top) if each.suffix == ".py"]
    bots = [(file, name) for file in modules if file.stat().st_size <= LONGEST_MODULE for name in bot_classes(file)]
    exported = _exported(init) if is_package else ()
    bots = [(place, name) for name in dict.fromkeys([name for _, name in bots]) if name in exported] or bots
    preferred = [bot for bot in bots if bot[1].lower() in (*PREFERRED, bot[0].stem.lower())]
    if bots := preferred if len(bots) > 1 and len(preferred) == 1 else bots:
        alone = not is_package and len(bots) == 1 and [each for each in modules if bot_classes(each)] == [bots[0][0]]
        return [(f"{place if alone else file}:{name}", False) for file, name in bots]
    for file in (init,) if is_package else modules:
        try:
            ast.parse(file.read_bytes()[:LONGEST_MODULE])
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            raise PluginError(f"{file.name}{line}: not valid Python ({getattr(error, 'msg', error)}); fix it") from None
    programs = [] if is_package else list(filter(_is_program, top))
    named = [file for file in programs if file.stem.lower() in (*PREFERRED, place.name.lower())]
    words = [
        shlex.quote(str(file)) if os.access(file, os.X_OK) else f"python3 {shlex.quote(str(file))}"
        for file in (named if len(named) == 1 else programs)
    ]
    return [(each, True) for each in words]


def _exported(init: Path) -> list[str]:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = ast.parse(init.read_bytes()[:LONGEST_MODULE]).body
        names = [alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
        return [each.asname or each.name for each in names] + [
            node.name for node in nodes if isinstance(node, ast.ClassDef)
        ]
    return []


def _is_program(file: Path) -> bool:
    """Whether a file is executable, begins as programs do, which makes it executable, or is Python that reads stdin."""
    with file.open("rb") as opened:
        start = opened.read(LONGEST_MODULE)
    if start.startswith((b"#!", b"\x7fELF")):
        file.chmod(0o755)
    return os.access(file, os.X_OK) or (file.suffix == ".py" and b"stdin" in start)
