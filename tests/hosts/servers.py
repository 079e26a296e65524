"""A server of bots over real HTTP: it plays the first legal action, or does what a script says instead."""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: "BotServer"

    def do_POST(self) -> None:
        message = self.server.read(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"type": message["type"]}
        if message["type"] == "act":
            answer |= {"decision": message["decision"], "action": message["legal"][0]}
        with self.server.lock:
            self.server.asked.append((message, dict(self.headers)))
            way = self.server.script(message, len(self.server.asked) - 1)
        (way or says())(self, orjson.dumps(answer))

    def reply(self, status: int, body: bytes, /, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"content_type": "application/json", "content_length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def goes_on(self, first: bytes, more: bytes) -> None:
        """Sends something without an end, until the server is closed."""
        self.wfile.write(first)
        while not self.server.closed.wait(0.02):
            self.wfile.write(more)
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


class BotServer(ThreadingHTTPServer):
    """`script` is called with a message and how many came before, and returns the way to answer it, or None."""

    daemon_threads = True
    read: Callable[[bytes], Any] = staticmethod(orjson.loads)

    def __init__(self, script: Callable[[Any, int], Any]) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.script, self.lock, self.closed = script, threading.Lock(), threading.Event()
        self.asked: list[tuple[Any, dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def handle_error(self, *_: object) -> None:
        """Prints nothing: the other side may go at any time."""


@contextmanager
def serving(script: Callable[[Any, int], Any] = lambda message, number: None) -> Iterator[BotServer]:
    with BotServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.closed.set()
            server.shutdown()
            thread.join()


def says(status: int = 200, body: bytes | None = None, /, **headers: str) -> Callable[[Request, bytes], None]:
    """Answers with a status, a body in place of the right one, and headers."""
    return lambda request, right: request.reply(status, right if body is None else body, **headers)


def changed(**keys: Any) -> Callable[[Request, bytes], None]:
    """Answers with other values in place of the right ones."""
    return lambda request, right: request.reply(200, orjson.dumps(orjson.loads(right) | keys))


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WAYS: dict[str, Callable[[Request, bytes], None]] = {
    "bomb": lambda request, right: request.reply(200, gzip.compress(b" " * 999999 + right), content_encoding="gzip"),
    "breaks off": lambda request, right: request.reply(200, right[:5], content_length="9", connection="close"),
    "dribbles": lambda request, right: request.goes_on(HEAD + b"X-Slow: ", b"x"),
    "endless": lambda request, right: request.goes_on(HEAD + b"\r\n", b" " * 99999),
    "silent": lambda request, right: request.goes_on(b"", b""),
}
