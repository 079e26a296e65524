"""`llm`: asks a language model what to play, in every game (docs/llm-bots).

The service can be anything that speaks the chat completions protocol: Ollama, vLLM, llama.cpp, the providers.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from string import Template
from typing import Annotated, Any, Literal, Self

import msgspec

from tourney import (
    ActionError,
    Bot,
    Noted,
    Options,
    SeatFacts,
    Service,
    ServiceError,
    UnavailableError,
    describe,
    rules_text,
    shuffle,
)
from tourney_bots.llm.answers import Reader

OLLAMA = "http://127.0.0.1:11434/v1"
LONGEST_CALL_S = 120.0
"""How long a call may take, in seconds, unless the host sets a limit."""
MOST_BYTES = 4 << 20
"""The length of the longest body of an answer."""
LONGEST_ANSWER = 32_768
"""The tokens of the longest answer, unless `max_tokens` sets them."""
MOST_TOKENS = 10_000_000
"""More tokens than any answer has."""
KINDS = "(application|text)/(.*json|plain|octet-stream)|no content type"
"""The content types of answers; some servers name others than JSON's."""
REMEDIES = {
    200: "check `base_url`, which mostly ends in /v1, and the other options",
    401: "check the key in the environment variable that `key_env` names",
    403: "check the key in the environment variable that `key_env` names",
    404: "check `base_url`, which mostly ends in /v1, and `model`",
}
"""The remedy for each status of an answer."""
CUT_OFF = ("length", "max_tokens")
"""The reasons why an answer ended that mean that it was too long."""
MOST_SHOWN = 300
"""How many characters of what a service says are shown."""
FAILED = ("error", "abort")
"""The reasons why an answer ended that mean that the service has failed."""
UNREADABLE = re.compile(r"model produced output|json_validate_failed", re.IGNORECASE)
"""How llama.cpp and Groq report an answer of the model that is not in the form asked for, as an error."""
HOW = "End with one line that holds nothing but the number or the text of one legal action."
HOW_DESCRIBED = "End with one line that holds nothing but the text of one legal action, such as {}."
HOW_JSON = (
    'Answer with nothing but an object of JSON: {"thought": "...", "action": the number or text of a legal action}.'
)
FIELDS = ("rules", "view", "actions", "how")
"""The fields of a prompt."""
PROMPT = "What you see:\n\n$view\n\nYour legal actions:\n\n$actions\n\nThink it over. $how"
PROMPT_DESCRIBED = "What you see:\n\n$view\n\nThink it over. $how"

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
    listed: bool = True
    """Whether the prompt lists the legal actions, with numbers; otherwise the rules and the view describe them."""
    shuffled: bool = False
    """Whether the list is in a random order, the same whenever the match is replayed."""
    history: Literal["all", "summary"] | Annotated[int, msgspec.Meta(ge=1)] = "all"
    """How much of the view's history the prompt has: everything, only the current values, or the last N events."""
    prompt: str = ""
    """A file with the prompt, relative to the tournament file: text with $rules, $view, $actions, $how."""
    json: bool = False
    """Whether to ask for answers in JSON, with `response_format`."""
    pin_model: bool = False
    """Ends the run when the service answers with another model than before."""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    """Further keys of each request, such as `{ reasoning_effort = "low" }`."""

    def read_files(self, folder: Path) -> Self:
        """Returns the options with the prompt in place of its file; raises a `ValueError` that names the key."""
        if not self.prompt:
            return self
        try:
            text = (folder / self.prompt).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise ValueError(f"prompt: {self.prompt}: {why}; paths are relative to the tournament file") from None
        if unknown := sorted({*Template(text).get_identifiers()} - {*FIELDS}):
            raise ValueError(f"prompt: {self.prompt}: unknown field ${unknown[0]}; known: ${', $'.join(FIELDS)}")
        return msgspec.structs.replace(self, prompt=text)


SCHEMA = {
    "name": "decision",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {"thought": {"type": "string"}, "action": {"type": "string"}},
        "required": ["thought", "action"],
        "additionalProperties": False,
    },
}
"""The form of answers in JSON."""


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
        self._options = options
        self._service = _service(options.base_url, options.key_env)
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
            self._decision = _Decision(self.facts, view, legal, self._rules, self._options)
        decision = self._decision
        self._service.begin(self._call_s)
        while True:
            answer, asked = self._ask(decision.messages)
            done = decision.read(answer)
            self._count(decision, answer.get("usage"), asked)
            if done or decision.attempts > self._options.retries:
                break
        self._decision = None
        pinned = {"pin_model": True} if self._options.pin_model else {}
        return Noted(decision.action, **decision.note(), **pinned)

    def _ask(self, messages: list[dict[str, str]]) -> tuple[dict[str, Any], int]:
        """Returns the answer of the service, and how many bytes it was sent."""
        options = self._options
        given = {"temperature": options.temperature, "max_tokens": options.max_tokens}
        asked: dict[str, Any] = {"model": options.model, "messages": messages}
        if options.json:
            asked["response_format"] = {"type": "json_schema", "json_schema": SCHEMA}
        asked |= {key: value for key, value in given.items() if value is not None} | options.extra
        message = json.dumps(asked).encode()
        try:
            body = self._service.post(message)
        except (UnavailableError, ServiceError) as error:
            if UNREADABLE.search(str(error)):
                return {"choices": [{"message": {}}]}, len(message)
            raise
        with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
            answer: dict[str, Any] = json.loads(body)
            choice = answer["choices"][0]
            failed = answer.get("error") or choice.get("error") or choice.get("finish_reason") in FAILED
            if isinstance(choice["message"], dict) and not failed:
                return answer, len(message)
        said = " ".join(body[:MOST_SHOWN].decode(errors="replace").split())
        raise UnavailableError(f"{options.base_url} answered without a choice: {said}")

    def _count(self, decision: "_Decision", usage: Any, sent: int) -> None:
        """Adds an answer's tokens, and its cost; without usable tokens it costs as much as the longest answer."""
        options, usage = self._options, usage if isinstance(usage, dict) else {}
        tokens_in = _tokens(usage, "prompt_tokens", "input_tokens")
        tokens_out = _tokens(usage, "completion_tokens", "output_tokens")
        decision.tokens_in += tokens_in or 0
        decision.tokens_out += tokens_out or 0
        if not (options.price_in or options.price_out):
            return
        if tokens_in is None or tokens_out is None:
            decision.odd_usage += 1
        most_out = options.max_tokens or LONGEST_ANSWER
        paid_in = (sent if tokens_in is None else tokens_in) * options.price_in
        paid_out = (most_out if tokens_out is None else tokens_out) * options.price_out
        decision.cost = (decision.cost or 0.0) + (paid_in + paid_out) / 1e6


class _Decision:
    """The talk with the model about one decision."""

    def __init__(
        self, facts: SeatFacts, view: Any, legal: Sequence[int], rules: str, options: LlmOptions | None = None
    ) -> None:
        game, options = facts.game, options or LlmOptions()
        called = game.wording.choices(view)
        if options.shuffled:
            legal = list(legal)
            shuffle(legal, facts.rng)
        texts = [(action, game.wording.phrase(game.text(action), "seat {}".format).text) for action in legal]
        names = [called.get(action, words) for action, words in texts]
        listed = "\n".join([f"{number}. {name}" for number, name in enumerate(names, 1)])
        self._how_to = HOW_JSON if options.json else HOW if options.listed else HOW_DESCRIBED.format(game.names[0])
        items = () if options.history == "all" else (0 if options.history == "summary" else options.history,)
        fields = {"rules": rules, "view": describe(view, game, *items), "actions": listed, "how": self._how_to}
        prompt = options.prompt or (PROMPT if options.listed else PROMPT_DESCRIBED)
        system = [] if options.prompt else [{"role": "system", "content": rules}]
        self.messages = [*system, {"role": "user", "content": Template(prompt).safe_substitute(fields)}]
        self.view = view
        self.action: Any = None
        self.cost: float | None = None
        self.attempts = self.tokens_in = self.tokens_out = self.odd_usage = 0
        self._thought = self._model = self._how = ""
        self._unreadable = 0
        self._game = game
        both = [(name, game.text(action)) for name, action in zip(names, legal, strict=True)]
        self._reader = Reader(legal, both, options.listed)

    def read(self, answer: dict[str, Any]) -> bool:
        """Reads an answer of the service; tells the model about a mistake, and returns whether there was none."""
        choice = answer["choices"][0]
        text, thought = _parts(choice["message"].get("content"))
        text, model = text.strip(), answer.get("model")
        reasons = [choice["message"].get(key) for key in ("reasoning_content", "reasoning")]
        thoughts = [*[each for each in reasons if isinstance(each, str)][:1], thought]
        before, _, last = text.rpartition("\n")
        self.attempts += 1
        self._model = model[:MOST_SHOWN] if isinstance(model, str) else ""
        action, self._how = self._reader.find(text)
        if choice.get("finish_reason") in CUT_OFF:
            self.action, wrong = Truncated(), "was cut off because it was too long"
        elif not text:
            self.action, wrong = Empty(), "was empty"
        elif action is None:
            self.action, wrong = self._not_legal(last), f"did not end with a legal action, but with: {last[:200]}"
            self._unreadable += isinstance(self.action, Unreadable)
        else:
            self.action = action
            self._thought = "\n".join([*thoughts, text if self._how == "json" else before]).strip()
            return True
        self._thought = "\n".join([*thoughts, text]).strip()
        self.messages += [
            {"role": "assistant", "content": text or "(nothing)"},
            {"role": "user", "content": f"Your last answer {wrong}. {self._how_to}"},
        ]
        return False

    def note(self) -> dict[str, Any]:
        """The note of the decision."""
        note = {
            "thought": self._thought,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "attempts": self.attempts,
            "unreadable": self._unreadable,
            "model": self._model,
            "read": self._how,
        }
        seldom = {"cost": self.cost, "odd_usage": self.odd_usage or None}
        return note | {key: value for key, value in seldom.items() if value is not None}

    def _not_legal(self, line: str) -> Any:
        """The action of the game that a line names, which is not legal."""
        try:
            return self._game.action(line.strip())
        except ActionError:
            return Unreadable()


@cache
def _service(base_url: str, key_env: str) -> Service:
    """One service, with its connections, for all bots of a process that ask there."""
    address, question, query = base_url.partition("?")
    url = f"{address.rstrip('/')}/chat/completions{question}{query}"
    return Service(url, key_env=key_env, most_bytes=MOST_BYTES, kinds=KINDS, remedies=REMEDIES)


def _parts(content: Any) -> tuple[str, str]:
    """The text and the thought of a message's content: a text, a number, or parts."""
    if not isinstance(content, list):
        return ("" if content is None else str(content)), ""
    text, thought = "", ""
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        said = part.get(kind, part.get("text")) if isinstance(part, dict) else part
        pieces = said if isinstance(said, list) else [said]
        plain = [each.get("text") if isinstance(each, dict) else each for each in pieces]
        joined = "".join([each for each in plain if isinstance(each, str)])
        if isinstance(kind, str) and kind.endswith("text"):
            text += joined
        else:
            thought += joined
    return text, thought


def _tokens(usage: dict[str, Any], *keys: str) -> int | None:
    """The number of tokens under the first of these keys; None if it is missing or cannot be right."""
    given = next((usage[key] for key in keys if key in usage), None)
    with suppress(ValueError):
        count = float(str(given))  # some services write a text
        if 1 <= count <= MOST_TOKENS:
            return round(count)
    return None
