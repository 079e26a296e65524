"""The field of a league: the status and results of every submitted bot, and ratings over time."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from tourney.base.sheet import (
    SHORTEST,
    Column,
    Sheet,
    TableFormat,
    columns_text,
    fitted,
    half_width,
    names,
    said,
    sentences_text,
)
from tourney.hosts.timing import duration_text
from tourney.journal.history import HistoryPoint, HistoryRow
from tourney.journal.history import rows as history_rows
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run, written_rows
from tourney.runner.league import PRESENT, State, field_of, version
from tourney.schedule.league import base_name
from tourney.schedule.seatings import seating_count

EVENTS_SHOWN = 2


class FieldRow(msgspec.Struct, frozen=True):
    """One bot version in a league; unknown values are None. The field names are the keys in JSON and CSV."""

    bot: str
    """Its name in the league, with its version."""
    version: int
    """0 for a bot of the league's file, which has none."""
    state: State
    since: str | None
    """When the state began; None for a bot present from the start."""
    block: int
    """The first block with this state."""
    why: str
    """Why it was paused, retired, restored or refused; a pause for faults includes the last traceback."""
    author: str
    deals: int = 0
    """The number of deals played."""
    rating: float | None = None
    rating_low: float | None = None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    rating_high: float | None = None
    matches: int = 0
    faults: int = 0
    decisions: int = 0
    """How many of its decisions were measured."""
    mean_us: float | None = None
    """The mean wall-clock time of a decision, in microseconds."""
    voided: int = 0
    """How many of its matches were voided, and count no more."""


def field(league: RunFolder) -> list[FieldRow]:
    """The field of a league: playing bots, paused ones, then all others; the best first in each group.

    Raises:
        RunError: The league cannot be read, or is damaged.
    """
    rows = {row.bot: row for row in written_rows(league) or count_run(league).ranking().rows}
    setups = league.tournament.setups
    of_a_deal = len(setups) * seating_count(league.tournament.seatings, setups[0].seats)
    times = {} if league.times is None else league.times.bots
    voided = Counter([name for event in league.events if event.voided for bots in event.tables for name in bots])
    field_rows = []
    for name, state, since, block, why, author in field_of(league.events, league.tournament.names):
        known: dict[str, Any] = {}
        if row := rows.get(name):
            known = {key: getattr(row, key) for key in ("rating", "rating_low", "rating_high", "matches", "faults")}
            known["deals"] = row.matches // of_a_deal
        if (its := times.get(name)) and its.decisions:
            known |= {"decisions": its.decisions, "mean_us": round(its.mean_ns / 1000, 3)}
        known["voided"] = voided[name] * of_a_deal // len(setups)
        field_rows.append(FieldRow(name, version(name), state, since or None, block, why, author, **known))
    order: list[State] = ["plays", "paused", "submitted", "refused", "retired"]
    return sorted(field_rows, key=lambda each: (order.index(each.state), -(each.rating or 0.0)))


def current(rows: Sequence[FieldRow]) -> list[FieldRow]:
    """The present versions, and the latest of each other name if submitted or refused."""
    latest = {base_name(row.bot): row for row in sorted(rows, key=lambda row: row.version)}
    shown = [row for row in latest.values() if row.state in ("submitted", "refused")]
    return [row for row in rows if row.state in PRESENT or row in shown]


def field_sheet(rows: Sequence[FieldRow], empty: str = "No bots in the league yet.") -> Sheet:
    """The field, with the first line of each reason below it."""
    times = ["" if row.mean_us is None else duration_text(1000 * row.mean_us) for row in rows]
    columns = [
        names([row.bot for row in rows]),
        Column("state", [row.state for row in rows], is_text=True),
        Column("since (UTC)", [minute(row.since or "") for row in rows], is_text=True, expendable=1),
        Column("author", [row.author for row in rows], is_text=True, expendable=5),
        Column("deals", [str(row.deals) for row in rows], expendable=2),
        Column("rating", ["" if row.rating is None else f"{row.rating:.0f}" for row in rows]),
        Column("+-", [half_width(row.rating_low, row.rating_high, 0) for row in rows]),
        Column("faults", [str(row.faults) for row in rows], expendable=3),
        Column("decision", times, expendable=4),
        Column("voided", [str(row.voided or "") for row in rows], expendable=1),
    ]
    reasons = [f"{row.bot} {row.state}: {why}" for row in rows if (why := row.why.partition("\n")[0])]
    return Sheet(FieldRow, rows, said(columns), reasons, empty=empty)


def history_columns(history: Sequence[HistoryRow]) -> list[Column]:
    """Rows of a history as columns."""
    return [
        Column("block", [str(row.block) for row in history]),
        Column("before (UTC)", [minute(row.date) for row in history], is_text=True),
        names([row.bot for row in history]),
        Column("rating", [f"{row.rating:.0f}" for row in history]),
        Column("+-", [half_width(row.rating_low, row.rating_high, 0) for row in history]),
        Column("events", [row.events for row in history], is_text=True, expendable=1),
    ]


def history_sheet(points: Sequence[HistoryPoint], bots: Sequence[str], shown: Sequence[str]) -> Sheet:
    """The ratings of bots over time; a table shows as many of `shown` as fit."""
    columns = [
        Column("block", [str(point.block) for point in points]),
        Column("before (UTC)", [minute(point.date) for point in points], is_text=True),
        *[Column(bot, [_rated(point, bot) for point in points], False, at, SHORTEST) for at, bot in enumerate(shown)],
        Column("event", [_events(point) for point in points], is_text=True),
    ]

    def table(form: TableFormat, width: int) -> str:
        fitting = columns if form == "markdown" else fitted(columns, width)
        kept = {column.expendable for column in fitting}
        left_out = ", ".join([column.heading for column in columns if column.expendable not in kept])
        text = columns_text(fitting, form, None)
        note = f"No room for {left_out}: choose one, or use a wider terminal or another format."
        return f"{text}\n\n{sentences_text([note], form, width)}" if left_out else text

    return Sheet(HistoryRow, history_rows(points, bots), table)


def minute(date: str) -> str:
    """The date and time of an event to the minute."""
    return date[:16].replace("T", " ")


def _rated(point: HistoryPoint, bot: str) -> str:
    if bot not in point.ratings:
        return ""
    rating, low, high = point.ratings[bot]
    return f"{rating:.0f} +-{half_width(low, high, 0)}".removesuffix(" +-")


def _events(point: HistoryPoint) -> str:
    """The first changes of the field at a point, and the number of further ones."""
    said = [f"{event.bot} {event.event}" for event in point.events]
    more = len(said) - EVENTS_SHOWN
    return ", ".join([*said[:EVENTS_SHOWN], *([f"{more} more"] if more > 0 else [])])
