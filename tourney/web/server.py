"""The common parts of web servers: allowed hosts, response headers, start and shutdown."""

import asyncio
import gzip
import ipaddress
import resource
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from zlib import crc32

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from tourney.base.errors import ConfigError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")  # the host names of a server that only this machine can reach
BACKLOG = 64  # the most connections waiting at once; twice as many files are reserved for other uses
IDLE_S = 5  # how many seconds a connection may be silent, by default
_NO_FRAMES = "frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; {_NO_FRAMES}",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""The default headers of every response."""


def page(text: str | bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> HTMLResponse:
    """A page as a response; its content security policy is in its head, except for the parts that need a header."""
    return HTMLResponse(text, status, headers={"Content-Security-Policy": _NO_FRAMES, **(headers or {})})


pack = partial(gzip.compress, compresslevel=5, mtime=0)  # compresses a text, for `packed`


def packed(request: Request, text: bytes, make: Callable[..., Response] = page) -> Response:
    """A text that is packed as a response, by default of a page; unpacked for clients that do not accept it so."""
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return make(gzip.decompress(text), headers=headers)
    return make(text, headers=headers | {"Content-Encoding": "gzip"})


def news(request: Request, message: bytes, of: bytes | None = None) -> Response:
    """A message in JSON; an empty response if there is none, or the page has `seen` it, or what it is `of`."""
    seen = f"{crc32(message if of is None else of):08x}"
    if not message or request.query_params.get("seen") == seen:
        return Response(status_code=204)
    return Response(message, media_type="application/json", headers={"X-Seen": seen})


def number(text: str) -> int:
    """The number in a request's query; -1 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def application(routes: Sequence[Any], listener: socket.socket, names: Sequence[str] = ()) -> Starlette:
    """An app with these routes; errors are one line.

    On a loopback listener, it only answers requests for its own names and `names`, so that foreign pages cannot read
    it by DNS rebinding. Otherwise it answers all, unless there are `names`.
    """
    _, is_open = address_of(listener)
    hosts = ["*"] if is_open and not names else [*LOOPBACK, *names]
    app = Starlette(
        routes=[*routes, Route("/favicon.ico", lambda _: Response(status_code=204))],  # requested by browsers
        middleware=[Middleware(_Headers), Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False  # it would redirect to absolute addresses, wrong behind a proxy
    return app


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises a `ConfigError` if that is impossible."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]  # Python adds the address
        raise ConfigError(f"cannot listen on {host}, port {port} ({why}); choose another") from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # for its connections; else an answer takes 40 ms
    return listener


def address_of(listener: socket.socket) -> tuple[str, bool]:
    """The URL of a server, and whether other machines can reach it."""
    address, port = listener.getsockname()[:2]
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}:{port}", not ipaddress.ip_address(address).is_loopback


@contextmanager
def serving(app: Starlette, listener: socket.socket) -> Iterator[threading.Thread]:
    """Context in which a thread answers requests; its end cuts open requests off."""
    server, thread = start(app, listener)
    try:
        yield thread
    finally:
        server.should_exit = True
        thread.join()


def start(app: Starlette, listener: socket.socket, idle_s: int = IDLE_S) -> tuple[uvicorn.Server, threading.Thread]:
    """Starts a thread that answers the requests until the process ends; connections may be silent for `idle_s`."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection is an open file
    options = {"ws": "none", "lifespan": "off", "log_level": "error", "access_log": False, "server_header": False}
    server = _Server(uvicorn.Config(app, http=_Connection, backlog=BACKLOG, timeout_keep_alive=idle_s, **options))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    return server, thread


class _Connection(H11Protocol):  # type: ignore[misc]
    """A connection; refused when open files would become too many."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 3 * BACKLOG:
            transport.abort()


class _Server(uvicorn.Server):  # type: ignore[misc]
    """Shuts down without waiting for open requests, which are cancelled with the answers that they wait for."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.force_exit = True
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


class _Headers:
    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        with suppress(asyncio.CancelledError):  # at shutdown
            await self._app(scope, receive, send_with_headers)


def _refuse(_request: Any, error: Any) -> PlainTextResponse:
    return PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)
