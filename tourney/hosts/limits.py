"""What a bot may use of time and memory: the keys of `[limits]` that every host knows."""

import re
from typing import Annotated, NamedTuple

import msgspec

from tourney.base.errors import ConfigError
from tourney.base.validation import PositiveInt, Seconds
from tourney.hosts import linux

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = r"(\d+(?:\.\d+)?)(ms|s|m|h)"
_CONTROL = re.compile(rf"{_TIME}(?:\+{_TIME})?", re.ASCII)
MOST_S = 2_147_483  # the longest bank and increment: what system calls take
MOST_NOTE_BYTES = 32_768
NoteBytes = Annotated[int, msgspec.Meta(ge=1, le=MOST_NOTE_BYTES)]


class TimeControl(NamedTuple):
    """The time of a seat for a whole match, as in chess."""

    bank_s: float
    """The seconds that the seat has at the beginning."""
    increment_s: float
    """The seconds that it gets after each of its decisions."""

    @classmethod
    def parse(cls, text: str, where: str) -> "TimeControl":
        """Parses a text such as `10s+50ms`; raises a `ConfigError` that starts with `where`."""
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        parts = _CONTROL.fullmatch(text)
        if parts is None:
            raise ConfigError(
                f'{where}: invalid clock "{shown}"; expected TIME or TIME+INCREMENT, such as "2m" or "10s+50ms"'
            )
        bank, increment = [
            float(number) * _UNITS[unit] if number else 0.0 for number, unit in (parts.group(1, 2), parts.group(3, 4))
        ]
        if not 0 < bank <= MOST_S or increment > MOST_S:
            raise ConfigError(f'{where}: invalid clock "{shown}"; the time must be more than 0s and at most {MOST_S}s')
        return cls(bank, increment)


class Limits(msgspec.Struct, frozen=True):
    """The limits of a bot; None means no limit, and nothing is measured."""

    move_ms: PositiveInt | None = None
    """Milliseconds for one decision, and for hearing the outcome."""
    start_ms: PositiveInt | None = None
    """Milliseconds to be made and told the facts of a match."""
    clock: str | None = None
    """Time for all decisions of a match together, and an increment for each of them: `10s+50ms`."""
    cpu_ms: PositiveInt | None = None
    """Milliseconds of processor time for one decision, of all processes of the bot together."""
    cpu: str | None = None
    """Processor time for all decisions of a match together, and an increment for each of them: `10s+50ms`."""
    match_s: Seconds = 120.0
    """Seconds for which a match's bots may be asked, all together, if they have neither `move_ms` nor a clock.
    Then the bot that has been asked longest is charged."""
    note_bytes: NoteBytes = 2048
    """Bytes of JSON that the bot may note for one decision; the rest is cut, without a fault."""
    match_note_bytes: PositiveInt = 65_536
    """Bytes that it may note in a match; the rest is left out, without a fault."""
    call_s: Seconds = 120.0
    """Seconds until a bot's service counts as unavailable if it has not answered; only for bots that ask one."""
    patience_s: Seconds = 300.0
    """Seconds for which an unavailable service is tried again, until the run pauses; only for bots that ask one."""
    memory_mb: PositiveInt | None = None
    """Memory of its process and of each that it starts, in a shared cgroup; for bots in the worker, of all bots
    there together."""

    def validate(self, where: str) -> None:
        """Raises a `ConfigError` unless the time controls are valid; `where` is the limits' table."""
        for key, text in (("clock", self.clock), ("cpu", self.cpu)):
            if text is not None:
                TimeControl.parse(text, f"{where}.{key}")

    @property
    def bounds_decisions(self) -> bool:
        """Whether the time for the bot's decisions has its own limit, so `match_s` does not count it."""
        return self.move_ms is not None or self.clock is not None or self.bounds_processor

    @property
    def bounds_processor(self) -> bool:
        """Whether the processor time for the bot's decisions has a limit."""
        return self.cpu_ms is not None or self.cpu is not None

    @property
    def bounds_time(self) -> bool:
        """Whether anything but the match as a whole has a time limit."""
        return self.bounds_decisions or self.start_ms is not None


ENFORCED = frozenset(Limits.__struct_fields__) - frozenset([] if linux.AVAILABLE else ["cpu_ms", "cpu", "memory_mb"])
"""The names of the limits that hold on this system, unless the host restricts them."""
