"""The events of a league: which moment is meant by an event, a line or a date."""

import pytest

from tourney.base.errors import RunError
from tourney.journal.events import EVENTS, Event, Moment, moment
from tourney.journal.writer import EventLog

LINES = [
    ("submitted", 0, "01T00:00", "a@1"), ("entered", 0, "01T00:01", "a@1"), ("submitted", 0, "02T00:00", "b@1"),
    ("entered", 0, "02T00:00", "b@1"), ("round", 0, "03T12:00", ""), ("paused", 3, "04T00:00", "b@1"),
    ("entered", 3, "05T00:00", "a@2"), ("round", 3, "06T12:00", ""), ("restored", 7, "07T00:00", "b@1"),
]  # fmt: skip
MOMENTS = {
    "1": (0, 0), "5": (0, 2), "6": (3, 2), "9": (7, 4), "a@1": (0, 0), "b": (0, 1), "a": (3, 3),
    "submitted:b@1": (0, 1), "paused:b@1": (3, 2), "restored:b@1": (7, 4), "2026-01-03": (0, 2),
    "2026-01-03T12:00": (3, 2), "2026-01-05": (3, 4), "2026-01-05T01:00+02:00": (3, 3), "2026-01-08": (7, 5),
    "0": "no line 0", "10": "no line 10; the last one is 9", "2025-12-31": "began after", "2026-13-01": "not a date",
    "c": 'no event "c"',
}  # fmt: skip


@pytest.mark.parametrize("at", MOMENTS)
def test_a_moment_is_before_an_event_or_at_a_date(tmp_path, at):
    (tmp_path / EVENTS).touch()
    with EventLog(tmp_path) as log:
        log.add(
            *[Event(kind, block, f"2026-01-{date}:00Z", bot, blocks=3 + block // 3) for kind, block, date, bot in LINES]
        )
    if isinstance(wanted := MOMENTS[at], tuple):
        assert moment(tmp_path, at) == Moment(*wanted)
    else:
        with pytest.raises(RunError, match=wanted):
            moment(tmp_path, at)
