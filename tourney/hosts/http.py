"""Bots that are servers: the messages of the wire protocol as the bodies of POST requests (docs/protocol).

A request has one of three results, which are never mixed: an answer, right or wrong, from the bot; nothing usable now,
because the service is away; or something that no bot's server sends, because the address is wrong.
"""

import os
import re
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from http.client import responses
from pathlib import Path
from typing import Annotated, Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec
import orjson

from tourney.base.errors import ConfigError, MissingExtraError, ServiceError, one_line
from tourney.contracts.bot import Noted, Outcome, SeatFacts, UnavailableError
from tourney.contracts.game import Options
from tourney.hosts import base
from tourney.hosts.base import HTTP_HOST, BotSpec, HostedBot
from tourney.hosts.faults import ChargedError
from tourney.hosts.limits import ENFORCED
from tourney.hosts.process import protocol
from tourney.hosts.service import ServiceHost

JSON = "application/json"
FROM_ENVIRONMENT = "env:"
"""The start of a header's value that is in an environment variable."""
HIDDEN = "(secret)"
"""Replaces such a header's value, and its longer parts, in everything that is kept or shown."""
READ_BYTES = 4096
"""How much of an answer is read at once, at most: most are short, and large buffers would break up the memory."""
LEAST = 6
"""The fewest characters of such a value, and of a hidden part: shorter texts are in many harmless ones."""
SHOWN = 500
"""How many characters are shown of an address and its answers."""
_SET_HERE = {"accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
_SECRET = re.compile(r"authorization|cookie|key|token|secret|password", re.IGNORECASE)
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")
_BY_NAME = 'name an environment variable that holds it, for example headers = { Authorization = "env:MY_KEY" }'
_REMEDIES = {
    **dict.fromkeys([401, 403], "check its headers"),
    409: "make it remember its matches",
}
"""The remedy for each status."""
Write: TypeAlias = Callable[[dict[str, Any]], bytes]
"""Takes the additions to a message that asks again, and returns the message."""


class HttpOptions(Options, frozen=True):
    """The options in a server's `[[bot]]` table."""

    url: str = ""
    """The address that messages are posted to."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Headers of each request; `env:NAME` stands for an environment variable."""
    retries: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """How often the server is asked again after an illegal or unreadable answer."""

    def __post_init__(self) -> None:
        """Raises a `ValueError` that names the key if the request is impossible or would give a secret away."""
        if self.url and (problem := _url_problem(self.url)):
            raise ValueError(f"url: {problem}")
        for name, value in self.headers.items():
            if not _HEADER.fullmatch(name) or not _VALUE.fullmatch(value):
                raise ValueError(f"headers: {one_line(name)}: not a header; use printable ASCII characters")
            if name.lower() in _SET_HERE:
                raise ValueError(f"headers.{name}: set by tourney itself; remove it")
            if _SECRET.search(name) and not value.startswith(FROM_ENVIRONMENT):
                raise ValueError(f"headers.{name}: possibly a secret; {_BY_NAME}")


def _url_problem(url: str) -> str:
    """The problem of a server's address; empty if there is none. It may contain a secret, so no part of it is shown."""
    if not re.fullmatch("[!-~]*", url):
        return "invalid characters; percent-encode them, for example %20"
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        return 'not a server address; for example url = "http://127.0.0.1:8000"'
    if "@" in parts.netloc:
        return f"user and password not allowed; remove them, and {_BY_NAME}"
    if any([_SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)]):
        return f"secret not allowed; remove it, and {_BY_NAME}"
    return ""


class HttpHost(ServiceHost):
    """Asks a server, which serves all seats of all matches."""

    name = HTTP_HOST
    Options = HttpOptions
    enforces = ENFORCED - {"cpu_ms", "cpu", "memory_mb"}  # it runs elsewhere

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        options = base.host_options(type(self), spec)
        assert isinstance(options, HttpOptions)
        self._retries = options.retries
        self._server = Server(spec.name, options, spec.limits.call_s)
        self.close = self._server.close  # type: ignore[method-assign]
        super().__init__(spec.name, spec.limits, self._bot)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns None: a server is not asked which games it plays before a match."""
        cls.create(spec, None).close()
        return None

    def _bot(self, facts: SeatFacts, rng_seed: int) -> HostedBot:
        return HttpBot(self._server, self._retries, facts, rng_seed)


class HttpBot:
    """A bot on a server, for one match."""

    def __init__(self, server: "Server", retries: int, facts: SeatFacts, rng_seed: int) -> None:
        """Tells the bot the facts; raises what `act` raises."""
        self._server = server
        self._retries = retries
        self._facts = facts
        self._match = secrets.token_hex(16)
        self._decisions = 0
        self._again: dict[str, Any] = {}  # the additions to a message that asks again
        start, ids = protocol.start_message(facts, rng_seed), {"match": self._match, "protocol": protocol.VERSION}
        answer, _ = self._ask("start", lambda again: _joined(start, {**ids, **again}))
        self._python = answer.get("form") == "python"

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Returns the action that the server answers.

        Raises:
            ChargedError: The server answers wrongly, also when it is asked again.
            UnavailableError: It does not answer; the next call continues from there.
            ServiceError: The address is not a bot's server.
        """
        number, facts, ids = self._decisions + 1, self._facts, {"match": self._match, "seat": self._facts.seat}

        def write(again: dict[str, Any]) -> bytes:
            if not self._python:
                text = protocol.text_act_message(number, view, legal, facts.game, facts.clock)
                return _joined(text, {**ids, **again})
            return msgspec.json.encode({**protocol.act_message(number, view, legal, facts.clock), **ids, **again})

        def read(answer: dict[str, Any], last: bool) -> int | Noted:
            chosen = protocol.parse_choice(answer, number, facts.game, self._python)
            action = chosen.action if isinstance(chosen, Noted) else chosen
            if action not in legal and not last:
                raise ChargedError("illegal", "not a legal action")
            return chosen

        chosen: int | Noted
        chosen, attempts = self._ask("act", write, read)
        self._decisions = number
        if attempts == 1:
            return chosen
        noted = chosen if isinstance(chosen, Noted) else Noted(chosen)
        if isinstance(noted.note, dict):
            noted.note = {**noted.note, "attempts": attempts}
        return noted

    def end(self, outcome: Outcome) -> None:
        """Tells the server how the match ended; raises what `act` raises."""
        end, ids = protocol.end_message(outcome), {"match": self._match, "seat": self._facts.seat}
        self._ask("end", lambda again: _joined(end, {**ids, **again}))

    def close(self) -> None:
        """Does nothing: the server keeps no connection for a match."""

    def _ask(
        self, kind: str, write: Write, read: Callable[[dict[str, Any], bool], Any] = lambda answer, _last: answer
    ) -> tuple[Any, int]:
        """Returns the result of `read` for the answer to a message, and the number of attempts.

        A fault that the bot reports itself is final.
        """
        self._server.begin()
        while True:
            attempt = self._again.get("attempt", 1)
            last = attempt > self._retries
            try:
                answer = protocol.parse_object(self._server.post(write(self._again)), kind)
                parsed = None if "fault" in answer else read(answer, last)
            except ChargedError as error:
                if not last:
                    self._again = {"attempt": attempt + 1, "wrong": error.detail}
                    continue
                error.detail += f", at attempt {attempt}" if attempt > 1 else ""
                raise
            protocol.raise_reported(answer)
            self._again = {}
            return parsed, attempt


def _joined(message: bytes, more: dict[str, Any]) -> bytes:
    """Adds keys to a message, a line of JSON, without reading its long view again."""
    return message[:-2] + b"," + orjson.dumps(more)[1:]


class Server:
    """Posts messages to one address, from any number of threads."""

    def __init__(self, name: str, options: HttpOptions, call_s: float) -> None:
        try:
            import httpcore  # noqa: PLC0415 - few bots are servers
        except ImportError:
            raise MissingExtraError(f"bot {name}", "http", "httpcore") from None
        parts = urlsplit(options.url)
        self._url = options.url
        self._address = f"{parts.scheme}://{parts.netloc}{parts.path}"
        self._name = name
        self._call_s = call_s
        self._headers, self._secrets = _headers(name, options.headers)
        self._backend = _Backend(httpcore.SyncBackend())
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls_context(os.environ.get("SSL_CERT_FILE")) if parts.scheme == "https" else None,
            proxy=_proxy(parts.scheme, parts.hostname or ""),
            max_connections=None,
            network_backend=self._backend,
        )
        self.close = self._pool.close

    def begin(self) -> None:
        """Starts the time that `call_s` bounds, in this thread."""
        self._backend.begin(self._call_s)

    def post(self, message: bytes) -> bytes:
        """Returns the body of the answer, without secrets; raises what `HttpBot.act` raises."""
        import httpcore  # noqa: PLC0415 - few bots are servers

        # parts of an answer are taken as they come: a compressed one is refused, never inflated
        headers = {"Accept-Encoding": "identity", "Content-Type": JSON, **self._headers}
        try:
            with self._pool.stream("POST", self._url, headers=headers, content=message) as response:
                self._examine(response)
                body = _body(response)
        except (httpcore.TimeoutException, TimeoutError):
            raise self._away(f"did not answer in full within {self._call_s:g} s") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            raise self._failure(error) from None
        return self._without_secrets(body)

    def _examine(self, response: Any) -> None:
        """Raises the error for a response without a bot's answer, before its body is read."""
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in response.headers}
        status = f"{response.status} {responses.get(response.status, '')}".strip()
        if response.status in (408, 429) or response.status >= 500:
            raise self._away(f"answered {status}", headers.get("retry-after"))
        if 300 <= response.status < 400:
            place = headers.get("location", "elsewhere").partition("?")[0].rpartition("@")[2]
            raise self._wrong(f"redirects to {place} ({status})", "use the final address")
        if response.status != 200:
            remedy = _REMEDIES.get(response.status, "check its url")
            raise self._wrong(f"answered {status}{_detail(response)}", remedy)
        if (encoding := headers.get("content-encoding", "identity")) != "identity":
            raise self._wrong(f"compresses its answers ({encoding})", "turn compression off")
        kind = headers.get("content-type", "no content type").partition(";")[0].strip().lower()
        if kind != JSON:
            raise self._wrong(f"answered with {kind}, expected {JSON}", "check its url")

    def _failure(self, error: Exception) -> Exception:
        cause = error.args[0] if error.args else None
        if isinstance(cause, ssl.SSLCertVerificationError):
            remedy = "correct it, or set the environment variable SSL_CERT_FILE to its authority's file"
            return self._wrong(f"has an invalid certificate: {cause.verify_message}", remedy)
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
            return self._wrong(f"does not speak TLS: {cause.reason}", "check https in its url")
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return self._wrong("has an unknown host name", "check its url")
        return self._away(f"did not answer ({error})")

    def _away(self, why: str, retry_after: str | None = None) -> UnavailableError:
        return UnavailableError(self._shown(f"{self._address} {why}"), retry_after)

    def _wrong(self, why: str, remedy: str) -> ServiceError:
        return ServiceError(f"bot {self._name}: {self._shown(f'{self._address} {why}')}; {remedy}")

    def _shown(self, text: str) -> str:
        return one_line(_replaced(text, self._secrets)[:SHOWN])

    def _without_secrets(self, body: bytes) -> bytes:
        """Returns an answer with the values of secret headers hidden, because a server may send them back."""
        if not self._secrets:
            return body
        try:
            return orjson.dumps(_replaced(orjson.loads(body), self._secrets))
        except (ValueError, RecursionError):  # not JSON, and to be shown as such
            return str(_replaced(body.decode(errors="replace"), self._secrets)).encode()


class _Backend:
    """Makes connections whose waits all end with their thread's call, however slowly data comes."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self._calls = threading.local()

    def begin(self, call_s: float) -> None:
        self._calls.until = time.monotonic() + call_s

    def left_s(self) -> float:
        left_s: float = self._calls.until - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        return left_s

    def connect_tcp(self, host: str, port: int, timeout: Any = None, *others: Any, **keys: Any) -> "_Stream":
        return _Stream(self._backend.connect_tcp(host, port, self.left_s(), *others, **keys), self.left_s)


class _Stream:
    """A connection that a `_Backend` has made."""

    def __init__(self, stream: Any, left_s: Callable[[], float]) -> None:
        self._stream = stream
        self._left_s = left_s
        self.close = stream.close
        self.get_extra_info = stream.get_extra_info

    def read(self, max_bytes: int, timeout: Any = None) -> bytes:
        data: bytes = self._stream.read(min(max_bytes, READ_BYTES), self._left_s())
        return data

    def write(self, buffer: bytes, timeout: Any = None) -> None:
        self._stream.write(buffer, self._left_s())

    def start_tls(self, ssl_context: Any, server_hostname: Any = None, timeout: Any = None) -> "_Stream":
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._left_s()), self._left_s)


def _body(response: Any) -> bytes:
    body = bytearray()
    for piece in response.iter_stream():
        body += piece
        if len(body) > protocol.MAX_LINE:
            raise ChargedError("protocol", f"answer is longer than {protocol.MAX_LINE} bytes")
    return bytes(body)


def _detail(response: Any) -> str:
    """Returns the reason that a server gives in JSON for its refusal, for example a forgotten match."""
    with suppress(ValueError, ChargedError):  # not such an answer, or too long
        match orjson.loads(_body(response)):
            case {"detail": str(text)}:
                return f": {text}"
    return ""


@cache
def _tls_context(_file: str | None) -> ssl.SSLContext:
    """Returns the trusted certificates: the system's, or the file in SSL_CERT_FILE."""
    return ssl.create_default_context()


def _proxy(scheme: str, host: str) -> Any:
    """Returns the environment's proxy for such an address; None if it names none, and for this machine."""
    import httpcore  # noqa: PLC0415 - few bots are servers

    proxy = getproxies().get(scheme)
    if not proxy or host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(host):
        return None
    parts = urlsplit(proxy)
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return httpcore.Proxy(proxy, auth)


def _headers(bot: str, headers: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Returns the headers with the environment's values, and the parts of these that must be hidden."""
    sent = dict(headers)
    of_environment = [key for key, value in headers.items() if value.startswith(FROM_ENVIRONMENT)]
    for key in of_environment:
        variable = headers[key].removeprefix(FROM_ENVIRONMENT)
        value = os.environ.get(variable, "")
        if not value:
            raise ConfigError(f"bot {bot}: headers.{key}: the environment variable {variable} is not set; set it first")
        if len(value) < LEAST or not _VALUE.fullmatch(value):
            raise ConfigError(
                f"bot {bot}: headers.{key}: the environment variable {variable} is not a valid secret; it must have "
                f"{LEAST} or more printable ASCII characters, without surrounding spaces or line ends"
            )
        sent[key] = value
    return sent, _hidden_parts([sent[key] for key in of_environment])


def _hidden_parts(values: Sequence[str]) -> list[str]:
    """Returns the texts to hide, longest first: the values, their longer parts, and how JSON writes these."""
    parts = [part for value in values for part in re.split(r"[\s;,=]+", value) if len(part) >= LEAST]
    written = [form for text in (*values, *parts) for form in (text, orjson.dumps(text).decode()[1:-1])]
    return sorted({*written, *[text.replace("/", r"\/") for text in written]}, key=lambda text: (-len(text), text))


def _replaced(value: Any, hidden: Sequence[str]) -> Any:
    if isinstance(value, str):
        for each in hidden:
            value = value.replace(each, HIDDEN)
    elif isinstance(value, dict):
        return {_replaced(key, hidden): _replaced(each, hidden) for key, each in value.items()}
    elif isinstance(value, list):
        return [_replaced(each, hidden) for each in value]
    return value
