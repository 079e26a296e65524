"""What our servers have in common: whom they answer, the headers of all they send, and how they start and end."""

import ipaddress
import resource
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from tourney.base.errors import ConfigError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The names by which a browser on this machine reaches a server that only this machine can reach."""
BACKLOG = 64
"""How many connections may come at once; twice as many files are left for all else."""
IDLE_S = 5
"""How long a connection may be silent, in seconds, unless a server says otherwise."""
_NO_FRAMES = "frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; {_NO_FRAMES}",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""The headers of every answer, as far as it has none of its own."""


def page(text: str | bytes, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """The answer that is a page; its content security policy stands in its head, but for what only a header can say."""
    return HTMLResponse(text, headers={"Content-Security-Policy": _NO_FRAMES, **(headers or {})})


def stream(request: Request, events: AsyncIterator[bytes]) -> Response:
    """Streams server-sent events as they come; a HEAD request gets the headers alone."""
    kind, headers = "text/event-stream", {"X-Accel-Buffering": "no"}  # so that nginx passes events on at once
    if request.method == "HEAD":
        return Response(media_type=kind, headers=headers)
    return StreamingResponse(events, media_type=kind, headers=headers)


def application(routes: Sequence[Any], listener: socket.socket, names: Sequence[str] = ()) -> Starlette:
    """An app with these routes; whatever goes wrong is told in one line.

    Where only this machine can reach the listener, only requests for its own names are answered, and for `names`: a
    page from elsewhere whose name is made to lead here reads nothing. Elsewhere, all are, unless there are `names`.
    """
    is_open = not ipaddress.ip_address(listener.getsockname()[0]).is_loopback
    hosts = ["*"] if is_open and not names else [*LOOPBACK, *names]
    app = Starlette(
        routes=[*routes, Route("/favicon.ico", lambda _: Response(status_code=204))],  # which a browser asks for
        middleware=[
            Middleware(_Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        ],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False  # it redirects to absolute addresses, which a proxy may have changed
    return app


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises a `ConfigError` if that is impossible."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]  # Python adds the address
        raise ConfigError(f"{host}, port {port}: cannot listen there ({why}); choose another") from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # for its connections; else an answer takes 40 ms
    return listener


def address_of(listener: socket.socket) -> tuple[str, bool]:
    """The URL of a server, and whether other machines can reach it."""
    address, port = listener.getsockname()[:2]
    return f"http://{f'[{address}]' if ':' in address else address}:{port}", not ipaddress.ip_address(
        address
    ).is_loopback


@contextmanager
def serving(app: Starlette, listener: socket.socket) -> Iterator[threading.Thread]:
    """Context in which a thread answers the requests; at its end, streams that are open are cut off."""
    server, thread = start(app, listener)
    try:
        yield thread
    finally:
        server.should_exit = True
        thread.join()


def start(app: Starlette, listener: socket.socket, idle_s: int = IDLE_S) -> tuple[uvicorn.Server, threading.Thread]:
    """Starts a thread that answers the requests until the process ends; connections are silent for up to `idle_s`."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each stream is an open file
    options = {"ws": "none", "lifespan": "off", "log_level": "error", "access_log": False, "server_header": False}
    server = _Server(uvicorn.Config(app, http=_Connection, backlog=BACKLOG, timeout_keep_alive=idle_s, **options))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    return server, thread


class _Connection(H11Protocol):  # type: ignore[misc]
    """A connection, which is cut off where files that are open would become too many."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 3 * BACKLOG:
            transport.abort()


class _Server(uvicorn.Server):  # type: ignore[misc]
    """Ends without waiting for streams to end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


class _Headers:
    """Adds the headers of every answer."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _refuse(_request: Any, error: Any) -> PlainTextResponse:
    return PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)
