"""What pages ask of a match: other actions than those played, and beliefs, each answered by a process.

Strangers may ask: few processes run at once, each for a limited time, and answers are kept.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from sys import maxsize
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tourney.contracts.match import Record
from tourney.plugins.registry import load_game
from tourney.report.what_if import write_answer, write_beliefs
from tourney.runner.live_page import ReportProcess
from tourney.web.server import number

AT_ONCE = 2
"""The most simultaneous processes; further requests are refused."""
MOST_S = 60.0
"""Seconds after which a process is killed."""
SPAN = 400
"""The most decisions whose beliefs are counted for a request."""
KEPT = 64
"""Answers kept in memory, up to some 100 kB each."""
BUSY = "the server is busy with other decisions; try again in a minute"
SLOW = f"this decision takes longer than {MOST_S:g} s; try one closer to the end"
OK, WRONG, FAULT, AWAY = 200, 400, 500, 503
FAILED = "cannot answer for this decision; see the server's terminal"


class Answers:
    """Answers questions about matches."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Calls `say` with errors that are not the visitor's."""
        self._say = say
        self._asked: dict[tuple[Any, ...], asyncio.Task[tuple[int, bytes]]] = {}

    async def answer(self, request: Request, record: Record, seat: int | None, on_own_page: bool = False) -> Response:
        """Answers a request about a match's decision; if there is a seat, from its view alone.

        A seat's own page must not reveal the number of decisions in the match.
        """
        query = request.query_params
        decision, action = number(query.get("decision", "")), query.get("action", "")
        if not 0 < decision <= (maxsize if on_own_page else record.decisions):
            return _refused(WRONG, f"decision: expected a number from 1 to {record.decisions}")
        if action not in ("", *load_game(record.game).names):
            return _refused(WRONG, f"action: {record.game} has no such action")
        return await self._told(write_answer, record, decision, action, -1 if seat is None else seat, on_own_page)

    async def beliefs(self, request: Request, record: Record) -> Response:
        """Answers a request for a seat's beliefs at some decisions of a match."""
        seat, first, end = [number(request.query_params.get(key, "")) for key in ("seat", "first", "end")]
        if not (0 <= seat < len(record.seats) and 0 < first < (end := min(end, record.decisions + 1))):
            return _refused(WRONG, f"expected a seat below {len(record.seats)}, and decisions from first to end")
        return await self._told(write_beliefs, record, seat, first, min(end, first + SPAN))

    async def _told(self, write: Callable[..., None], record: Record, *of: int | str) -> Response:
        asked = write, record.digest, *of
        if asked not in self._asked:
            if sum([not each.done() for each in self._asked.values()]) >= AT_ONCE:
                return _refused(AWAY, BUSY)
            self._asked[asked] = asyncio.create_task(self._made(write, record, *of))
        task = self._asked[asked] = self._asked.pop(asked)  # the last one asked for is forgotten last
        for each in [each for each in self._asked if self._asked[each].done()][: max(0, len(self._asked) - KEPT)]:
            del self._asked[each]
        status = FAULT
        try:
            status, text = await asyncio.shield(task)
        finally:
            if status >= FAULT and task.done():
                self._asked.pop(asked, None)  # it may go better next time
        return Response(text, media_type="application/json") if status == OK else _refused(status, text.decode())

    async def _made(self, write: Callable[..., None], record: Record, *of: int | str) -> tuple[int, bytes]:
        """The status and text of an answer, from a process."""
        with TemporaryDirectory(prefix="tourney-what-if-") as folder:
            file, until = Path(folder) / "match", time.monotonic() + MOST_S
            file.write_bytes(record.line())
            process = ReportProcess(write, str(file), *of)
            try:
                while process.is_running and time.monotonic() < until:
                    await asyncio.sleep(0.05)
            finally:
                if is_late := process.is_running:
                    process.stop(at_once=True)
            if is_late:
                return AWAY, SLOW.encode()
            if why := process.failure():
                self._say(f"{record.match}: cannot answer a page ({why})")
                return FAULT, FAILED.encode()
            text = file.read_bytes()
        wrong = orjson.loads(text).get("wrong")
        return (OK, text) if wrong is None else (WRONG, wrong.encode())


def _refused(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)
