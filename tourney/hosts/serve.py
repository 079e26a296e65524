"""A Python bot as a server for the host `http`: one for all seats and matches (docs/hosts-and-limits, docs/protocol).

A separate thread reads requests. The bot's code runs in the thread that calls `serve`, one call at a time.
"""

import asyncio
import io
import ipaddress
import math
import pickle
import pickletools
import socket
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import orjson

from tourney.base.errors import ConfigError, MissingExtraError, PluginError, TourneyError, printable
from tourney.contracts.bot import UnavailableError
from tourney.contracts.game import View
from tourney.hosts import prints
from tourney.hosts.faults import ChargedError
from tourney.hosts.http import JSON, PICKLE
from tourney.hosts.process.server import BotServer, facts_of
from tourney.hosts.service import seconds_until
from tourney.plugins.failures import in_one_line, place
from tourney.plugins.registry import BotPlugin, load_bot

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MOST_SEATS = 10_000
"""How many seats of matches are remembered; the least recently asked are forgotten."""
MAX_BODY = 1 << 22
"""The length of the longest request, in bytes."""
MAX_NAME = 200
"""The length of the longest name of a match."""
IDLE_S = 600
"""How long a connection may be silent, in seconds; a client may be about to use it when it is closed."""
OPCODES = """
PROTO FRAME STOP MEMOIZE BINGET LONG_BINGET MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT
SHORT_BINUNICODE BINUNICODE SHORT_BINBYTES BINBYTES EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 FROZENSET
EMPTY_DICT SETITEM SETITEMS STACK_GLOBAL NEWOBJ REDUCE
"""
"""What the pickle of a message may do: make a dictionary of immutable values. None of it changes a class."""
_OPCODES = frozenset(OPCODES.split())


class BadRequestError(Exception):
    """Not a valid request to a bot; `status` is the response's."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


class _Seat:
    """A seat of a match: its bot, and the last answer, which is given again if the request is repeated."""

    __slots__ = ("answer", "asked", "server")

    def __init__(self, server: BotServer) -> None:
        self.server: BotServer | None = server  # None once the bot is no longer asked
        self.asked: tuple[Any, ...] | None = None
        self.answer: Future[bytes] = Future()


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
        self._packages: set[str] = set()  # the packages of the requested games, whose views are read
        self._seats: OrderedDict[tuple[str, int], _Seat] = OrderedDict()
        self._questions: Queue[_Question] = Queue()

    def message(self, body: bytes, content_type: str) -> dict[str, Any]:
        """Returns the message in the body of a request; raises a `BadRequestError`."""
        try:
            if content_type == PICKLE:
                message = _unpickled(body, self._packages)
            elif content_type == JSON:
                message = orjson.loads(body)
            else:
                raise BadRequestError(f"the content type must be {JSON} or {PICKLE}", 415)
        except Exception as error:
            if isinstance(error, BadRequestError):
                raise
            raise BadRequestError(f"invalid body: {in_one_line(error)}") from None
        match message:
            case {"type": "start" | "end", "match": str(match), "seat": int()} if len(match) <= MAX_NAME:
                return dict(message)
            case {"type": "act", "match": str(), "seat": int(), "decision": int(), "view": View(), "legal": tuple()}:
                return dict(message)
            case {"type": "act"} if content_type != PICKLE:
                raise BadRequestError(
                    f"the bot is written in Python and needs views as objects, with content type {PICKLE}"
                )
        raise BadRequestError("the body is not a message of the protocol with a match and a seat")

    def take(self, message: dict[str, Any]) -> "Future[bytes]":
        """Returns the answer to come; raises a `BadRequestError`.

        A message that is repeated because its answer was lost does not ask the bot again.
        """
        key, kind = (message["match"], message["seat"]), message["type"]
        asked = kind, message.get("decision"), message.get("attempt")
        seat = self._seats.get(key)
        if seat is None or (kind == "start" and asked != seat.asked):
            if kind != "start":
                raise BadRequestError("unknown match", 409)
            seat = self._seats[key] = self._new_seat(message)
            if len(self._seats) > MOST_SEATS:
                self._seats.popitem(last=False)
        self._seats.move_to_end(key)
        if seat.server is not None and asked != seat.asked:
            seat.asked, seat.answer = asked, Future()
            if self._many is not None and kind != "act":
                seat.answer.set_result(seat.server.answer(message))
            else:
                self._questions.put(_Question(seat, seat.server, message, seat.answer, time.monotonic()))
        return seat.answer

    def _new_seat(self, message: dict[str, Any]) -> _Seat:
        try:
            game = facts_of(message).game
        except (AttributeError, KeyError, TypeError, ValueError, TourneyError) as error:
            raise BadRequestError(f"start: {in_one_line(error)}") from None
        if self._plugin.games is not None and game.name not in self._plugin.games:
            raise BadRequestError(f"the bot plays {', '.join(self._plugin.games)}, not {game.name}")
        module = type(game).__module__
        self._packages.add(sys.modules[module].__package__ or module)
        return _Seat(BotServer(self._make, self._is_service))

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


class _Unpickler(pickle.Unpickler):
    """Reads views and their named tuples, of the games in some packages, and nothing else."""

    def __init__(self, body: bytes, packages: set[str]) -> None:
        super().__init__(io.BytesIO(body))
        self._packages = packages

    def find_class(self, module: str, name: str) -> Any:
        if any([f"{module}.".startswith(f"{package}.") for package in self._packages]):
            value = getattr(sys.modules.get(module), name, None)
            if isinstance(value, type) and value.__module__ == module and _is_of_views(value):
                return value
        raise pickle.UnpicklingError(f"{module}.{name} is neither a view nor a named tuple of a played game")


def _is_of_views(kind: type[Any]) -> bool:
    return issubclass(kind, View) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def _unpickled(body: bytes, packages: set[str]) -> Any:
    for opcode, _, _ in pickletools.genops(body):
        if opcode.name not in _OPCODES:
            raise pickle.UnpicklingError(f"{opcode.name} is not allowed in a message")
    return _Unpickler(body, packages).load()


def serve(
    use: str,
    options: dict[str, Any],
    address: tuple[str, int],
    batch: int,
    wait_ms: float,
    ready: Callable[[str, bool], None],
    say: Callable[[str], None],
) -> NoReturn:
    """Serves a bot until this process is stopped.

    `ready` receives the address once, and whether other machines can reach it; `say` receives each fault. A bot with
    `act_many` is asked up to `batch` questions at once, or as many as come within `wait_ms` of the first.
    """
    try:
        import uvicorn  # noqa: PLC0415 - few commands serve
        from starlette.applications import Starlette  # noqa: PLC0415
        from starlette.routing import Route  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("a bot as a server", "http", "starlette and uvicorn") from None
    listener = listen(*address)
    with prints.redirected():
        bot = ServedBot(load_bot(use, Path()), options, batch, wait_ms)
    app = Starlette(routes=[Route("/", _endpoint(bot), methods=["POST"])])
    config = uvicorn.Config(app, lifespan="off", log_level="error", access_log=False, timeout_keep_alive=IDLE_S)
    ready(*address_of(listener))
    with prints.redirected():
        threading.Thread(target=uvicorn.Server(config).run, args=([listener],), daemon=True).start()
        bot.run(say)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises a `ConfigError` if that is impossible."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]  # Python adds the address
        raise ConfigError(f"cannot listen on {host}, port {port} ({why}); choose another") from None
    listener.setsockopt(
        socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
    )  # inherited by its connections; without it an answer takes 40 ms
    return listener


def address_of(listener: socket.socket) -> tuple[str, bool]:
    """The URL of a server, and whether other machines can reach it."""
    address, port = listener.getsockname()[:2]
    return f"http://{f'[{address}]' if ':' in address else address}:{port}", not ipaddress.ip_address(
        address
    ).is_loopback


def _endpoint(bot: ServedBot) -> Callable[["Request"], Any]:
    from starlette.requests import ClientDisconnect  # noqa: PLC0415 - few commands serve
    from starlette.responses import JSONResponse, Response  # noqa: PLC0415

    async def answer(request: "Request") -> "Response":
        body = bytearray()
        headers = {}
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY:
                    raise BadRequestError(f"the body is longer than {MAX_BODY} bytes", 413)
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            line = await asyncio.wrap_future(bot.take(bot.message(bytes(body), kind)))
        except ClientDisconnect:
            return Response(status_code=400)  # the client has gone
        except BadRequestError as error:
            status, why = error.status, str(error)
        except UnavailableError as error:
            status, why = 503, str(error)
            if (seconds := seconds_until(error.retry_after)) is not None:
                headers = {"Retry-After": str(math.ceil(seconds))}
        else:
            return Response(line, media_type=JSON)
        return JSONResponse({"type": "error", "detail": why}, status, headers)

    return answer
