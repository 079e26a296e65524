"""A server that speaks the protocol of chat completions: models that play by a rule, and misbehave by script."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from zlib import crc32

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


class Chat(ThreadingHTTPServer):
    def __init__(self, models: Mapping[str, Model], troubles: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.models, self.troubles = models, troubles
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.done: Counter[str] = Counter()
        self.asked: Counter[bytes] = Counter()
        self.handle_error = lambda *_: None  # clients are killed

    def trouble(self, body: bytes) -> str:
        """What goes wrong with a question that comes for the first time: the same in whatever order they come."""
        self.asked[body] += 1
        is_first = self.asked[body] == 1 and len(json.loads(body)["messages"]) == 2
        found = self.troubles[crc32(body) % len(self.troubles)] if is_first else ""
        self.done[found] += 1
        return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Chat

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request, trouble = json.loads(body), self.server.trouble(body)
        if trouble in ("silent", "slow"):
            threading.Event().wait(2 if trouble == "silent" else 0.1)
        self.close_connection = trouble in ("closed", "silent")
        if trouble == "silent":
            return None
        if request["model"] not in self.server.models:
            said = f"no model {request['model']} for {self.headers['Authorization']}"
            return self.answer(404, {"error": {"message": said}})
        if trouble[:3] in ("429", "500"):
            return self.answer(int(trouble[:3]), {"error": {"message": "busy"}}, trouble)
        prompt = request["messages"][1]["content"]
        legal = re.findall(r"(?m)^\d+\. (.*)$", prompt.partition("Your legal actions:")[2])
        text = f"Thus thinks {request['model']}.\n{self.server.models[request['model']](prompt, legal)}"
        text, ending = WRONG.get(trouble, (text, "stop"))
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": ending}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4}
        return self.answer(200, {"model": f"{request['model']}-1", "choices": [choice], "usage": usage}, trouble)

    def answer(self, status: int, found: Any, trouble: str = "") -> None:
        body = json.dumps(found).encode()
        sent = body[: len(body) // 2] if trouble in ("closed", "half") else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body if trouble == "closed" else sent)))
        if "moment" in trouble:
            self.send_header("Retry-After", "0.05")
        self.end_headers()
        step = 1 if trouble == "dripping" else len(sent)
        for at in range(0, len(sent), step):
            self.wfile.write(sent[at : at + step])
            threading.Event().wait(0.1 if step == 1 else 0)

    def log_message(self, *_arguments: Any) -> None:
        pass


@contextmanager
def serving(models: Mapping[str, Model], troubles: tuple[str, ...] = ("",)) -> Iterator[Chat]:
    with Chat(models, troubles) as chat:
        threading.Thread(target=chat.serve_forever, args=(0.05,)).start()
        try:
            yield chat
        finally:
            chat.shutdown()
