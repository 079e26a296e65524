"""Finds the action in a model's answer: on its last line, however it is dressed up, and never inside a sentence."""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

MOST_READ = 100_000
"""How many characters are read, from the end."""
LONGEST_LINE = 500
"""The longest line that can be an action, unless it is JSON."""
KEYS = ("action", "answer", "choice", "move", "number", "option", "play")
"""The keys of an action in JSON."""
SO = r"(?:(?:so|thus|therefore|hence)\b[,:]?\s*)?"
LABEL = (
    rf"{SO}(?:(?:i|my|the|final|chosen|selected|best)\s+)*"
    r"(?:(?:answer|action|move|choice|option|decision|selection|pick|number|答案)\b\s*(?:is\b|[:=]|\s)*"
    r"|(?<=i )(?:will |ll )?(?:choose|pick|select|go with)\s+(?:(?:option|action|number)\s+)?)"
)
"""The words that may precede an action."""
_QUOTES = r"`\"'\u2018\u2019\u201c\u201d«»"
_BULLET = re.compile(r"[→⇒]\s*|(?:[-\u2013\u2014•>]+|[-=]>)\s+")
_NUMBER = re.compile(r"[#(\[]*\s*(\d{1,6})\s*[.):\]]*")
_LISTED = re.compile(r"[#(\[]*\s*(\d{1,6})(?:\s*[.):\]]+\s*|\s+)(.+)")
_NAMED = re.compile(r"(.+?)\s*[(\[]#?(\d{1,6})[)\]]")
_TAGGED = re.compile(r"<(answer|action|move|choice)>\s*(.*?)\s*</\1>")
_BOXED = re.compile(rf"(?:{LABEL}|{SO})\\boxed\s*\{{(?:\\text\s*\{{)?([^{{}}]*)\}}*")
_OBJECT = re.compile(rf"(?:{LABEL})?(\{{.*\}})")
_LABELLED = re.compile(rf"{LABEL}(.+)")
_PLAYED = re.compile(r"i (?:will |ll )?play (.+)")
_GOODBYE = re.compile(r"good (?:luck|game)|gg|have fun|thanks|thank you|cheers|your turn")
_THOUGHT = re.compile(r"(?s)^.*</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINKS = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


class Found(NamedTuple):
    """The action in an answer."""

    action: int | None
    """None if there is none, or no clear one."""
    how: str
    """How it is written: `exact`, `dressed`, `listed`, `labelled`, `boxed`, `json`, `fenced` or `closed`."""


class Reader:
    """Finds one of the legal actions in answers."""

    def __init__(self, legal: Sequence[int], names: Sequence[Sequence[str]], numbered: bool = True) -> None:
        """Takes the legal actions, in the order of their numbers from 1 if they are `numbered`, and their names."""
        self._numbers = dict(enumerate(legal, 1)) if numbered else {}
        self._names = {_bare(name): action for action, called in zip(legal, names, strict=True) for name in called}

    def find(self, text: str) -> Found:
        """Finds the action in an answer."""
        text = _THOUGHT.sub("", text).strip()
        if _THINKS.search(text):  # a thought without an end
            return Found(None, "")
        how, lines = "", _lines(text[-MOST_READ:])
        if len(lines) > 1 and _GOODBYE.fullmatch(_bare(lines[-1])):
            how = "closed"
            lines.pop()
        if lines and lines[-1].endswith("```"):
            _, opens, inside = "\n".join(lines)[:-3].rpartition("```")
            how, lines = "fenced", _lines(re.sub(r"^\w*\n", "", inside) if opens else "")
            if len(lines) > 1 and not lines[0].startswith("{"):
                return Found(None, "")
        if not lines:
            return Found(None, "")
        for start in [at for at, line in enumerate(lines) if line.startswith("{")][:-4:-1]:
            with suppress(ValueError, RecursionError):
                return Found(self._of_object("\n".join(lines[start:])), how or "json")
        action, dress = self._of_line(lines[-1])
        if action is not None and len(lines) > 1 and self._of_line(lines[-2])[0] not in (None, action):
            return Found(None, "")  # several actions, one below the other
        return Found(action, how or dress)

    def _of_line(self, line: str) -> tuple[int | None, str]:
        """The action of a line, and how it is written."""
        ways = self._ways(line) if len(line) <= LONGEST_LINE else ()
        return next(((action, how) for how, action in ways if action is not None), (None, ""))

    def _ways(self, line: str) -> Iterator[tuple[str, int | None]]:
        yield "exact", self._exact(line.casefold())
        said = _TAGGED.sub(r"answer: \2", _bare(line))
        yield "dressed", self._exact(said)
        yield "listed", self._plain(said)
        if boxed := _BOXED.fullmatch(said):
            yield "boxed", self._of_line(boxed[1])[0]
        if found := _OBJECT.fullmatch(_bare(line, quotes="`")):
            with suppress(ValueError, RecursionError):
                yield "json", self._of_object(found[1])
        if labelled := _LABELLED.fullmatch(said):
            yield "labelled", self._plain(_bare(labelled[1]))
        if played := _PLAYED.fullmatch(said):
            yield "labelled", self._names.get(_bare(played[1]))

    def _exact(self, text: str) -> int | None:
        if text.isascii() and text.isdigit() and len(text) < 7 and int(text) in self._numbers:
            return self._numbers[int(text)]
        return self._names.get(text)

    def _plain(self, text: str) -> int | None:
        """The action of a number, of a name, or of both, which must agree."""
        if (action := self._exact(text)) is not None:
            return action
        if number := _NUMBER.fullmatch(text):
            return self._numbers.get(int(number[1]))
        for pattern, number_at, name_at in ((_LISTED, 1, 2), (_NAMED, 2, 1)):
            if both := pattern.fullmatch(text):
                action = self._numbers.get(int(both[number_at]))
                named = {self._names.get(_bare(name)) for name in (both[name_at], both[name_at].strip("()[]"))}
                if action is not None and action in named:
                    return action
        return None

    def _of_object(self, text: str) -> int | None:
        """The action in an object of JSON; raises a `ValueError` if the text is none."""
        said = json.loads(text)
        if not isinstance(said, dict):
            raise ValueError
        values = [value for key, value in said.items() if key.casefold() in KEYS]
        actions = {self._plain(_bare(str(value))) if isinstance(value, int | str) else None for value in values}
        return actions.pop() if len(actions) == 1 else None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _bare(text: str, quotes: str = _QUOTES) -> str:
    """A text without what people and models put around an answer, in small letters."""
    bare = re.sub(rf"[*$\s{quotes}]+", " ", unicodedata.normalize("NFKC", text)).strip(" .。!_")
    return _BULLET.sub("", bare, count=1).strip().casefold() if _BULLET.match(bare) else bare.casefold()
