"""Bots that are servers: the messages of the wire protocol as the bodies of POST requests (docs/protocol).

A request has one of three results, which are never mixed: an answer, right or wrong, from the bot; nothing usable now,
because the service is away; or something that no bot's server sends, because the address is wrong.
"""

import re
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
import orjson

from tourney.base.errors import one_line
from tourney.contracts.bot import Noted, Outcome, SeatFacts
from tourney.contracts.game import Options
from tourney.hosts import base
from tourney.hosts.base import HTTP_HOST, BotSpec
from tourney.hosts.faults import ChargedError
from tourney.hosts.limits import ENFORCED
from tourney.hosts.process import protocol
from tourney.hosts.service import ServiceHost, naming
from tourney.hosts.transport import HEADER_VALUE, SECRET, Service, TooLongError, secret_in, url_problem

FROM_ENVIRONMENT = "env:"
_SET_HERE = {"accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_BY_NAME = 'name an environment variable that holds it, for example headers = { Authorization = "env:MY_KEY" }'
_REMEDIES = {
    200: "check its url",
    **dict.fromkeys([401, 403], "check its headers"),
    409: "make it remember its matches",
}
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
        if self.url and (problem := url_problem(self.url, _BY_NAME)):
            raise ValueError(f"url: {problem}")
        for name, value in self.headers.items():
            if not _HEADER.fullmatch(name) or not HEADER_VALUE.fullmatch(value):
                raise ValueError(f"headers: {one_line(name)}: not a header; use printable ASCII characters")
            if name.lower() in _SET_HERE:
                raise ValueError(f"headers.{name}: set by tourney itself; remove it")
            if SECRET.search(name) and not value.startswith(FROM_ENVIRONMENT):
                raise ValueError(f"headers.{name}: possibly a secret; {_BY_NAME}")


class HttpHost(ServiceHost):
    """Asks a server, which serves all seats of all matches."""

    name = HTTP_HOST
    Options = HttpOptions
    enforces = ENFORCED - {"cpu_ms", "cpu", "memory_mb"}  # it runs elsewhere

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        options = base.host_options(type(self), spec)
        assert isinstance(options, HttpOptions)
        with naming(spec.name):
            hidden = {
                key: secret_in(value.removeprefix(FROM_ENVIRONMENT))
                for key, value in options.headers.items()
                if value.startswith(FROM_ENVIRONMENT)
            }
            self._service = Service(options.url, options.headers | hidden, [*hidden.values()], remedies=_REMEDIES)
        self.close = self._service.close  # type: ignore[method-assign]
        make = partial(HttpBot, self._service, spec.limits.call_s, options.retries)
        super().__init__(spec.name, spec.limits, make)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns None: a server is not asked which games it plays before a match."""
        cls.create(spec, None).close()
        return None


class HttpBot:
    """A bot on a server, for one match."""

    def __init__(self, service: Service, call_s: float, retries: int, facts: SeatFacts, rng_seed: int) -> None:
        """Tells the bot the facts; raises what `act` raises."""
        self._service = service
        self._call_s = call_s
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
        """Returns the result of `read` for the answer to a message, and the number of attempts."""
        self._service.begin(self._call_s)
        while True:
            attempt = self._again.get("attempt", 1)
            last = attempt > self._retries
            try:
                answer = protocol.parse_object(self._post(write(self._again)), kind)
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

    def _post(self, message: bytes) -> bytes:
        try:
            return self._service.post(message)
        except TooLongError as error:
            raise ChargedError("protocol", str(error)) from None


def _joined(message: bytes, more: dict[str, Any]) -> bytes:
    """Adds keys to a message, a line of JSON, without reading its long view again."""
    return message[:-2] + b"," + orjson.dumps(more)[1:]
