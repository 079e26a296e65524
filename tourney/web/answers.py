"""What pages ask of a match: other actions than those played, and beliefs, each answered by a process.

Strangers may ask: few processes run at once, each for a limited time and as long as a page waits, and answers are kept.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from sys import maxsize
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tourney.contracts.match import Record
from tourney.plugins.registry import load_game
from tourney.report.what_if import write_answer, write_beliefs
from tourney.runner.live_page import ReportProcess
from tourney.web.server import number, pack, packed

AT_ONCE = 2  # the most simultaneous processes; further requests are refused
MOST_S = 60.0  # seconds after which a process is killed
SPAN = 400  # the most decisions whose beliefs are counted for a request
KEPT = 64 << 20  # the most bytes of answers kept in memory, compressed
EACH = 1 << 10  # the bytes counted for the question of an answer kept
LOOK_S = 0.5  # seconds between two looks whether a page still waits
BUSY = "the server is busy with other decisions; try again in a minute"
SLOW = f"this decision takes longer than {MOST_S:g} s; try one closer to the end"
OK, WRONG, FAULT, AWAY = 200, 400, 500, 503
WRONG_START = b'{"wrong":'
FAILED = "cannot answer for this decision; see the server's terminal"


@dataclass
class _Making:
    """An answer being made, and how many requests wait for it."""

    task: "asyncio.Task[tuple[int, bytes]]"
    waiting: int = 0


class Answers:
    """Answers questions about matches."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Calls `say` with errors that are not the visitor's."""
        self._say = say
        self._making: dict[tuple[Any, ...], _Making] = {}
        self._kept: dict[tuple[Any, ...], tuple[int, bytes]] = {}

    async def answer(self, request: Request, record: Record, seat: int | None, on_own_page: bool = False) -> Response:
        """Answers a request about a match's decision; if there is a seat, from its view alone.

        A seat's own page must not reveal the number of decisions in the match. Raises an `HTTPException`.
        """
        query = request.query_params
        decision, action = number(query.get("decision", "")), query.get("action", "")
        if not 0 < decision <= (maxsize if on_own_page else record.decisions):
            raise HTTPException(WRONG, f"decision: expected a number from 1 to {record.decisions}")
        if action not in ("", *load_game(record.game).names):
            raise HTTPException(WRONG, f"action: {record.game} has no such action")
        own = -1 if seat is None else seat, on_own_page
        return await self._told(request, write_answer, record, decision, action, *own)

    async def beliefs(self, request: Request, record: Record) -> Response:
        """Answers a request for a seat's beliefs at some decisions of a match; raises an `HTTPException`."""
        seat, first, end = [number(request.query_params.get(key, "")) for key in ("seat", "first", "end")]
        if not (0 <= seat < len(record.seats) and 0 < first < (end := min(end, record.decisions + 1))):
            raise HTTPException(WRONG, f"expected a seat below {len(record.seats)}, and decisions from first to end")
        return await self._told(request, write_beliefs, record, seat, first, min(end, first + SPAN))

    async def _told(self, request: Request, write: Callable[..., None], record: Record, *of: int | str) -> Response:
        asked = write, record.digest, *of
        known = self._kept.pop(asked) if asked in self._kept else await self._waited(request, asked, record)
        status, text = known
        if status < FAULT:  # otherwise it may go better next time
            self._kept[asked] = known  # the last one asked for is forgotten last
        while sum([len(text) + EACH for _, text in self._kept.values()]) > KEPT:
            del self._kept[next(iter(self._kept))]
        if status != OK:
            raise HTTPException(status, text.decode())
        return packed(request, text, _json)

    async def _waited(self, request: Request, asked: tuple[Any, ...], record: Record) -> tuple[int, bytes]:
        """The status and text of an answer; made only as long as a request waits for it."""
        if asked not in self._making:
            if len(self._making) >= AT_ONCE:
                return AWAY, BUSY.encode()
            write, _, *of = asked
            self._making[asked] = _Making(asyncio.create_task(self._made(write, record, *of)))
        making = self._making[asked]
        making.waiting += 1
        try:
            while not (making.task.done() or await request.is_disconnected()):
                await asyncio.wait([making.task], timeout=LOOK_S)
            return making.task.result() if making.task.done() else (AWAY, BUSY.encode())
        finally:
            making.waiting -= 1
            if not making.waiting:
                making.task.cancel()
                del self._making[asked]

    async def _made(self, write: Callable[..., None], record: Record, *of: int | str) -> tuple[int, bytes]:
        """The status and text of an answer, from a process; one that is OK is packed."""
        with TemporaryDirectory(prefix="tourney-what-if-") as folder:
            file, until, line = Path(folder) / "match", time.monotonic() + MOST_S, record.line()
            file.write_bytes(line)
            process = ReportProcess(write, str(file), *of)
            try:
                while process.is_running and time.monotonic() < until:
                    await asyncio.sleep(0.05)
            finally:
                if is_late := process.is_running:
                    await asyncio.to_thread(process.stop, at_once=True)
            if is_late:
                return AWAY, SLOW.encode()
            why, text = process.failure(), file.read_bytes()
        if why or text == line:  # a game may end its process
            self._say(f"{record.match}: cannot answer a page ({why or 'process ended'})")
            return FAULT, FAILED.encode()
        if text.startswith(WRONG_START):
            return WRONG, orjson.loads(text)["wrong"].encode()
        return OK, await asyncio.to_thread(pack, text)


_json = partial(Response, media_type="application/json")
