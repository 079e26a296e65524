"""People at a match's table, each with a page behind a secret link: `tourney play --browser`.

The thread that calls `PersonMatch.play` plays the match, and waits here for the answers of requests. Each change sends
a page the whole state of its seat, and nothing about other seats, so new, reloaded and reconnected pages need no
special care.
"""

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import orjson
from markdown_it import MarkdownIt
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tourney.base.errors import ConfigError
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Entry, Game
from tourney.contracts.match import Fault, Record
from tourney.hosts import awake
from tourney.hosts.faults import ChargedError
from tourney.plugins.rules_pages import rules_text
from tourney.report import match_page
from tourney.report.match_data import match_data
from tourney.review.analysis.file import MatchAnalysis
from tourney.runner.person_match import PersonMatch
from tourney.table.replay import LiveMatch, unfinished_record
from tourney.web.answers import Answers
from tourney.web.server import news, page

HERE_S = 5.0  # seconds after a page's last question until its person counts as away
MOST_S = 1.0
"""The longest single wait of the main thread, in seconds: Ctrl-C right before a wait only stops the next one."""
MAX_BODY = 1 << 12  # the longest answer, in bytes


class _Asked(msgspec.Struct):
    seat: int
    decision: int
    actions: Sequence[Mapping[str, str]]  # the legal actions, each with its text and its name in words
    until: float  # when its time is up, by `awake.now`
    answer: str | None = None
    settled: float = inf  # until when the answer can be taken back

    @property
    def left_s(self) -> float:
        return min(self.until, self.settled) - awake.now()


class _Data(NamedTuple):
    """The match so far, for one seat."""

    key: object  # changes whenever the rest may change
    match: bytes  # the viewer's data
    decisions: int  # the number of decisions, as the seat counts
    over: dict[str, Any] | None  # for a finished match: its run, and whether it is analysed
    view: Any  # the seat's view at the same moment; None at the end


class Seats:
    """The people at the table of a match, and their pages, states, answers and rules, behind their secrets."""

    def __init__(self, played: PersonMatch, undo_s: float, move_s: float | None, say: Callable[[str], None]) -> None:
        """Calls `say` with each person who has come, and with errors."""
        self.tokens = {seat: secrets.token_urlsafe(16) for seat in played.people}
        """The secret of each seat, a part of its link."""
        self._played, self._game, self._undo_s, self._move_s, self._say = played, played.game, undo_s, move_s, say
        self._changed = threading.Condition()  # guards the attributes below
        self._asked: _Asked | None = None
        self._asked_at: dict[int, float] = dict.fromkeys(played.people, -inf)
        self._table: Sequence[Entry] = ()
        self._faults: Sequence[Fault] = ()
        self._log: list[Entry] = []  # the part of the table's log that `_live` has followed
        self._live = LiveMatch(played.match, played.game, None, self._log, ())
        self._over: tuple[Record, Path] | None = None
        self._analysis: MatchAnalysis | None = None
        self._is_analysed = False
        self._data: dict[int, _Data] = {}  # the newest of each seat
        self._answers = Answers(say)
        parts = match_page.viewer_parts([played.game], seat=True)
        policy = match_page.content_policy([parts.script], [parts.style], served=True)
        title = played.game.title
        about = match_page.head(f"Your seat: {title}", f"A match of {title}, with you at the table.")
        self._page = match_page.page(parts, policy, about)  # the same for all seats, without match data
        self._by_token = {token: seat for seat, token in self.tokens.items()}

    def follow(self, log: Sequence[Entry], faults: Sequence[Fault]) -> None:
        """Follows the match from its beginning."""
        self._table, self._faults = log, faults

    def decide(self, facts: SeatFacts, view: Any, legal: Sequence[int]) -> int:
        """Asks the page of a seat, and waits for its answer."""
        decision = self._match_data(facts.seat).decisions + 1
        text = self._game.text
        actions = [{"text": text(each), "words": words} for each, words in self._played.called(view, legal).items()]
        until = awake.begin() + (inf if self._move_s is None else self._move_s)
        with self._changed:
            self._asked = asked = _Asked(facts.seat, decision, actions, until)
            while (left_s := asked.left_s) > 0:
                self._changed.wait(waited_s := min(left_s, MOST_S))
                awake.look(waited_s)
            self._asked = None
        if asked.answer is None:
            raise ChargedError("timeout", f"took longer than {self._move_s:g} s")
        return self._game.action(asked.answer)

    def _take(self, seat: int, decision: int, action: str) -> int:
        """Answers for a seat; returns the status: 204, 409 if the decision is not open, 400 for an unknown action."""
        with self._changed:
            asked = self._asked_for(seat, decision)
            if asked is None or asked.answer is not None:
                return 409
            if action not in [each["text"] for each in asked.actions]:
                return 400
            asked.answer, asked.settled = action, awake.now() + self._undo_s
            self._changed.notify_all()
        return 204

    def _take_back(self, seat: int, decision: int) -> int:
        """Takes an answer back; returns the status: 204, or 409 if it is too late."""
        with self._changed:
            asked = self._asked_for(seat, decision)
            if asked is None or asked.answer is None:
                return 409
            asked.answer, asked.settled = None, inf
        return 204

    def _asked_for(self, seat: int, decision: int) -> _Asked | None:
        asked = self._asked
        is_meant = asked is not None and (asked.seat, asked.decision) == (seat, decision) and asked.left_s > 0
        return asked if is_meant else None

    def end(self, record: Record, run: Path) -> None:
        """Shows the end of the match."""
        self._over = record, run

    def show_analysis(self, analysis: MatchAnalysis | None) -> None:
        """Shows the cost of the decisions, if known."""
        self._analysis, self._is_analysed = analysis, True

    def _match_data(self, seat: int) -> _Data:
        played, over = self._played, None
        with self._changed:
            self._log += self._table[len(self._log) :]
            deque(self._live.news(), maxlen=0)
            key = len(self._log), len(self._faults), self._over is None, self._is_analysed
            if (last := self._data.get(seat)) is not None and last.key == key:
                return last
            record = unfinished_record(played.match, played.game, self._log, self._faults)
            view = None if self._live.state.seat is None else self._live.state.view(seat)
            if self._over is not None:
                record, over = self._over[0], {"run": str(self._over[1]), "analysed": self._is_analysed}
            elif self._live.state.seat is None:  # the last decision is shown together with the result
                record = msgspec.structs.replace(record, actions=record.actions.rpartition(" ")[0])
        asks = {"ask": "what-if"} if self._is_analysed and played.game.imagines else None
        match = match_data(record, played.game, seat, self._analysis, what_if=asks)
        data = self._data[seat] = _Data(key, match, orjson.loads(match)["decisions"], over, view)
        return data

    def _state(self, seat: int) -> dict[str, Any]:
        """The content of a seat's page; its `left_s` are times of `awake.now`."""
        asked = self._asked
        data = self._match_data(seat)
        if asked is not None and (asked.seat, asked.decision) != (seat, data.decisions + 1):
            asked = None  # another seat's, or outdated
        question = held = clock = None
        if asked is not None and (answer := asked.answer) is not None:
            words = next(each["words"] for each in asked.actions if each["text"] == answer)
            left = min(asked.settled, asked.until)
            held = {"decision": asked.decision, "action": answer, "words": words, "left_s": left}
        elif asked is not None:
            question = {"decision": asked.decision, "actions": asked.actions}
            clock = {"left_s": asked.until} if asked.until < inf else None
        return {
            "match": data.match,
            "seat": seat,
            "asked": question,
            "said": [] if data.view is None else self._played.situation(data.view),
            "waits": "The match ends" if data.view is None else self._played.deciding(data.view),
            "held": held,
            "clock": clock,
            "people": [
                {"seat": each, "name": name, "here": awake.now() < self._asked_at[each] + HERE_S}
                for each, name in self._played.people.items()
            ],
            "over": data.over,
        }

    def routes(self) -> list[Route]:
        """The routes below the seats' links."""
        return [
            Route("/table/{token}/", self._home),
            Route("/table/{token}/rules", self._rules),
            Route("/table/{token}/events", self._events),
            Route("/table/{token}/answer", self._answer, methods=["POST"]),
            Route("/table/{token}/undo", self._undo, methods=["POST"]),
            Route("/table/{token}/what-if", self._what_if),
        ]

    def _seat(self, request: Request) -> int:
        seat = self._by_token.get(request.path_params["token"])
        if seat is None:
            raise HTTPException(404, "no seat here; check your link")
        return seat

    async def _home(self, request: Request) -> Response:
        self._seat(request)
        return page(self._page)

    async def _rules(self, request: Request) -> Response:
        self._seat(request)
        return HTMLResponse(await asyncio.to_thread(rules_html, self._game))

    async def _events(self, request: Request) -> Response:
        seat = self._seat(request)
        if self._asked_at[seat] == -inf:
            self._say(f"{self._played.people[seat]} has joined")
        self._asked_at[seat] = awake.now()
        state = await asyncio.to_thread(self._state, seat)
        of = orjson.dumps(state | {"match": crc32(state["match"])})  # with the clock's times, which stay
        return news(request, _message(state), of)

    async def _answer(self, request: Request) -> Response:
        seat = self._seat(request)
        match await _body(request):
            case {"decision": int(decision), "action": str(action)}:
                return Response(status_code=self._take(seat, decision, action))
        return Response(status_code=400)

    async def _undo(self, request: Request) -> Response:
        seat = self._seat(request)
        match await _body(request):
            case {"decision": int(decision)}:
                return Response(status_code=self._take_back(seat, decision))
        return Response(status_code=400)

    async def _what_if(self, request: Request) -> Response:
        seat = self._seat(request)
        if self._over is None or not self._is_analysed:
            raise HTTPException(409, "wait for the end of the match and its analysis")
        return await self._answers.answer(request, self._over[0], seat, on_own_page=True)


def _message(state: dict[str, Any]) -> bytes:
    now = awake.now()
    timed = {key: state[key] for key in ("held", "clock") if state[key]}
    timed = {key: each | {"left_s": max(0.0, each["left_s"] - now)} for key, each in timed.items()}
    return orjson.dumps(state | timed | {"match": orjson.Fragment(state["match"])})


async def _body(request: Request) -> Any:
    """The JSON body of a request; None if missing or invalid."""
    body = b""
    try:
        async for chunk in request.stream():
            if len(body := body + chunk) > MAX_BODY:
                return None
        return orjson.loads(body)
    except (ClientDisconnect, ValueError):
        return None


def rules_html(game: Game) -> str:
    """A game's rules as HTML, without links leading away from the table."""
    try:
        text = rules_text(game)
    except ConfigError:
        text = "The rules are not available."
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for link in ("link_open", "link_close"):
        markdown.add_render_rule(link, lambda *_: "")
    return str(markdown.render(text))
