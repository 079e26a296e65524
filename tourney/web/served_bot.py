"""A Python bot as a server for the host `http`: one for all seats and matches (docs/hosts-and-limits, docs/protocol).

A separate thread reads requests. The bot's code runs in the thread that calls `serve`, one call at a time.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any, NamedTuple, NoReturn

import msgspec
import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tourney.base.errors import PluginError, printable
from tourney.contracts.bot import UnavailableError
from tourney.contracts.game import View
from tourney.hosts import prints
from tourney.hosts.faults import ChargedError
from tourney.hosts.process.server import BotServer, facts_of
from tourney.hosts.service import seconds_until
from tourney.hosts.transport import JSON
from tourney.plugins.failures import in_one_line, place
from tourney.plugins.registry import BotPlugin, load_bot
from tourney.web.server import address_of, application, listen, start

MOST_SEATS = 10_000  # how many seats of matches are remembered; the least recently asked are forgotten
MAX_BODY = 1 << 22  # the length of the longest request, in bytes
MAX_REST = 1 << 16  # the length of all but the view in it, in bytes
MAX_NAME = 200  # the length of the longest name of a match
IDLE_S = 600  # how long a connection may be silent, in seconds; a client may be about to use it when it is closed
BODY_S = 60  # how long a request may take to arrive, in seconds


@dataclass(slots=True)
class _Seat:
    """A seat of a match: its bot, and the last answer, which is given again if the request is repeated."""

    server: BotServer | None  # None once the bot is no longer asked
    view: type[View]  # the type of its game's views
    asked: tuple[Any, ...] | None = None
    answer: "Future[bytes]" = field(default_factory=Future)


class _Question(NamedTuple):
    """A message that waits for the bot."""

    seat: _Seat
    server: BotServer
    message: dict[str, Any]
    answer: "Future[bytes]"
    came_s: float


class ServedBot:
    """A bot that is asked by requests: one object a match, or a single one if it has `act_many`."""

    def __init__(self, plugin: BotPlugin, options: dict[str, Any], batch: int, wait_ms: float) -> None:
        self._make = plugin.maker(options, "options")
        self._plugin = plugin
        self._is_service = plugin.is_service
        self._many: Callable[..., Any] | None = None
        if callable(getattr(plugin.make, "act_many", None)):
            try:
                self._many = self._make().act_many
            except BaseException as error:  # a bot may raise anything, SystemExit too
                raise PluginError(f'bot "{plugin.use}" cannot be created: {in_one_line(error)}{place(error)}') from None
            self._make = lambda: None
        self._most = 1 if self._many is None else batch
        self._wait_s = wait_ms / 1000
        self._seats: OrderedDict[tuple[str, int], _Seat] = OrderedDict()
        self._questions: Queue[_Question] = Queue()

    def message(self, body: bytes, content_type: str) -> dict[str, Any]:
        """Returns the message in the body of a request, a view in it as an object; raises an `HTTPException`."""
        if content_type != JSON:
            raise HTTPException(415, f"the content type must be {JSON}")
        try:
            parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            raw_view = parts.pop("view", msgspec.Raw(b"null"))  # read by its type alone, which costs little
            if sum(map(len, map(bytes, parts.values()))) > MAX_REST:
                raise HTTPException(413, f"the body is longer than {MAX_REST} bytes without its view")
            message: Any = {key: msgspec.json.decode(raw) for key, raw in parts.items()}
            match message:
                case {"type": "start" | "end", "match": str(match), "seat": int()} if len(match) <= MAX_NAME:
                    return dict(message)
                case {"type": "act", "match": str(match), "seat": int(seat), "decision": int()}:
                    view = msgspec.json.decode(raw_view, type=self._seat(match, seat).view)
                    legal = msgspec.convert(message.get("legal"), tuple[int, ...])
                    return {**message, "view": view, "legal": legal}
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, f"invalid body: {in_one_line(error)}") from None
        raise HTTPException(400, "the body is not a message of the protocol with a match and a seat")

    def _seat(self, match: str, seat: int) -> _Seat:
        if (match, seat) not in self._seats:
            raise HTTPException(409, "unknown match")
        return self._seats[match, seat]

    def take(self, message: dict[str, Any]) -> "Future[bytes]":
        """Returns the answer to come; raises an `HTTPException`.

        A message that is repeated because its answer was lost does not ask the bot again.
        """
        key, kind = (message["match"], message["seat"]), message["type"]
        asked = kind, message.get("decision"), message.get("attempt")
        if kind == "start" and (key not in self._seats or asked != self._seats[key].asked):
            self._seats[key] = self._new_seat(message)
            if len(self._seats) > MOST_SEATS:
                self._seats.popitem(last=False)
        seat = self._seat(*key)
        self._seats.move_to_end(key)
        if seat.server is not None and asked != seat.asked:
            seat.asked, seat.answer = asked, Future()
            if self._many is not None and kind != "act":
                seat.answer.set_result(seat.server.answer(message))
            else:
                self._questions.put(_Question(seat, seat.server, message, seat.answer, time.monotonic()))
        return seat.answer

    def _new_seat(self, message: dict[str, Any]) -> _Seat:
        if self._plugin.games is not None and message.get("game") not in self._plugin.games:
            raise HTTPException(400, f"start: the bot plays {', '.join(self._plugin.games)}")
        try:
            facts = facts_of(message)
            view = facts.game.start(facts.seats, facts.options, 0).view(facts.seat)
        except Exception as error:  # a game may raise anything where it is given nonsense
            raise HTTPException(400, f"start: {in_one_line(error)}") from None
        return _Seat(BotServer(self._make, self._is_service), type(view))

    def run(self, say: Callable[[str], None]) -> NoReturn:
        """Asks the bot every question as it comes, forever; `say` receives each fault."""
        while True:
            batch = self._batch()
            for question, answer in zip(batch, self._ask(batch), strict=True):
                seat, message = question.seat, question.message
                if isinstance(answer, UnavailableError):
                    seat.asked = None
                    question.answer.set_exception(answer)
                    continue
                parsed = orjson.loads(answer)
                if "fault" in parsed:
                    name = printable(message["match"])
                    say(f"match {name}, seat {message['seat']}: {parsed['fault']}: {parsed['detail']}")
                if parsed["type"] == "end" or parsed.get("fault", "illegal") != "illegal":
                    seat.server = None
                question.answer.set_result(answer)

    def _batch(self) -> list[_Question]:
        batch = [self._questions.get()]
        while len(batch) < self._most:
            left_s = batch[0].came_s + self._wait_s - time.monotonic()
            try:
                batch.append(self._questions.get(left_s > 0, left_s))
            except Empty:
                break
        return batch

    def _ask(self, batch: list[_Question]) -> list[bytes | UnavailableError]:
        messages = [question.message for question in batch]
        try:
            if self._many is None:
                return [question.server.answer(question.message) for question in batch]
            chosen = list(self._many([each["view"] for each in messages], [each["legal"] for each in messages]))
            if len(chosen) != len(batch):
                raise ChargedError("illegal", f"act_many gave {len(chosen)} answers to {len(batch)} views")
        except BaseException as error:  # a bot may raise anything, SystemExit too
            if self._is_service and issubclass(type(error), UnavailableError):
                return [error] * len(batch)  # type: ignore[list-item]
            if len(batch) > 1:
                return [answer for question in batch for answer in self._ask([question])]
            return [batch[0].server.fault(messages[0], error)]
        return [question.server.reply(question.message, each) for question, each in zip(batch, chosen, strict=True)]


def serve(
    use: str, options: dict[str, Any], address: tuple[str, int], names: Sequence[str], batch: int, wait_ms: float,
    ready: Callable[[str, bool], None], say: Callable[[str], None],
) -> NoReturn:  # fmt: skip
    """Serves a bot until this process is stopped.

    `names` are further host names to accept. `ready` receives the address once, and whether other machines can reach
    it; `say` receives each fault. A bot with `act_many` is asked up to `batch` questions at once, or as many as come
    within `wait_ms` of the first.
    """
    listener = listen(*address)
    with prints.redirected():
        bot = ServedBot(load_bot(use, Path()), options, batch, wait_ms)
    app = application([Route("/", _endpoint(bot), methods=["POST"])], listener, names)
    ready(*address_of(listener))
    with prints.redirected():
        start(app, listener, IDLE_S)
        bot.run(say)


def _endpoint(bot: ServedBot) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        body = bytearray()
        headers = {}
        try:
            async with asyncio.timeout(BODY_S):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > MAX_BODY:
                        raise HTTPException(413, f"the body is longer than {MAX_BODY} bytes")
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            line = await asyncio.wrap_future(bot.take(bot.message(bytes(body), kind)))
        except ClientDisconnect:
            return Response(status_code=400)  # the client has gone
        except TimeoutError:
            status, why = 408, f"the body takes longer than {BODY_S} s"
        except HTTPException as error:
            status, why = error.status_code, error.detail
        except UnavailableError as error:
            status, why = 503, str(error)
            if (seconds := seconds_until(error.retry_after)) is not None:
                headers = {"Retry-After": str(math.ceil(seconds))}
        else:
            return Response(line, media_type=JSON)
        return JSONResponse({"type": "error", "detail": why}, status, headers)

    return answer
