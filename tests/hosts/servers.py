"""A server of bots over real HTTP: it plays the first legal action, or does what a script says instead."""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import orjson


class Request(BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1
    server: Any

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = msgspec.json.decode(body)
        right = {"type": message.get("type")}
        if right["type"] == "act":
            right |= {"decision": message["decision"], "action": message["legal"][0]}
        self.server.asked.append(message)
        way = self.server.script(message, len(self.server.asked) - 1) or says()
        way(self, orjson.dumps(right))

    def reply(self, status: int, body: bytes, /, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"content_type": "application/json", "content_length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def reply_in_chunks(self, body: bytes) -> None:
        pieces = [body[at : at + 50] for at in range(0, len(body), 50)]
        self.wfile.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        self.wfile.write(b"".join([b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""]]))

    def goes_on(self, first: bytes, more: bytes) -> None:
        """Sends something without an end, until the server is closed."""
        self.close_connection = True
        self.wfile.write(first)
        while not self.server.closed.wait(0.02):
            self.wfile.write(more)
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(script: Callable[[Any, int], Any] = lambda message, number: None) -> Iterator[Any]:
    """A server; `script` takes a message and how many came before, and returns the way to answer it, or None."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Request) as found:
        server: Any = found
        server.daemon_threads, server.handle_error = True, lambda *_: None
        server.script, server.closed, server.asked = script, threading.Event(), []
        server.url = f"http://127.0.0.1:{server.server_port}/"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.closed.set()
            server.shutdown()


def says(status: int = 200, body: bytes | None = None, /, **headers: str) -> Callable[[Request, bytes], None]:
    """Answers with a status, a body in place of the right one, and headers."""
    return lambda request, right: request.reply(status, right if body is None else body, **headers)


def changed(**keys: Any) -> Callable[[Request, bytes], None]:
    return lambda request, right: request.reply(200, orjson.dumps(orjson.loads(right) | keys))


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WAYS: dict[str, Callable[[Request, bytes], None]] = {
    "bomb": lambda request, right: request.reply(200, gzip.compress(b" " * 999999 + right), content_encoding="gzip"),
    "breaks off": lambda request, right: request.reply(200, right[:5], content_length="9", connection="close"),
    "dribbles": lambda request, right: request.goes_on(HEAD + b"X-Slow: ", b"x"),
    "endless": lambda request, right: request.goes_on(HEAD + b"\r\n", b" " * 99999),
    "late": lambda request, right: request.server.closed.wait(0.5) or request.reply(200, right),
    "silent": lambda request, right: request.goes_on(b"", b""),
}
