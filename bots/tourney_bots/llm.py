"""`llm`: asks a language model what to play, in every game (docs/llm-bots).

The service can be anything that speaks the chat completions protocol: Ollama, vLLM, llama.cpp, the providers.
"""

import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from typing import Annotated, Any

import msgspec

from tourney import ActionError, Bot, Noted, Options, SeatFacts, ServiceError, UnavailableError, describe, rules_text

OLLAMA = "http://127.0.0.1:11434/v1"
LONGEST_CALL_S = 120.0
"""How long a call may take, in seconds, unless the host sets a limit."""
MOST_BYTES = 4 << 20
"""The length of the longest body of an answer."""
AWAY = (408, 409, 425, 429)
"""The statuses below 500 for a busy service."""
REMEDIES = {
    401: "check the key in the environment variable that `key_env` names",
    403: "check the key in the environment variable that `key_env` names",
    404: "check `base_url`, which mostly ends in /v1, and `model`",
}
"""The remedy for each status of an answer."""
HOW = "End with one line that holds nothing but the number or the text of one legal action."

Price = Annotated[float, msgspec.Meta(ge=0)]


class LlmOptions(Options, frozen=True):
    """The model, its service and the sampling."""

    base_url: Annotated[str, msgspec.Meta(pattern="^https?://")] = OLLAMA
    """The address of the service; by default Ollama on this machine."""
    model: str = ""
    """The service's name for the model."""
    key_env: str = ""
    """The environment variable with the key for the service; empty for a service without keys."""
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """The sampling temperature; by default the service's."""
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The length of the longest answer, thoughts included; by default the service's."""
    retries: Annotated[int, msgspec.Meta(ge=0)] = 2
    """How often the model is asked again after an answer without a legal action."""
    price_in: Price = 0.0
    """Dollars for a million input tokens."""
    price_out: Price = 0.0
    """Dollars for a million output tokens."""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    """Further keys of each request, such as `{ reasoning_effort = "low" }`."""


class Empty:
    """Returned instead of an action: the last answer was empty."""


class Truncated:
    """Returned instead of an action: the last answer was cut off."""


class Unreadable:
    """Returned instead of an action: the last answer does not end with an action."""


class Llm(Bot):
    """Asks a language model, and plays the action on the last line of its answer."""

    service = True
    Options = LlmOptions

    def __init__(self, options: LlmOptions) -> None:
        if find_spec("openai") is None:
            raise ServiceError("requires openai; install it with: pip install 'tourney-cards[llm]'")
        if options.key_env and not os.environ.get(options.key_env):
            raise ServiceError(f"the environment variable {options.key_env} (key_env) is not set; set it to the key")
        self._options = options
        self._key = os.environ.get(options.key_env, "")
        self._decision: _Decision | None = None

    def start(self, facts: SeatFacts) -> None:
        """Writes the parts that are the same at every decision of the match."""
        super().start(facts)
        game = facts.game
        self._rules = (
            f"You play {game.title} in seat {facts.seat}; there are {facts.seats} seats, numbered from 0. "
            f"{game.wording.goal}\n\nThe options of this match: {facts.options}\n\nThe rules:\n\n{rules_text(game)}"
        )
        self._call_s = (facts.clock and facts.clock.call_s) or LONGEST_CALL_S

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Asks until there is a legal action, or the retries are used up; forced actions are played without asking.

        Raises:
            UnavailableError: The service is away. The next call for the same view continues from there.
            ServiceError: The service refuses to answer.
        """
        if len(legal) == 1:
            return legal[0]
        if self._decision is None or self._decision.view != view:
            self._decision = _Decision(self.facts, view, legal, self._rules)
        decision = self._decision
        until = time.monotonic() + self._call_s
        while not decision.read(self._ask(decision.messages, until)) and decision.attempts <= self._options.retries:
            pass
        self._decision = None
        return Noted(decision.action, **self._note(decision))

    def _note(self, decision: "_Decision") -> dict[str, Any]:
        options = self._options
        note = {
            "thought": self._without_key(decision.thought),
            "tokens_in": decision.tokens_in,
            "tokens_out": decision.tokens_out,
            "attempts": decision.attempts,
            "model": decision.model,
        }
        if options.price_in or options.price_out:
            cost = decision.tokens_in * options.price_in + decision.tokens_out * options.price_out
            note["cost"] = cost / 1e6
        return note

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "KEY") if self._key else text

    def _ask(self, messages: list[dict[str, str]], until: float) -> dict[str, Any]:
        import openai  # noqa: PLC0415 - it takes a second, and few bots need it

        options = self._options
        completions = _client(options.base_url, self._key).chat.completions
        given = {"temperature": options.temperature, "max_tokens": options.max_tokens}
        body, kind = b"", ""
        try:
            with completions.with_streaming_response.create(
                model=options.model,
                messages=messages,
                extra_body=options.extra,
                timeout=max(0.001, until - time.monotonic()),
                **{key: value for key, value in given.items() if value is not None},
            ) as response:
                kind = response.headers.get("content-type", "")
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES or time.monotonic() > until:
                        raise UnavailableError(f"{options.base_url} did not finish its answer")
        except openai.APIStatusError as error:
            raise self._refusal(error.status_code, error.body or error.message, error.response.headers) from None
        except UnavailableError:
            raise
        except Exception as error:  # the client lets through those of its library for transfers
            why = str(error.__cause__ or error) or type(error).__name__
            if "CERTIFICATE_VERIFY_FAILED" in why:
                raise ServiceError(f"{options.base_url}: {why}; see SSL_CERT_FILE in docs/llm-bots") from None
            raise UnavailableError(f"{options.base_url}: {why}") from None
        if "html" in kind:
            raise ServiceError(f"{options.base_url} answered with {kind}, a page for people; {REMEDIES[404]}")
        with suppress(ValueError, LookupError, TypeError):
            answer: dict[str, Any] = json.loads(body)
            if isinstance(answer["choices"][0]["message"], dict):
                return answer
        said = self._said(body.decode(errors="replace"))
        raise UnavailableError(f"{options.base_url} answered without a choice: {said}")

    def _refusal(self, status: int, body: Any, headers: Any) -> Exception:
        said = self._said(body.get("message", body) if isinstance(body, dict) else body)
        what = f"{self._options.base_url} answered {status}: {said}"
        if status in AWAY or status >= 500:
            return UnavailableError(what, headers.get("retry-after"))
        return ServiceError(f"{what}; {REMEDIES.get(status, 'correct the options of the bot')}")

    def _said(self, body: Any) -> str:
        return self._without_key(" ".join(str(body).split()))[:300]


class _Decision:
    """The talk with the model about one decision."""

    def __init__(self, facts: SeatFacts, view: Any, legal: Sequence[int], rules: str) -> None:
        game = facts.game
        called = game.wording.choices(view)
        names = [called.get(action, game.text(action)) for action in legal]
        listed = "\n".join([f"{number}. {name}" for number, name in enumerate(names, 1)])
        situation = f"What you see:\n\n{describe(view, game)}\n\nYour legal actions:\n\n{listed}"
        self.messages = [
            {"role": "system", "content": rules},
            {"role": "user", "content": f"{situation}\n\nThink it over. {HOW}"},
        ]
        self.view = view
        self.action: Any = None
        self.thought, self.model = "", ""
        self.attempts = self.tokens_in = self.tokens_out = 0
        self._game = game
        self._actions: dict[str, int] = {}
        """The legal actions by the last lines that choose them."""
        for action, name in zip(legal, names, strict=True):
            self._actions |= {_bare(name): action, _bare(game.text(action)): action}
        for number, (action, name) in enumerate(zip(legal, names, strict=True), 1):  # numbers win
            self._actions |= {_bare(f"{number}. {name}"): action, str(number): action}

    def read(self, answer: dict[str, Any]) -> bool:
        """Reads an answer of the service; tells the model about a mistake, and returns whether there was none."""
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        message = choice["message"]
        text = str(message.get("content") or "").strip()
        before, _, last = text.rpartition("\n")
        reasons = message.get("reasoning_content") or message.get("reasoning") or ""
        self.attempts += 1
        self.tokens_in += usage.get("prompt_tokens") or 0
        self.tokens_out += usage.get("completion_tokens") or 0
        self.model = answer.get("model") or ""
        self.thought = f"{reasons}\n{before}".strip()
        said = _bare(last)
        action = self._actions.get(said, self._actions.get(said.rpartition(": ")[2]))  # it may follow a label
        if choice.get("finish_reason") == "length":
            self.action, wrong = Truncated(), "was cut off because it was too long"
        elif not text:
            self.action, wrong = Empty(), "was empty"
        elif action is None:
            self.action, wrong = self._not_legal(last), f"did not end with a legal action, but with: {last[:200]}"
        else:
            self.action = action
            return True
        self.thought = f"{reasons}\n{text}".strip()
        self.messages += [
            {"role": "assistant", "content": text or "(nothing)"},
            {"role": "user", "content": f"Your last answer {wrong}. {HOW}"},
        ]
        return False

    def _not_legal(self, line: str) -> Any:
        """The action of the game that a line names, which is not legal."""
        try:
            return self._game.action(line.strip())
        except ActionError:
            return Unreadable()


@cache
def _client(base_url: str, key: str) -> Any:
    """One client, with its connections, for all bots of a process that ask there."""
    import openai  # noqa: PLC0415 - it takes a second, and few bots need it

    return openai.OpenAI(base_url=base_url, api_key=key or "none", max_retries=0)


def _bare(text: str) -> str:
    """A text without what people and models put around an answer, in small letters."""
    return re.sub(r"[*`\"'\s]+", " ", text).strip(" .").casefold()
