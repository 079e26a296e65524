"""The wire protocol: messages are JSON objects, one a line, and each is answered by one line (docs/protocol).

It has two forms. In the text form, views and actions are JSON that a program in any language can read. In the Python
form, for bots that have this package, the message that asks for a decision is pickled, and actions are numbers, which
is quicker. A bot chooses the form in its answer to the first message.
"""

import pickle
import re
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any

import msgspec
import orjson

from tourney.base.errors import ActionError, one_line
from tourney.contracts.bot import Clock, Noted, Outcome, SeatFacts
from tourney.contracts.game import Game
from tourney.contracts.match import FaultKind
from tourney.contracts.rng import seed_text
from tourney.hosts.faults import ChargedError, describe_answer, tidied

VERSION = 1
PER_PICKLER = 256  # messages of the Python form that one pickler writes
MAX_LINE = 1 << 20  # bytes of an answer; a longer one is a fault
SHOWN = 200  # bytes of an invalid answer
HELLO = b'{"type":"hello","protocol":%d}\n' % VERSION
RESET = b'{"type":"reset"}\n'  # makes a kept bot forget the last match
TRACEBACK = b'{"type":"traceback"}\n'
"""Asks a bot in the Python form that has reported an `error` or `memory` for the traceback of its exception."""
REPORTABLE: tuple[FaultKind, ...] = "illegal", "error", "memory"  # faults that a bot may report of itself


def start_message(facts: SeatFacts, rng_seed: int) -> bytes:
    """Returns the message that tells a bot the facts before its first decision."""
    options = {name: msgspec.to_builtins(getattr(facts.options, name)) for name in facts.options.__struct_fields__}
    message = {
        "type": "start",
        "game": facts.game.name,
        "options": options,
        "seats": facts.seats,
        "seat": facts.seat,
        "rng": seed_text(rng_seed),
    }
    if facts.clock is not None:
        clock = facts.clock
        message["clock"] = {
            "bank_ms": None if clock.bank_s is None else round(clock.bank_s * 1000),
            "increment_ms": round(clock.increment_s * 1000),
            "move_ms": None if clock.move_s is None else round(clock.move_s * 1000),
            "processor": clock.is_processor_time,
        }
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def text_act_message(number: int, view: Any, legal: Sequence[int], game: Game, clock: Clock | None = None) -> bytes:
    """Returns the message that asks for a decision, in the text form.

    The bot's own decisions are counted from 1. If they have a time limit, `clock` has the time left.
    """
    texts = [game.names[action] for action in legal]
    message = act_message(number, orjson.Fragment(view.as_json()), texts, clock)
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


class QuestionWriter:
    """Writes the messages that ask for the decisions of one match, in the Python form.

    Each message is pickled, after a line with its size. An object that an earlier message held is sent as a reference
    to it, and a view shares most of its objects with the view before; so views must be immutable. Both ends keep the
    objects of one pickler. To bound these, a new pickler begins after `PER_PICKLER` messages, and the line of its first
    message has the word `new`.
    """

    def __init__(self) -> None:
        self._file = BytesIO()
        self._pickler: Any = None
        self._written = 0  # by this pickler

    def act_message(self, number: int, view: Any, legal: Sequence[int], clock: Clock | None = None) -> bytes:
        """Returns the message that asks for a decision; see `text_act_message`."""
        form = b"%d\n%b"
        if self._pickler is None or self._written == PER_PICKLER:
            form = b"%d new\n%b"
            self._pickler = pickle.Pickler(self._file, pickle.HIGHEST_PROTOCOL)
            self._written = 0
        self._written += 1
        self._pickler.dump(act_message(number, view, tuple(legal), clock))
        pickled = self._file.getvalue()
        self._file.seek(0)
        self._file.truncate()
        return form % (len(pickled), pickled)


def act_message(number: int, view: Any, legal: Sequence[Any], clock: Clock | None) -> dict[str, Any]:
    """Returns the content of a message that asks for a decision; see `text_act_message`."""
    message = {"type": "act", "decision": number, "view": view, "legal": legal}
    if clock is not None:
        message["left_ms"] = int(clock.left_s * 1000)
    return message


class MessageReader:
    """Reads the messages to a bot in the Python form: lines of JSON, and the output of a `QuestionWriter`."""

    def __init__(self) -> None:
        self._file = BytesIO()
        self._unpickler: Any = None

    def next_message(self, data: bytes) -> tuple[dict[str, Any], bytes] | None:
        """Returns the first message of the data, and the rest; None if it is incomplete."""
        line, newline, rest = data.partition(b"\n")
        if not newline:
            return None
        if line.startswith(b"{"):
            return msgspec.json.decode(line), rest
        words = line.split()
        size = int(words[0])
        if len(rest) < size:
            return None
        self._file.seek(0)
        self._file.truncate()
        self._file.write(rest[:size])
        self._file.seek(0)
        if len(words) > 1:
            self._unpickler = pickle.Unpickler(self._file)  # noqa: S301 - the table writes it, and no bot can
        return self._unpickler.load(), rest[size:]


def end_message(outcome: Outcome) -> bytes:
    """Returns the message that tells a bot how the match ended."""
    message = {"type": "end", "scores": outcome.scores, "places": outcome.places}
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def parse_answer(line: bytes, kind: str) -> dict[str, Any]:
    """Returns the answer to a message of that type; also raises a `ChargedError` for a fault that the bot reports."""
    answer = parse_object(line, kind)
    raise_reported(answer)
    return answer


def parse_object(line: bytes, kind: str) -> dict[str, Any]:
    """Returns the answer to a message of that type, which may report a fault."""
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise _unusable(line, "answer is not JSON") from None
    if not isinstance(answer, dict):
        raise _unusable(line, "answer is not a JSON object")
    if answer.get("type") != kind:
        raise _unusable(line, f'answer type is not "{kind}"')
    return answer


def raise_reported(report: dict[str, Any]) -> None:
    """Raises the fault that an answer reports, if it does."""
    if "fault" not in report:
        return
    fault, detail = report["fault"], report.get("detail", "")
    if fault not in REPORTABLE or not isinstance(detail, str):
        raise ChargedError("protocol", "answer has an unknown fault")
    raise ChargedError(fault, re.sub(r"[^\w .:-]", "?", detail)[:120])  # it may be long or unprintable


def _unusable(line: bytes, why: str) -> ChargedError:
    error = ChargedError("protocol", why)
    shown = one_line(line[:SHOWN].decode(errors="replace"))
    error.traceback = f"received: {shown}{' ...' if len(line) > SHOWN else ''}"
    return error


def parse_traceback(line: bytes) -> str:
    """Returns the traceback in a bot's answer; empty if there is none."""
    with suppress(ChargedError):
        match parse_object(line, "traceback"):
            case {"text": str(text)}:
                return tidied(text)
    return ""


def chooses_python(hello: dict[str, Any]) -> bool:
    """Whether the answer to `hello` chooses the Python form."""
    if hello.get("protocol") != VERSION:
        raise ChargedError("protocol", f"protocol version {VERSION} not supported")
    return hello.get("form") == "python"


def parse_choice(answer: dict[str, Any], number: int, game: Game, python: bool) -> int | Noted:
    """Returns the action of an answer to the decision of that number, with the bot's note."""
    action = _action(answer, number, game, python)
    if "note" not in answer:
        return action
    noted = Noted(action)
    noted.note = answer["note"]
    return noted


def _action(answer: dict[str, Any], number: int, game: Game, python: bool) -> int:
    if answer.get("decision") != number:
        raise ChargedError("protocol", "answer has the wrong decision number")
    if "action" not in answer:
        raise ChargedError("protocol", "answer has no action")
    chosen = answer["action"]
    if python and type(chosen) is int:
        return chosen
    if python or not isinstance(chosen, str):
        raise ChargedError("illegal", describe_answer(chosen) if python else "action is not a string")
    try:
        return game.action(chosen)
    except ActionError:
        raise ChargedError("illegal", "unknown action") from None
