"""A server that speaks the protocol of chat completions: models that play by a rule, and misbehave by script."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias
from zlib import crc32

from tests.hosts import servers

Model: TypeAlias = Callable[[str, list[str]], str]
"""Takes the first prompt and the legal actions in it, and returns the last line of the answer."""


def first(_prompt: str, legal: list[str]) -> str:
    return legal[0]


def drawn(prompt: str, legal: list[str]) -> str:
    return f"**{crc32(prompt.encode()) % len(legal) + 1}**"


def steady(prompt: str, _legal: list[str]) -> str:
    """Plays Bang without anticipation as the bot `steady` does."""
    pile = re.search(r"pile, top card last: ([\w ]+)", prompt)
    ranks = [card[0] for card in reversed(pile[1].split())] if pile else [""]
    return "bang" if ranks[0] in ranks[1:3] else "hold"


def as_told(prompt: str, legal: list[str]) -> str:
    """Plays as `steady` if the prompt has the hint, half the time with the rules, and otherwise at random."""
    knows = "Bang when" in prompt or ("# Bang" in prompt and crc32(prompt.encode()) % 2)
    return steady(prompt, legal) if knows else drawn(prompt, legal)


def _said(content: Any, finish_reason: Any = "stop", **more: Any) -> Callable[[Any], Any]:
    """Says something else, or the same as `content(text)`."""

    def change(right: Any) -> Any:
        message = right["choices"][0]["message"]
        said = content(message["content"]) if callable(content) else content
        choice = {"message": message | {"content": said} | more, "finish_reason": finish_reason}
        return right | {"choices": [choice]}

    return change


def _with(**keys: Any) -> Callable[[Any], Any]:
    return lambda right: right | keys


def _body(right: Any) -> bytes:
    return json.dumps(right).encode()


def _sends(status: int = 200, write: Any = _body, **headers: str) -> Callable[[Any, Any], None]:
    """Sends the right answer as `write` writes it, or another body."""
    return lambda request, right: request.reply(status, write(right) if callable(write) else write, **headers)


def _parts(text: str) -> list[Any]:
    thought, _, last = text.rpartition("\n")
    return [{"type": "thinking", "thinking": [{"type": "text", "text": thought}]}, {"type": "text", "text": last}]


def _failed(status: int = 200, *, said: Any = "down", **headers: str) -> Callable[[Any, Any], None]:
    return _sends(status, json.dumps({"error": {"message": said}}).encode(), **headers)


def _half(request: Any, right: Any, **headers: str) -> None:
    body = _body(right)
    request.reply(200, body[: len(body) // 2], content_length=str(len(body) // (1 if not headers else 2)), **headers)
    request.close_connection = True


def _echoes(request: Any, right: Any, escaped: bool = False) -> None:
    """Sends the key back in everything that is kept or shown."""
    key = str(request.headers["Authorization"])
    right = _said(lambda text: f"{key[7:]} {text}", reasoning=key)(right) | {
        "model": key,
        "usage": {"prompt_tokens": key},
    }
    body = json.dumps(right | {"number": float("nan")}).encode()
    request.reply(200, body.replace(b"sk-", rb"\u0073k-") if escaped else body)


DIALECTS: dict[str, Callable[[Any], Any]] = {
    "parts": _said(_parts),
    "one part": _said(lambda text: [{"type": "output_text", "text": text}]),
    "texts": _said(lambda text: [text]),
    "reasoning_content": _said(lambda text: text, reasoning_content="Hm.\n9"),
    "reasoning": _said(lambda text: text, reasoning="Hm."),
    "null reasoning": _said(lambda text: text, reasoning_content=None, refusal=None, tool_calls=None),
    "odd reasoning": _said(lambda text: text, reasoning_content={"text": ["Hm."]}),
    "a thought in tags": _said(lambda text: f"<think>9\n9</think>{text}"),
    "the end of a thought": _said(lambda text: f"9?\n</think>\n\n{text}"),
    "a null ending": _said(lambda text: text, None),
    "another ending": _said(lambda text: text, "eos"),
    "no usage": lambda right: {key: right[key] for key in ("choices", "model")},
    "null usage": _with(usage=None),
    "usage as text": _with(usage={"prompt_tokens": "100", "completion_tokens": "5"}),
    "half a usage": _with(usage={"prompt_tokens": 100, "completion_tokens": None}),
    "negative usage": _with(usage={"prompt_tokens": -(10**9), "completion_tokens": -5}),
    "no number": _with(usage={"prompt_tokens": float("nan"), "completion_tokens": float("inf")}),
    "huge usage": _with(usage={"prompt_tokens": 10**400, "completion_tokens": 1e300}),
    "other names": _with(usage={"input_tokens": 100, "output_tokens": 5}),
    "recorded of llama.cpp": _with(
        usage={"prompt_tokens": 25, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 24}},
        system_fingerprint="b0-unknown",
        timings={"cache_n": 24, "prompt_ms": 0.456},
    ),
    "a list of usage": _with(usage=[{"prompt_tokens": [1]}, True]),
    "no model": _with(model=None),
    "a list of models": _with(model=[["x"] * 1000]),
    "another model": _with(model="m-2"),
    "null error": _with(error=None),
    "half a character": _said(lambda text: f"\ud83d{text}"),
    "control characters": _said(lambda text: f"\x1b]0;own\x07<script>\u202e\0{text}", model="\x1b[2J"),
    "a long thought": _said(lambda text: "x" * 100_000 + f"\n{text}"),
}
"""Ways to say the same: nobody is charged, and nothing is asked again."""
SENT: dict[str, Callable[[Any, Any], None]] = {
    "another content type": _sends(content_type="text/plain; charset=utf-8"),
    "JSON's other name": _sends(content_type="application/problem+json"),
    "spaces": _sends(write=lambda right: b"\n\n " + _body(right) + b"\n"),
    "a mark": _sends(write=lambda right: b"\xef\xbb\xbf" + _body(right)),
    "slowly": lambda request, right: request.server.closed.wait(0.1) or request.reply(200, _body(right)),
    "an echo of the key": _echoes,
    "an escaped echo": partial(_echoes, escaped=True),
    "in chunks": lambda request, right: request.reply_in_chunks(_body(right)),
}
"""Ways to send it."""
WRONG: dict[str, Callable[[Any], Any]] = {
    "illegal": _said("99"),
    "garbage": _said("\\o/{"),
    "empty": _said(""),
    "null": _said(None, refusal="no"),
    "a thought alone": _said("<think>1\n1"),
    "a sentence": _said("I will not play this one: 1"),
    "truncated": _said("I", "length"),
    "cut off": _said(lambda text: text, "max_tokens"),
}
"""Answers after which a model has to be asked again."""
AWAY: dict[str, Callable[[Any, Any], None]] = {
    **{f"status {status}": _failed(status) for status in (408, 409, 425, 429, 500, 502, 503, 529)},
    "no form": _failed(400, said={"code": "json_validate_failed"}),
    "no form either": _failed(500, said="The model produced output that does not match the expected format"),
    "429 for a moment": _failed(429, retry_after="0.05"),
    "a list of errors": _sends(503, b'[{"error": {"code": 503}}]'),
    "an error alone": _failed(),
    "an error next to it": _sends(write=lambda right: _body(right | {"error": {"code": 502}})),
    "an error in the choice": _sends(write=lambda right: _body({"choices": [right["choices"][0] | {"error": "down"}]})),
    "the ending error": lambda request, right: request.reply(200, _body(_said("", "error")(right))),
    "aborted": lambda request, right: request.reply(200, _body(_said("1", "abort")(right))),
    "no choice": lambda request, right: request.reply(200, _body(right | {"choices": []})),
    "null for a choice": lambda request, right: request.reply(200, _body(right | {"choices": [None]})),
    "no message": lambda request, right: request.reply(200, _body({"choices": [{"delta": {"content": "1"}}]})),
    "no object": _sends(write=b"[1]"),
    "no JSON": _sends(write=b"\xff{"),
    "deep": _sends(write=b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "nothing": _sends(write=b""),
    "closed": partial(_half, connection="close"),
    "half": _half,
    "silent": servers.WAYS["silent"],
    "dripping": lambda request, _: request.goes_on(servers.HEAD + b"\r\n", b" "),
    "dribbling": servers.WAYS["dribbles"],
    "endless": servers.WAYS["endless"],
}
"""Failures of the service, which is asked again."""
REFUSED: dict[str, Callable[[Any, Any], None]] = {
    "a redirect": _sends(307, b"", location="/v2/chat/completions"),
    "a page": _sends(200, b"<html>", content_type="text/html"),
    "a stream": _sends(200, b"data: {}\n\n", content_type="text/event-stream"),
    "a bomb": _sends(200, gzip.compress(b" " * 9_999_999), content_encoding="gzip"),
    "an error's bomb": _sends(400, gzip.compress(b" " * 9_999_999), content_encoding="gzip"),
    "an endless error": lambda request, _: request.goes_on(b"HTTP/1.1 400 Bad\r\n\r\n", b" " * 99_999),
    "a slow error": lambda request, _: request.goes_on(b"HTTP/1.1 400 Bad\r\n\r\n", b" "),
    "no credit": _failed(402),
    "a wrong key": _failed(401),
}
"""What the user has to correct: it ends the run at once."""
TROUBLE = ("", *DIALECTS, *SENT, *WRONG, *AWAY)


def prompt_of(message: Any) -> str:
    """The first prompt of a request."""
    return str(next(each["content"] for each in message["messages"] if each["role"] == "user"))


def answer(request: Any, message: Any, model: Model | None, trouble: str) -> None:
    if model is None:
        said = f"no model {message['model']} for {request.headers['Authorization']}"
        _failed(404, said=said)(request, None)
        return
    name, prompt = message["model"], prompt_of(message)
    legal = re.findall(r"(?m)^\d+\. (.*)$", prompt.partition("Your legal actions:")[2])
    text = f"Thus thinks {name}.\n{model(prompt, legal)}"
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
    right = {"model": f"{name}-1", "choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}
    right["choices"][0]["finish_reason"] = "stop"
    change = (DIALECTS | WRONG).get(trouble, lambda right: right)
    send = (SENT | AWAY | REFUSED).get(trouble, _sends())
    send(request, change(right))


@contextmanager
def serving(models: Mapping[str, Model], troubles: tuple[str, ...] = ("",)) -> Iterator[Any]:
    """A server; what goes wrong with a question that comes for the first time is the same in whatever order they come.

    `done` counts what went wrong, and the empty text what did not.
    """
    times: Counter[bytes] = Counter()

    def script(message: Any, _number: int) -> Callable[[Any, bytes], None]:
        body = json.dumps(message).encode()
        times[body] += 1
        is_first = times[body] == 1 and message["messages"][-1]["content"] == prompt_of(message)
        trouble = troubles[crc32(body) % len(troubles)] if is_first else ""
        server.done[trouble] += 1
        return lambda request, _: answer(request, message, models.get(message["model"]), trouble)

    with servers.serving(script) as server:
        server.done, server.url = Counter(), server.url + "v1"
        yield server
