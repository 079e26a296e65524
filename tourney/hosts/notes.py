"""What bots note of their decisions (`Noted`): flat, small, and never the cause of a fault."""

from collections import Counter
from contextlib import suppress
from itertools import islice
from math import fsum, inf, isfinite
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from tourney.base.errors import CostLimitError, writable
from tourney.contracts.bot import Noted
from tourney.contracts.wording import dollars
from tourney.hosts.limits import MOST_NOTE_BYTES, Limits

Note: TypeAlias = dict[str, int | float | bool | str]
"""What was noted of one decision, by names of the author's choice."""
MOST_KEYS = 64  # names in a note
RANGES = {"value": 1.0, "tokens_in": inf, "tokens_out": inf, "cost": inf, "attempts": inf}
"""The notes that are numbers by their meaning, from 0 to at most this."""


class Ledger:
    """The dollars that a run's bots have spent: a line for each answer, in a file that outlives a killed run."""

    def __init__(self, file: Path, most: float | None) -> None:
        """`most` is the most that may be spent, if there is a limit."""
        self.most = most
        self._file = file
        self._read = 0
        self._total = 0.0

    def add(self, cost: float) -> None:
        """Adds the cost of an answer."""
        with writable(self._file), self._file.open("ab", buffering=0) as file:
            file.write(b"%r\n" % cost)

    @property
    def total(self) -> float:
        """What all processes have spent so far."""
        with suppress(FileNotFoundError), self._file.open("rb") as file:
            file.seek(self._read)
            whole, newline, _ = file.read().rpartition(b"\n")
            self._read += len(whole) + len(newline)
            self._total += fsum(map(float, whole.split()))
        return self._total

    def check(self) -> None:
        """Raises a `CostLimitError` if everything has been spent."""
        if self.most is not None and (total := self.total) >= self.most:
            raise CostLimitError(
                f"cost limit reached: {dollars(total)} of max_cost = {self.most:g}; raise max_cost and resume"
            )


class NoteTaker:
    """Takes the bots' notes in one match."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        """Costs are also written to the ledger."""
        self.ledger = ledger
        self.notes: list[tuple[int, int, Note]] = []
        """The decision, the seat and the note, for each decision with a note."""
        self.cut: Counter[int] = Counter()  # by seat, how many notes were cut or left out
        self._bytes: Counter[int] = Counter()

    def __bool__(self) -> bool:
        """Whether anything was noted."""
        return bool(self.notes or self.cut.total())

    def take(self, decision: int, seat: int, answer: Noted, limits: Limits) -> None:
        """Takes a bot's note, or the part of it that has the right shape and is small enough.

        Raises:
            CostLimitError: The ledger's limit is reached.
        """
        most = min(limits.note_bytes, limits.match_note_bytes - self._bytes[seat])
        note, was_cut = tidied(getattr(answer, "note", None), most)
        self.cut[seat] += was_cut
        if note:
            self._bytes[seat] += len(orjson.dumps(note))
            self.notes.append((decision, seat, note))
        if self.ledger is not None and (cost := note.get("cost")):
            self.ledger.add(float(cost))
            self.ledger.check()


def plain(note: Any) -> dict[str, Any]:
    """Returns a note for JSON: null for values of a wrong shape, and no text longer than notes may be."""
    if type(note) is not dict:
        return {"": None}
    values: dict[str, Any] = {}
    for key, value in islice(note.items(), MOST_KEYS):
        named = type(key) is str and key.isidentifier() and len(key) <= 40
        values[key if named else ""] = _plain_value(key, value) if named else None
    return values if len(note) <= MOST_KEYS else values | {"": None}


def _plain_value(key: str, value: Any) -> float | bool | str | None:
    kind = type(value)
    if kind is str:
        return None if key in RANGES else value[: MOST_NOTE_BYTES + 1].encode(errors="replace").decode()
    if key == "thought" or (kind is bool and key in RANGES):
        return None
    if kind is bool:
        return bool(value)
    if (kind is int and abs(value) < 1 << 53) or (kind is float and isfinite(value)):
        return value if key not in RANGES or 0 <= value <= RANGES[key] else None
    return None


def tidied(note: Any, most: int) -> tuple[Note, bool]:
    """Returns a note in at most `most` bytes of JSON, and whether anything was cut or left out for that or its shape.

    The longest text is cut; if that is not enough, nothing is left.
    """
    shaped = plain(note)
    kept = {key: value for key, value in shaped.items() if value is not None}
    was_cut = len(kept) < len(shaped)
    while kept and (over := len(orjson.dumps(kept)) - most) > 0:
        was_cut = True
        longest = max(kept, key=lambda key: len(value) if isinstance(value := kept[key], str) else 0)
        text = kept[longest]
        if not isinstance(text, str) or not text:
            return {}, True
        kept[longest] = text[: min(len(text) - 1, max(0, len(text) - over // 6))]  # a letter has up to six bytes
    return kept, was_cut
