"""The wire protocol: one JSON object a line, each line of ours answered by one (docs/protocol).

There are two forms of it. In the text form views, options and actions are JSON that a program in any language can
read. In the Python form, for bots that have this package, a view is pickled and actions are numbers, which is quicker.
A bot chooses the form when it answers the first message.
"""

import pickle
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from typing import Any

import msgspec
import orjson

from tourney.bot import Outcome, SeatFacts
from tourney.errors import ActionError
from tourney.game import Game
from tourney.hosts.fault_kinds import ChargedError, kind_of
from tourney.match import FaultKind
from tourney.rng import seed_text

VERSION = 1
MAX_LINE = 64 * 1024
"""A longer answer is a fault."""
HELLO = b'{"type":"hello","protocol":%d}\n' % VERSION
MAY_TELL: tuple[FaultKind, ...] = "illegal", "error", "memory"
"""The faults that a bot may tell of itself."""


def start(facts: SeatFacts, rng_seed: int) -> bytes:
    """What a bot is told before its first decision."""
    options = {name: msgspec.to_builtins(getattr(facts.options, name)) for name in facts.options.__struct_fields__}
    message = {
        "type": "start",
        "game": facts.game.name,
        "options": options,
        "seats": facts.seats,
        "seat": facts.seat,
        "rng": seed_text(rng_seed),
    }
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def act_in_text(number: int, view: Any, legal: Sequence[int], game: Game) -> bytes:
    """Asks for the bot's decision of that number, its own counted from 1."""
    texts = [game.names[action] for action in legal]
    message = {"type": "act", "decision": number, "view": view.as_dict(), "legal": texts}
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def act_in_python(number: int, view: Any, legal: Sequence[int]) -> bytes:
    """The same in the Python form."""
    pickled = b2a_base64(pickle.dumps(view, pickle.HIGHEST_PROTOCOL), newline=False)
    return b'{"type":"act","decision":%d,"view":"%b","legal":%b}\n' % (number, pickled, orjson.dumps(legal))


def view_of(text: str) -> Any:
    """The view that the Python form carries."""
    return pickle.loads(a2b_base64(text))  # noqa: S301 - it comes from the table, which bots cannot speak for


def end(outcome: Outcome) -> bytes:
    """Tells how the match ended."""
    message = {"type": "end", "scores": outcome.scores, "places": outcome.places}
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def answer(line: bytes, kind: str) -> dict[str, Any]:
    """The answer to a message of that kind; a `ChargedError` if it is none, or tells of a fault."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise ChargedError("protocol", "its answer is not JSON") from None
    if not isinstance(found, dict):
        raise ChargedError("protocol", "its answer is not a JSON object")
    if found.get("type") != kind:
        raise ChargedError("protocol", f'its answer is not of the type "{kind}"')
    if "fault" in found:
        raise ChargedError(*_told_fault(found))
    return found


def is_python(hello: dict[str, Any]) -> bool:
    """Whether the answer to `hello` chooses the Python form; a `ChargedError` for another protocol."""
    if hello.get("protocol") != VERSION:
        raise ChargedError("protocol", f"it does not speak version {VERSION} of the protocol")
    return hello.get("form") == "python"


def action(found: dict[str, Any], number: int, game: Game, python: bool) -> int:
    """The action of an answer to the decision of that number; a `ChargedError` if it is none of the game's."""
    if found.get("decision") != number:
        raise ChargedError("protocol", "it answered another decision than it was asked for")
    if "action" not in found:
        raise ChargedError("protocol", "its answer has no action")
    chosen = found["action"]
    if python and type(chosen) is int:
        return chosen
    if python or not isinstance(chosen, str):
        raise ChargedError("illegal", kind_of(chosen) if python else "answered with something that is no text")
    try:
        return game.action(chosen)
    except ActionError:
        raise ChargedError("illegal", "answered a text that is no action of the game") from None


def _told_fault(found: dict[str, Any]) -> tuple[FaultKind, str]:
    """The fault that a bot tells of itself; its words are not trusted to be short or plain."""
    kind, detail = found["fault"], found.get("detail", "")
    if kind not in MAY_TELL or not isinstance(detail, str):
        return "protocol", "it told of a fault that there is not"
    return kind, re.sub(r"[^\w .:-]", "?", detail)[:120]
