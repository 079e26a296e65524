"""Bots that are servers: the messages of the wire protocol as the bodies of POST requests (docs/protocol)."""

import os
import pickle
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import orjson

from tourney.base.errors import ConfigError, MissingExtraError
from tourney.contracts.bot import Noted, Outcome, SeatFacts, UnavailableError
from tourney.contracts.game import Options
from tourney.hosts import base
from tourney.hosts.base import HTTP_HOST, BotSpec, HostedBot
from tourney.hosts.limits import ENFORCED, Limits
from tourney.hosts.process import protocol
from tourney.hosts.service import ServiceHost

FROM_ENVIRONMENT = "env:"
"""The beginning of a header's value that stands in an environment variable."""


class HttpOptions(Options, frozen=True):
    """What the `[[bot]]` table of a server says."""

    url: str = ""
    """The address that messages are posted to."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Headers of each request; `env:NAME` stands for an environment variable."""
    retries: int = 0
    """How often the server is asked again after an answer that is illegal or cannot be read."""


class HttpHost(ServiceHost):
    """Asks a server, one for all seats of all matches."""

    name = HTTP_HOST
    Options = HttpOptions
    enforces = ENFORCED - {"cpu_ms", "cpu", "memory_mb"}  # it runs elsewhere

    def __init__(self, spec: BotSpec, limits: Limits, log: Path | None) -> None:
        options = base.host_options(type(self), spec)
        assert isinstance(options, HttpOptions)
        try:
            import httpx  # noqa: PLC0415 - few bots are servers
        except ImportError:
            raise MissingExtraError(f"bot {spec.name}", "http", "httpx") from None
        self._client = httpx.Client(headers=_headers(spec, options))
        self._url = options.url
        super().__init__(spec.name, limits, self._bot)

    @classmethod
    def examine(cls, spec: BotSpec, limits: Limits) -> tuple[str, ...] | None:
        """Returns None: a server is not asked before a match which games it plays."""
        cls.create(spec, limits, None).close()
        return None

    def _bot(self, facts: SeatFacts, rng_seed: int) -> HostedBot:
        return HttpBot(self._client, self._url, facts, rng_seed)

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


class HttpBot:
    """A bot on a server, for one match."""

    def __init__(self, client: Any, url: str, facts: SeatFacts, rng_seed: int) -> None:
        self._client = client
        self._url = url
        self._facts = facts
        self._ids = {"match": secrets.token_hex(16), "seat": facts.seat}
        self._decisions = 0
        self._python = False
        self._python = self._ask(protocol.start_message(facts, rng_seed), "start").get("form") == "python"

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Returns the action that the server answers."""
        number = self._decisions + 1
        if self._python:
            message = protocol.act_message(number, view, tuple(legal), self._facts.clock)
            answer = self._post(pickle.dumps(message | self._ids), protocol.PICKLE, "act")
        else:
            text = protocol.text_act_message(number, view, legal, self._facts.game, self._facts.clock)
            answer = self._ask(text, "act")
        self._decisions = number
        return protocol.parse_choice(answer, number, self._facts.game, self._python)

    def end(self, outcome: Outcome) -> None:
        """Tells the server how the match ended."""
        self._ask(protocol.end_message(outcome), "end")

    def close(self) -> None:
        """Does nothing: the server keeps no connection for a match."""

    def _ask(self, message: bytes, kind: str) -> dict[str, Any]:
        return self._post(orjson.dumps(orjson.loads(message) | self._ids), "application/json", kind)

    def _post(self, body: bytes, content_type: str, kind: str) -> dict[str, Any]:
        import httpx  # noqa: PLC0415 - few bots are servers

        try:
            found = self._client.post(self._url, content=body, headers={"Content-Type": content_type})
        except httpx.TransportError as error:
            raise UnavailableError(str(error)) from None
        return protocol.parse_answer(found.content, kind)


def _headers(spec: BotSpec, options: HttpOptions) -> dict[str, str]:
    found = {}
    for name, value in options.headers.items():
        if value.startswith(FROM_ENVIRONMENT):
            variable = value.removeprefix(FROM_ENVIRONMENT)
            if variable not in os.environ:
                raise ConfigError(
                    f"bot {spec.name}: headers.{name}: there is no environment variable {variable}; set it"
                )
            value = os.environ[variable]  # noqa: PLW2901 - it stands for this one
        found[name] = value
    return found
