"""How a service elsewhere is asked: with POST requests whose waits and answers are bounded, and that keep secrets."""

import json
import os
import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from http.client import responses
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson

from tourney.base.errors import EXIT_USAGE, ServiceError, one_line
from tourney.contracts.bot import UnavailableError
from tourney.hosts import awake

INSTALL = "install it with: pip install 'tourney-cards[http]'"
"""The remedy for a missing package."""
JSON = "application/json"
HIDDEN = "(secret)"
MOST_BYTES = 1 << 20  # of an answer, unless the caller sets it
READ_BYTES = 4096  # read at once, at most: most answers are short, and large buffers would break up the memory
LEAST = 6  # characters of a secret, and of a hidden part: shorter texts are in many harmless ones
SHOWN = 500  # characters of an address and its answers
AWAY = (408, 409, 425, 429)  # statuses below 500 of a service that is away, except those with a remedy
SECRET = re.compile(r"authorization|cookie|key|token|secret|password", re.IGNORECASE)
"""The names of headers and parameters that may hold secrets."""
HEADER_VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")
_HERE = re.compile(r"localhost|127(\.\d+){3}|::1")
_REMEDIES = {200: "check its url"}


class TooLongError(UnavailableError):
    """An answer is too long."""


class Service:
    """Posts messages to one address, from any number of threads.

    Answers are never inflated, and redirects never followed. The environment's proxy is used, except for services on
    this machine. Secrets are hidden in everything that comes back.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        secrets: Sequence[str] = (),
        *,
        key_env: str = "",
        most_bytes: int = MOST_BYTES,
        kinds: str = JSON,
        remedies: Mapping[int, str] = _REMEDIES,
    ) -> None:
        """Asks nothing yet.

        Args:
            url: The address.
            headers: Headers of each request.
            secrets: The secrets in them.
            key_env: The environment variable with a key, sent as `Authorization: Bearer KEY`; empty for no key.
            most_bytes: The length of the longest answer.
            kinds: The expected content types, as a regular expression.
            remedies: The remedies for statuses; that for 200 is also for answers of another type and other statuses.

        Raises:
            ServiceError: A setting, or the environment, must be corrected first.
        """
        try:
            import httpcore  # noqa: PLC0415 - few bots ask a service
        except ImportError:
            raise ServiceError(f"requires httpcore; {INSTALL}") from None
        if problem := url_problem(url, "set key_env to the environment variable that holds it"):
            raise _wrong_use(f"address: {problem}")
        key = secret_in(key_env) if key_env else ""
        parts = urlsplit(url)
        self._url, self._most_bytes, self._kinds, self._remedies = url, most_bytes, re.compile(kinds), remedies
        self._secrets = _hidden_parts([*secrets, *[key] * bool(key)])
        # parts of an answer are taken as they come: a compressed one is refused, never inflated
        own = {"Accept-Encoding": "identity", "Content-Type": JSON, "User-Agent": "tourney"}
        self._headers = own | ({"Authorization": f"Bearer {key}"} if key else {}) | dict(headers or {})
        self._proxy_from, proxy = _proxy(parts.scheme, parts.hostname or "")
        through = f" (through the proxy in {self._proxy_from})" if proxy else ""
        self._address = f"{parts.scheme}://{parts.netloc}{parts.path}{through}"
        self._late = httpcore.TimeoutException, TimeoutError
        self._failed = httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError
        self._backend = _Backend(httpcore.SyncBackend(), httpcore.ReadTimeout)
        network: Any = self._backend  # it has the methods that are called, but no type of the extra
        self._pool: Any = httpcore.ConnectionPool(
            ssl_context=_tls_context(os.environ.get("SSL_CERT_FILE", "")) if parts.scheme == "https" else None,
            proxy=proxy,
            max_connections=None,
            network_backend=network,
        )
        self.close = self._pool.close

    def begin(self, call_s: float) -> None:
        """Starts the time, in seconds, that all further requests of this thread may take together."""
        calls = self._backend.calls
        calls.call_s, calls.until = call_s, awake.begin() + call_s

    def post(self, message: bytes) -> bytes:
        """Returns the answer to a message in JSON, without secrets.

        Raises:
            UnavailableError: The service is away, or its answer is late, incomplete or too long.
            ServiceError: The address is not that of such a service, or it refuses to answer.
        """
        try:
            with self._pool.stream("POST", self._url, headers=self._headers, content=message) as response:
                self._examine(response)
                return self._without_secrets(self._body(response))
        except self._late:
            raise self._away(f"did not answer in full within {self._backend.calls.call_s:g} s") from None
        except self._failed as error:
            raise self._failure(error) from None

    def _examine(self, response: Any) -> None:
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in response.headers}
        status = response.status
        said = f"{status} {responses.get(status, '')}".strip()
        if 300 <= status < 400:
            place = headers.get("location", "elsewhere").partition("?")[0].rpartition("@")[2]
            raise self._wrong(f"redirects to {place} ({said})", "use the final address")
        if status != 200:
            what = f"answered {said}{self._detail(response)}"
            if status >= 500 or (status in AWAY and status not in self._remedies):
                raise self._away(what, headers.get("retry-after"))
            raise self._wrong(what, self._remedies.get(status, self._remedies[200]))
        if (encoding := headers.get("content-encoding", "identity")) != "identity":
            raise self._wrong(f"compresses its answers ({encoding})", "turn compression off")
        kind = headers.get("content-type", "no content type").partition(";")[0].strip().lower()
        if not self._kinds.fullmatch(kind):
            raise self._wrong(f"answered with {kind}, expected {JSON}", self._remedies[200])

    def _body(self, response: Any) -> bytes:
        body = bytearray()
        for piece in response.iter_stream():
            body += piece
            if len(body) > self._most_bytes:
                raise TooLongError(self._shown(f"{self._address}: answer is longer than {self._most_bytes} bytes"))
        return bytes(body)

    def _detail(self, response: Any) -> str:
        with suppress(ValueError, UnavailableError, *self._late, *self._failed):
            said = orjson.loads(self._body(response))
            for key in ("error", "message", "detail"):
                said = said.get(key, said) if isinstance(said, dict) else said
            return f": {said if isinstance(said, str) else orjson.dumps(said).decode()}"
        return ""

    def _failure(self, error: Exception) -> Exception:
        cause = error.args[0] if error.args else None
        if isinstance(cause, ssl.SSLCertVerificationError):
            remedy = "correct it, or set the environment variable SSL_CERT_FILE to its authority's file"
            return self._wrong(f"has an invalid certificate: {cause.verify_message}", remedy)
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
            return self._wrong(f"does not speak TLS: {cause.reason}", "check https in its url")
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return self._wrong("has an unknown host name", self._remedies[200])
        if self._proxy_from and re.match("4(?!08|29)", str(cause)):
            return self._wrong(f"is refused by the proxy ({error})", f"correct {self._proxy_from}, or unset it")
        return self._away(f"did not answer ({error})")

    def _away(self, why: str, retry_after: str | None = None) -> UnavailableError:
        return UnavailableError(self._shown(f"{self._address} {why}"), retry_after)

    def _wrong(self, why: str, remedy: str) -> ServiceError:
        return ServiceError(f"{self._shown(f'{self._address} {why}')}; {remedy}")

    def _shown(self, text: str) -> str:
        return one_line(_replaced(text, self._secrets)[:SHOWN])

    def _without_secrets(self, body: bytes) -> bytes:
        if not self._secrets:
            return body
        try:
            return json.dumps(_replaced(json.loads(body), self._secrets)).encode()
        except (ValueError, RecursionError):  # not JSON, and to be shown as such
            return str(_replaced(body.decode(errors="replace"), self._secrets)).encode()


class _Calls(threading.local):
    call_s = 0.0
    until = 0.0


class _Backend:
    """Makes connections whose waits all end with their thread's call, however slowly data comes."""

    def __init__(self, backend: Any, late: type[Exception]) -> None:
        self._backend = backend
        self._late = late
        self.calls = _Calls()

    def left_s(self) -> float:
        if (left_s := self.calls.until - awake.now()) <= 0:
            raise TimeoutError
        return left_s

    def connect_tcp(self, host: str, port: int, timeout: Any = None, *others: Any, **keys: Any) -> "_Stream":
        return _Stream(self._backend.connect_tcp(host, port, self.left_s(), *others, **keys), self.left_s, self._late)


class _Stream:
    def __init__(self, stream: Any, left_s: Callable[[], float], late: type[Exception]) -> None:
        self._stream = stream
        self._left_s = left_s
        self._late = late
        self.close = stream.close
        self.get_extra_info = stream.get_extra_info

    def read(self, max_bytes: int, timeout: Any = None) -> bytes:
        data = None
        while data is None:
            wait_s = min(self._left_s(), awake.SLICE_S)
            with suppress(self._late):
                data = self._stream.read(min(max_bytes, READ_BYTES), wait_s)
            awake.look(wait_s)
        return bytes(data)

    def write(self, buffer: bytes, timeout: Any = None) -> None:
        self._stream.write(buffer, self._left_s())

    def start_tls(self, ssl_context: Any, server_hostname: Any = None, timeout: Any = None) -> "_Stream":
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._left_s()), self._left_s, self._late)


@cache
def _tls_context(file: str) -> ssl.SSLContext:
    """Returns the trusted certificates: the system's, or those in `file`, the value of SSL_CERT_FILE."""
    context = ssl.create_default_context()
    try:
        if file:
            context.load_verify_locations(file)
    except OSError as error:
        why = one_line(f"{file}: {error.strerror or 'no certificates'}")
        raise ServiceError(f"the environment variable SSL_CERT_FILE names {why}; correct or unset it") from None
    return context


def _proxy(scheme: str, host: str) -> tuple[str, Any]:
    """Returns the environment's proxy for such an address, after its variable; None if it names none, or needs none."""
    import httpcore  # noqa: PLC0415 - few bots ask a service

    proxies = getproxies()
    kind = scheme if proxies.get(scheme) else "all"
    if not proxies.get(kind) or _HERE.fullmatch(host) or proxy_bypass(host):
        return "", None
    names = [name for name in (f"{kind}_proxy", f"{kind.upper()}_PROXY") if os.environ.get(name)]
    variable = names[0] if names else f"the system's settings for {kind}"
    url = proxies[kind] if "://" in proxies[kind] else f"http://{proxies[kind]}"
    try:
        parts = urlsplit(url)
        auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return variable, httpcore.Proxy(url, auth)
    except ValueError:
        pass
    why = f"{variable} names a proxy that is not supported; set it to one that begins with http:// or https://"
    raise ServiceError(f"{why}, or add {host} to NO_PROXY")


def url_problem(url: str, by_name: str) -> str:
    """Returns the problem of an address, with the remedy `by_name` for secrets; empty if there is none.

    The address may contain a secret, so no part of it is shown.
    """
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
        return f"user and password not allowed; remove them, and {by_name}"
    if any([SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)]):
        return f"secret not allowed; remove it, and {by_name}"
    return ""


def secret_in(variable: str) -> str:
    """Returns the secret in an environment variable; raises a `ServiceError` if there is none."""
    value = os.environ.get(variable, "")
    if not value:
        raise _wrong_use(f"the environment variable {variable} is not set; set it first")
    if len(value) < LEAST or not HEADER_VALUE.fullmatch(value):
        raise _wrong_use(
            f"the environment variable {variable} is not a valid secret; it must have {LEAST} or more printable ASCII "
            "characters, without surrounding spaces or line ends"
        )
    return value


def _wrong_use(message: str) -> ServiceError:
    error = ServiceError(message)
    error.exit_code = EXIT_USAGE
    return error


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
