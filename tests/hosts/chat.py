"""A server that speaks the protocol of chat completions: models that play by a rule, and misbehave by script."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias
from zlib import crc32

from tests.hosts import servers

Model: TypeAlias = Callable[[str, list[str]], str]
"""Takes the first prompt and the legal actions in it, and returns the last line of the answer."""
WRONG = {"illegal": ("99", "stop"), "garbage": ("\\o/{", "stop"), "empty": ("", "stop"), "truncated": ("I", "length")}
"""Answers after which a model has to be asked again, with their `finish_reason`."""
TROUBLE = (*WRONG, "429", "429 for a moment", "500", "closed", "half", "silent", "dripping", "slow", "")


def first(_prompt: str, legal: list[str]) -> str:
    return legal[0]


def drawn(prompt: str, legal: list[str]) -> str:
    return f"**{crc32(prompt.encode()) % len(legal) + 1}**"


def steady(prompt: str, _legal: list[str]) -> str:
    """Plays Bang without anticipation as the bot `steady` does."""
    pile = re.search(r"pile, top card last: ([\w ]+)", prompt)
    ranks = [card[0] for card in reversed(pile[1].split())] if pile else [""]
    return "bang" if ranks[0] in ranks[1:3] else "hold"


def answer(request: Any, message: Any, model: Model | None, trouble: str) -> None:
    if trouble in ("silent", "slow"):
        request.server.closed.wait(2 if trouble == "silent" else 0.1)
    request.close_connection = trouble == "silent"
    if trouble == "silent":
        return
    status, name, headers = 200, message["model"], {}
    if model is None:
        status, found = 404, {"error": {"message": f"no model {name} for {request.headers['Authorization']}"}}
    elif trouble[:3] in ("429", "500"):
        status, found = int(trouble[:3]), {"error": {"message": "busy"}}
        headers = {"retry_after": "0.05"} if "moment" in trouble else {}
    else:
        prompt = message["messages"][1]["content"]
        legal = re.findall(r"(?m)^\d+\. (.*)$", prompt.partition("Your legal actions:")[2])
        text, ending = WRONG.get(trouble, (f"Thus thinks {name}.\n{model(prompt, legal)}", "stop"))
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": ending}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
        found = {"model": f"{name}-1", "choices": [choice], "usage": usage}
    body = json.dumps(found).encode()
    sent = body[: len(body) // 2] if trouble in ("closed", "half") else body
    headers |= {"connection": "close"} if trouble == "closed" else {}
    length = len(sent if trouble == "half" else body)
    request.reply(status, b"" if trouble == "dripping" else sent, content_length=str(length), **headers)
    for number in sent if trouble == "dripping" else b"":
        request.wfile.write(bytes([number]))
        request.wfile.flush()
        request.server.closed.wait(0.1)


@contextmanager
def serving(models: Mapping[str, Model], troubles: tuple[str, ...] = ("",)) -> Iterator[Any]:
    """A server; what goes wrong with a question that comes for the first time is the same in whatever order they come.

    `done` counts what went wrong, and the empty text what did not.
    """
    times: Counter[bytes] = Counter()

    def script(message: Any, _number: int) -> Callable[[Any, bytes], None]:
        body = json.dumps(message).encode()
        times[body] += 1
        is_first = times[body] == 1 and len(message["messages"]) == 2
        trouble = troubles[crc32(body) % len(troubles)] if is_first else ""
        server.done[trouble] += 1
        return lambda request, _: answer(request, message, models.get(message["model"]), trouble)

    with servers.serving(script) as server:
        server.done, server.url = Counter(), server.url + "v1"
        yield server
