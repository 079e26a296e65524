"""`tourney serve`: a folder's runs as pages, live while the runs are played (docs/watch-and-play.md).

A separate thread answers requests. Code of games runs in the main thread, which calls `serve`, one match at a time:
there it can be interrupted.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from functools import lru_cache, partial
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NoReturn
from urllib.parse import quote
from zlib import crc32

import orjson
from msgspec import DecodeError, Struct
from msgspec.json import decode
from msgspec.structs import asdict
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tourney.base.errors import TourneyError, one_line
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.journal import folder
from tourney.journal.kinds import EVENTS, VERDICT
from tourney.journal.reader import is_being_written, lines_of_block, parse_record, parse_sealed_record
from tourney.journal.tail import JournalTail
from tourney.plugins.registry import load_game
from tourney.report.match_data import match_data
from tourney.report.match_page import match_page, twin_blocks
from tourney.report.page import list_page
from tourney.report.writing import ALL, Shown, write_beside
from tourney.review.analysis.file import read_analysis
from tourney.runner.live_page import BESIDE_S, ReportProcess
from tourney.table.replay import in_time
from tourney.web.answers import Answers
from tourney.web.server import address_of, application, listen, news, number, pack, packed, page, serving

POLL_S = 1.0  # seconds between two checks of a watched run
FIRST_S = 10.0  # seconds for which a page waits for the first look
IDLE_S = 60.0  # seconds for which a run is still checked after its last page asked
AGAIN_S = 60.0  # seconds between a failed report and the next attempt
PAGE = 100  # matches listed per page
KEPT = 32  # match pages kept in memory
NO_RUN = "no such run"
WAITING = 64  # the most queued match pages; further requests are refused
BUILDING = 2  # the most simultaneous reports of runs that are not being played


class _Ranked(Struct):
    """The part of a standings row shown in the index."""

    bot: str


class _Verdict(Struct):
    """The part of a gate's verdict shown in the index."""

    verdict: str
    llr: float
    llr_low: float
    llr_high: float


class ServedRun:
    """A run of the folder, read from its manifest and journal."""

    def __init__(self, path: Path, shown: Shown) -> None:
        self.path = path
        self.shown = shown
        self._read = list[tuple[int, int]]()
        self.run = shown.of(path)  # the run folder at its last manifest and events
        self.tail = JournalTail(path, until=self.run.until)

    def read(self) -> None:
        """Reads the files' new content; raises a `TourneyError` if they are damaged."""
        if self._read != (changed := self._changed(folder.MANIFEST, EVENTS)):
            self.run = self.shown.of(self.path)
            self.run.manifest  # noqa: B018 - raises an error if it is damaged
            self._read = changed
        self.tail.read()

    @property
    def most(self) -> int | None:
        """The final number of matches; None if open."""
        return None if self.run.plan.may_end_early else self.run.plan.most_matches

    def key(self) -> list[tuple[int, int]]:
        """A key that changes with the report's content."""
        return self._changed(folder.MANIFEST, EVENTS, folder.JOURNAL, folder.STANDINGS_JSON, folder.ANALYSIS)

    def _changed(self, *names: str) -> list[tuple[int, int]]:
        return [_changed(self.path / name) for name in names]

    def row(self) -> dict[str, Any]:
        """The run's row in the index."""
        shown = {"name": self.path.name, "address": _quoted(self.path.name), "problem": False, "kind": "", "games": []}
        shown |= {"changed": _changed(self.path / folder.JOURNAL)[0] / 1e9}
        try:
            self.read()
            played = self.tail.matches
            return shown | {
                "kind": self.run.kind.name,
                "progress": self._progress(),
                "played": played,
                "of": self.most,
                "gate": self._gate(),
                "leader": self._leader(),
                "newest": self._records([played - 1])[0].match if played else "",
                "form": self.run.plan.describe(),
                "games": list(self.run.tournament.games),
                "bots": len(self.run.tournament.names),
            }
        except (TourneyError, OSError, DecodeError):
            return shown | {"problem": True}

    def _progress(self) -> str:
        """The matches played so far, and their total for an unfinished run."""
        so_far = counted(self.tail.matches, "match", "matches")
        if self.run.is_ranked and not self.run.plan.goes_on:
            return so_far
        if self.most is not None:
            so_far = f"{self.tail.matches} of {self.most} matches"
        return f"{so_far}, live" if is_being_written(self.path) else f"{so_far} so far"

    def _leader(self) -> str:
        if self.run.is_ranked:
            rows = decode((self.path / folder.STANDINGS_JSON).read_bytes(), type=list[_Ranked])
            return rows[0].bot if rows else ""
        shares = {name: total / count for name, (total, count) in self.tail.points().items()}
        return max(shares, key=lambda name: shares[name], default="")

    def _gate(self) -> dict[str, Any] | None:
        """A finished gate's verdict and log-likelihood ratio with its bounds."""
        file = self.path / VERDICT
        if self.run.kind.name != "gate" or not file.is_file():
            return None
        return asdict(decode(file.read_bytes(), type=_Verdict))

    def _records(self, numbers: Sequence[int]) -> list[Record]:
        return [parse_record(line, str(self.path / folder.JOURNAL)) for line in self.tail.lines_at(numbers)]

    def listed(self, number: int, bot: str = "") -> dict[str, Any]:
        """A page of the list of matches, of all or a bot's; page 1 has the newest."""
        self.read()
        chosen = self.tail.of(bot) if bot else range(self.tail.matches)
        played = len(chosen)
        shown = chosen[max(0, played - PAGE * number) : max(0, played - PAGE * (number - 1))]
        matches = [
            {
                "id": record.match,
                "seats": list(zip(record.seats, record.scores, record.places, strict=True)),
                "faults": [(record.seats[fault.seat], fault) for fault in record.faults],
            }
            for record in self._records(shown[::-1])
        ]
        shown_as = {"run": self.path.name, "bots": self.run.tournament.names, "bot": bot, "number": number}
        return shown_as | {"played": played, "pages": max(1, -(-played // PAGE)), "matches": matches}

    def lines_of(self, match: str) -> tuple[bytes, ...]:
        """The journal lines of a match and its twins; empty if it has not been played."""
        self.read()
        return tuple(lines_of_block(self.path, match, self.run.until))

    @lru_cache(maxsize=KEPT)  # noqa: B019 - runs stay as long as the server
    def match_page(self, lines: tuple[bytes, ...], _analysed: tuple[int, int]) -> bytes:
        """The packed page of a match, by its line and its twins'; `_analysed` renews it after an analysis."""
        record, *twins = [parse_sealed_record(line, str(self.path / folder.JOURNAL)) for line in lines]
        game, analyses, limit_s = load_game(record.game), read_analysis(self.path), self.run.tournament.replay_s
        with in_time(record, limit_s):
            ask, analysis = f"{_quoted(record.match)}/", analyses.get(record.match)
            more, chances = {"ask": f"{ask}what-if"}, {"ask": f"{ask}beliefs"}
            data = match_data(record, game, analysis=analysis, what_if=more, twins=twins, beliefs=chances)
        blocks = twin_blocks(twins, game, limit_s, analyses)
        return pack(match_page(data, record.match, game, home="../", twins=blocks, served=True).encode())


class Runs:
    """The served runs: one, or a folder's."""

    def __init__(self, root: Path, shown: Shown) -> None:
        self._shown = shown
        self.only = root.name if (root / folder.MANIFEST).is_file() else ""  # the run's name, if there is only one
        self._root = root
        self._real = root.resolve()
        self._known: dict[Path, ServedRun] = {}

    def all(self) -> list[ServedRun]:
        """The current runs, sorted by name."""
        return [self._run(path) for path in self._paths() if self._is_served(path)]

    def find(self, name: str) -> ServedRun:
        """Finds a run by name."""
        for path in self._paths():
            if path.name == name and self._is_served(path):
                return self._run(path)
        raise HTTPException(404, NO_RUN)

    def _run(self, path: Path) -> ServedRun:
        if path not in self._known:
            self._known[path] = ServedRun(path, self._shown)
        return self._known[path]

    def _paths(self) -> list[Path]:
        return [self._root] if self.only else sorted(self._root.iterdir()) if self._root.is_dir() else []

    def _is_served(self, path: Path) -> bool:
        """Whether a path is a run without links leading elsewhere."""
        if not (path.name.isprintable() and (path / folder.MANIFEST).is_file()):
            return False
        links = [each for each in (path, *path.iterdir()) if each.is_symlink() and each != self._root]
        return all([each.resolve().is_relative_to(self._real) for each in links])


class Watch:
    """Looks at something for every page, as long as any asks."""

    def __init__(self, look: Callable[[], dict[str, Any]], end: Callable[[], None]) -> None:
        self._look = look
        self._end = end
        self._known = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._last = 0.0
        self._message = b""

    def touch(self) -> None:
        """Notes a visitor, and starts looking."""
        self._last = time.monotonic()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while time.monotonic() < self._last + IDLE_S:
                with suppress(TourneyError, OSError):  # the run may be about to be overwritten
                    self._message = orjson.dumps(await asyncio.to_thread(self._look))
                    self._known.set()
                await asyncio.sleep(POLL_S)
        finally:
            self._task, self._message = None, b""
            self._known.clear()
            self._end()

    async def news(self) -> bytes:
        """What is known now, after the first look; empty if that fails."""
        self.touch()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._known.wait(), FIRST_S)
        return self._message


class Reporter:
    """Keeps a run's report up to date in a separate process, as long as the run is watched."""

    def __init__(self, run: ServedRun, file: Path, may_begin: Callable[[], bool], say: Callable[[str], None]) -> None:
        self._run, self._file, self._may_begin, self._say = run, file, may_begin, say
        self._made: list[tuple[int, int]] | None = None
        self._due = 0.0
        self._is_beside = False  # the writer keeps rewriting the report
        self._wanted = False
        self._lock = Lock()
        self._newest = 0, b""
        self.writer: ReportProcess | None = None
        self.failed = False
        self.watch = Watch(self._look, self.end)

    def page(self) -> tuple[int, bytes]:
        """The number of the newest page, and its packed text; 0 and empty if there is none yet."""
        self._wanted = True
        with self._lock:  # many requests may want a new page at once
            if (number := self._number()) > self._newest[0]:
                text = self._file.read_bytes().replace(b"<html ", b'<html data-page="%d" ' % number, 1)
                self._newest = number, pack(text)
            return self._newest

    def _number(self) -> int:
        return _changed(self._file)[0] // 1_000_000

    def _look(self) -> dict[str, Any]:
        self._run.read()
        self._write()
        return {"played": self._run.tail.matches, "of": self._run.most, "page": self._number()}

    def _write(self) -> None:
        playing, key = is_being_written(self._run.path), self._run.key()
        if self.writer is None:
            is_due = self._wanted and key != self._made and time.monotonic() >= self._due
            if not (is_due and (playing or self._may_begin())):
                return
            again = BESIDE_S if playing else 0
            task = write_beside, self._run.path.name, str(self._file), None, again, tuple(self._run.shown), True
            self.writer = ReportProcess(*task, where=self._run.path.parent)
            self._made, self._is_beside = key, playing
        elif self._is_beside and not playing:  # the last page is due
            self.writer.stop(at_once=True)
            self.writer = self._made = None
            return
        if self.writer.is_running:
            return
        if why := self.writer.failure():
            self._due = time.monotonic() + AGAIN_S
            self._say(f"{self._run.path}: cannot write the report ({why})")
        self.failed, self.writer = why is not None, None

    def end(self) -> None:
        """Stops the process, if any."""
        self._wanted, self._newest = False, (0, b"")
        if self.writer is not None:
            self.writer.stop(at_once=True)
            self.writer = self._made = None


class Site:
    """The runs' pages, and the news that updates them."""

    def __init__(self, root: Path, temporary: Path, say: Callable[[str], None], shown: Shown = ALL) -> None:
        self._temporary = temporary
        self._say = say
        self._runs = Runs(root, shown)
        self._index = Watch(self._look, lambda: None)
        self._reporters: dict[Path, Reporter] = {}
        self._jobs: Queue[tuple[Future[Any], Callable[[], bytes]]] = Queue()
        self._answers = Answers(say)

    def routes(self) -> Sequence[Route]:
        """The site's routes."""
        return [
            Route("/", self._home),
            Route("/events", self._home_events),
            Route("/runs/{run}", self._with_slash),
            Route("/runs/{run}/", self._report),
            Route("/runs/{run}/events", self._events),
            Route("/runs/{run}/matches", self._with_slash),
            Route("/runs/{run}/matches/", self._list),
            Route("/runs/{run}/matches/{match}", self._match),
            Route("/runs/{run}/matches/{match}/what-if", self._asked),
            Route("/runs/{run}/matches/{match}/beliefs", self._beliefs),
        ]

    def work(self) -> NoReturn:
        """Renders match pages in an endless loop."""
        while True:
            try:
                made, make = self._jobs.get(timeout=POLL_S)  # Ctrl-C right before a wait does not interrupt it
            except Empty:
                continue
            if not made.set_running_or_notify_cancel():
                continue
            try:
                made.set_result(make())
            except Exception as error:  # passed to the request
                made.set_exception(error)

    def close(self) -> None:
        """Stops all processes."""
        for each in self._reporters.values():
            each.end()

    def _run(self, request: Request) -> ServedRun:
        return self._runs.find(request.path_params["run"])

    def _reporter(self, run: ServedRun) -> Reporter:
        if run.path not in self._reporters:
            file = self._temporary / f"{len(self._reporters)}.html"
            self._reporters[run.path] = Reporter(run, file, self._may_begin, self._say)
        return self._reporters[run.path]

    def _may_begin(self) -> bool:
        return len([each for each in self._reporters.values() if each.writer]) < BUILDING

    def refuse(self, request: Request, error: Exception) -> Response:
        """The response for a damaged file; the server's terminal shows the reason."""
        self._say(f"{request.url.path}: {error}")
        return PlainTextResponse("cannot show this page; see the server's terminal\n", 500)

    def miss(self, request: Request, error: Any) -> Response:
        """The page of something missing or refused, which leads back."""
        if request.url.path.endswith(("/what-if", "/beliefs")):  # asked by a page's script
            return PlainTextResponse(f"{error.detail}\n", error.status_code)
        depth = request.url.path.count("/") - 1
        problem = "there is no page at this address" if error.detail == "Not Found" else error.detail
        run = "../" * (depth - 2) if problem != NO_RUN and "run" in request.path_params else ""
        shown = list_page("missing.html.jinja", problem=problem, run=run, home="../" * depth or "./")
        return page(shown, error.headers, error.status_code)

    def _with_slash(self, request: Request) -> Response:
        last = "matches" if request.url.path.endswith("/matches") else request.path_params["run"]
        return RedirectResponse(f"./{_quoted(last)}/")

    def _rows(self) -> list[dict[str, Any]]:
        return sorted([run.row() for run in self._runs.all()], key=lambda row: -row["changed"])

    def _home(self, request: Request) -> Response:
        if self._runs.only:
            return RedirectResponse(f"./runs/{_quoted(self._runs.only)}/")
        rows = self._rows()
        games = sorted({game for row in rows for game in row["games"]})
        chosen = {key: request.query_params.get(key, "") for key in ("name", "kind", "game")}
        runs = [row for row in rows if _is_chosen(row, **chosen)]
        kinds = sorted({row["kind"] for row in rows if row["kind"]})
        shown = {"runs": runs, "kinds": kinds, "games": games, "chosen": chosen, "some": bool(rows)}
        return page(list_page("runs.html.jinja", page=_number(rows), time=_time, **shown))

    async def _home_events(self, request: Request) -> Response:
        return news(request, await self._index.news())

    def _look(self) -> dict[str, Any]:
        return {"page": _number(self._rows())}

    async def _report(self, request: Request) -> Response:
        reporter = self._reporter(run := self._run(request))
        reporter.watch.touch()
        number, text = await asyncio.to_thread(reporter.page)
        if not number and reporter.failed:
            raise HTTPException(500, "this run has no report; see the server's terminal")
        if not number:
            shown = await asyncio.to_thread(run.listed, 1)
            return page(list_page("matches.html.jinja", soon=True, counted=counted, **shown))
        return packed(request, text)

    async def _events(self, request: Request) -> Response:
        return news(request, await self._reporter(self._run(request)).watch.news())

    def _list(self, request: Request) -> Response:
        run, at = self._run(request), number(request.query_params.get("page", "1"))
        shown = run.listed(at, request.query_params.get("bot", ""))
        if not 0 < at <= shown["pages"]:
            raise HTTPException(404, "no such page")
        return page(list_page("matches.html.jinja", soon=False, counted=counted, **shown))

    async def _match(self, request: Request) -> Response:
        run, lines = await self._lines(request)
        if self._jobs.qsize() >= WAITING:
            raise HTTPException(503, "too many requests for matches; try again")
        made: Future[Any] = Future()
        self._jobs.put((made, partial(run.match_page, lines, _changed(run.path / folder.ANALYSIS))))
        return packed(request, await asyncio.wrap_future(made))

    async def _beliefs(self, request: Request) -> Response:
        return await self._answers.beliefs(request, await self._recorded(request))

    async def _asked(self, request: Request) -> Response:
        record = await self._recorded(request)
        seat = number(asked) if (asked := request.query_params.get("seat")) is not None else None
        if seat is not None and not 0 <= seat < len(record.seats):
            raise HTTPException(400, "no such seat in this match")
        return await self._answers.answer(request, record, seat)

    async def _recorded(self, request: Request) -> Record:
        run, (line, *_) = await self._lines(request)
        return parse_sealed_record(line, str(run.path / folder.JOURNAL))

    async def _lines(self, request: Request) -> tuple[ServedRun, tuple[bytes, ...]]:
        run = self._run(request)
        match = request.path_params["match"]
        lines = await asyncio.to_thread(run.lines_of, match)
        if not lines:
            raise HTTPException(404, f"no such match in this run: {one_line(match)}")
        return run, lines


_quoted = partial(quote, safe="")


def _changed(file: Path) -> tuple[int, int]:
    """A file's modification time, in nanoseconds, and its size; 0 if missing."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _number(rows: Sequence[Mapping[str, Any]]) -> int:
    """A number that changes with the index."""
    return crc32(orjson.dumps(rows))


def _is_chosen(row: Mapping[str, Any], name: str, kind: str, game: str) -> bool:
    return name.lower() in row["name"].lower() and kind in ("", row["kind"]) and game in ("", *row["games"])


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def find(target: str | None) -> Path:
    """The run or folder of runs for a target, by default results/; a `RunError` if missing."""
    path = Path(os.path.abspath(target or "results"))
    return path if path.is_dir() or target is None else Path(os.path.abspath(folder.find_run(target)))


def serve(
    root: Path, address: tuple[str, int], names: Sequence[str], ready: Callable[[str, bool], None],
    say: Callable[[str], None], shown: Shown = ALL,
) -> NoReturn:  # fmt: skip
    """Serves a run, or a folder's runs, until a `KeyboardInterrupt`.

    `names` are more host names for requests. `ready` is called once with the address, and whether other machines
    can reach it; `say` is called with errors.
    """
    listener = listen(*address)
    with (
        TemporaryDirectory(prefix="tourney-serve-") as temporary,
        closing(Site(root, Path(temporary), say, shown)) as site,
    ):
        app = application(site.routes(), listener, names)
        for kind in (TourneyError, OSError):
            app.add_exception_handler(kind, site.refuse)
        app.add_exception_handler(HTTPException, site.miss)
        with serving(app, listener):
            ready(*address_of(listener))
            site.work()
