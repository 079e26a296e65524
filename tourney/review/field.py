"""The field of a league: the status and results of every submitted bot, and ratings over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from math import ceil
from statistics import median
from typing import Any, NamedTuple

import msgspec

from tourney.base.errors import one_line
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
from tourney.config.names import base_name
from tourney.contracts.wording import counted
from tourney.hosts.timing import duration_text
from tourney.journal.events import DATE
from tourney.journal.history import HistoryPoint, HistoryRow
from tourney.journal.history import rows as history_rows
from tourney.journal.reader import is_being_written, parse_record
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run, written_rows
from tourney.runner.league import PRESENT, State, VersionStatus, field_of, version
from tourney.schedule.seatings import seating_count

EVENTS_SHOWN = 2
ROUNDS_TIMED = 9  # last rounds whose pace predicts the next one


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
    next_match: str = ""
    """`now`, or the round that it waits for, such as `round 3`; empty for a bot that does not play."""
    voided: int = 0
    """How many of its matches were voided, and count no more."""


class Outlook(NamedTuple):
    """Who plays when."""

    next_match: Mapping[str, str]  # by bot, as in `FieldRow.next_match`
    next_round: str  # when the next round begins, as a sentence; empty without bots


def outlook(league: RunFolder) -> Outlook:
    """When each bot of a league plays next, by its rounds and the pace of the last ones."""
    setup = league.tournament.setups[0]
    paired = [event for event in league.events if event.event == "round"]
    blocks = league.until or 0
    if league.until is None and (line := league.last_line):
        blocks = parse_record(line, str(league)).block + 1
    last = paired[-1] if paired else None
    left = 0 if last is None else max(0, last.block + last.blocks - blocks)
    seated = {name for table in last.tables for name in table} if last is not None and left else set()
    is_played, number = league.until is None and is_being_written(league.path), len(paired) + 1
    playing = [each.name for each in field_of(league.events, league.tournament.names) if each.state == "plays"]
    times = {name: "now" if is_played and name in seated else f"round {number - (name in seated)}" for name in playing}
    missing = setup.seats - len({base_name(name) for name in playing})
    if missing > 0:
        when = f"once {counted(missing, 'more bot')} {'is' if missing == 1 else 'are'} entered"
        return Outlook(times, f"Round {number} begins {when}: {setup.game} has {setup.seats} seats.")
    if not left:
        return Outlook(times, f"Round {number} begins when the league is played next, unless all is decided.")
    matches = left * seating_count(league.tournament.seatings, setup.seats)
    paces = []
    with suppress(ValueError):  # the dates are for display only
        starts = [(datetime.strptime(event.date, DATE), event.blocks) for event in paired[-1 - ROUNDS_TIMED :]]
        paces = [(later - one).total_seconds() / blocks for (one, blocks), (later, _) in pairwise(starts) if blocks]
    about = f" (about {ceil(left * median(paces) / 60)} min)" if paces else ""
    where = "" if is_played else ", when the league is played next"
    return Outlook(
        times, f"Round {number} begins after {counted(matches, 'more match', 'more matches')}{about}{where}."
    )


def absence(league: RunFolder, name: str) -> str:
    """Why a bot of a league, with a version or without, has no matches; empty if it is unknown."""
    statuses = [
        each for each in field_of(league.events, league.tournament.names) if name in (each.name, base_name(each.name))
    ]
    if not statuses:
        return ""
    status, plans = statuses[-1], outlook(league)
    if status.state == "plays":
        waits = plans.next_match[status.name].replace("now", "the end of its first match")
        return f"{status.name} has no matches: it waits for {waits}. {plans.next_round}"
    return f"{status.name} has no matches: it is {status.state} since {minute(status.since)} UTC{_because(status)}"


def _because(status: VersionStatus) -> str:
    why = one_line(status.why.partition("\n")[0])
    return f": {why}" if why else ""


def field(league: RunFolder) -> tuple[list[FieldRow], str]:
    """The field of a league, and when its next round begins, as a sentence.

    Playing bots come first, then paused ones, then all others; the best first in each group.

    Raises:
        RunError: The league cannot be read, or is damaged.
    """
    rows = {row.bot: row for row in written_rows(league) or count_run(league).ranking().rows}
    setups = league.tournament.setups
    of_a_deal = len(setups) * seating_count(league.tournament.seatings, setups[0].seats)
    times = {} if league.times is None else league.times.bots
    plans, next_round = outlook(league)
    field_rows = []
    voided = Counter([name for event in league.events if event.voided for bots in event.tables for name in bots])
    for name, state, since, block, why, author in field_of(league.events, league.tournament.names):
        known: dict[str, Any] = {"next_match": plans.get(name, "")}
        if row := rows.get(name):
            known |= {key: getattr(row, key) for key in ("rating", "rating_low", "rating_high", "matches", "faults")}
            known["deals"] = row.matches // of_a_deal
        if (its := times.get(name)) and its.decisions:
            known |= {"decisions": its.decisions, "mean_us": round(its.mean_ns / 1000, 3)}
        known["voided"] = voided[name] * of_a_deal // len(setups)
        field_rows.append(FieldRow(name, version(name), state, since or None, block, why, author, **known))
    order: list[State] = ["plays", "paused", "submitted", "refused", "retired"]
    return sorted(field_rows, key=lambda each: (order.index(each.state), -(each.rating or 0.0))), next_round


def current(rows: Sequence[FieldRow]) -> list[FieldRow]:
    """The present versions, and the latest of each other name if submitted or refused."""
    latest = {base_name(row.bot): row for row in sorted(rows, key=lambda row: row.version)}
    shown = [row for row in latest.values() if row.state in ("submitted", "refused")]
    return [row for row in rows if row.state in PRESENT or row in shown]


def field_sheet(rows: Sequence[FieldRow], empty: str = "No bots in the league yet.", next_round: str = "") -> Sheet:
    """The field, with the first line of each reason, and when the next round begins, below it."""
    times = ["" if row.mean_us is None else duration_text(1000 * row.mean_us) for row in rows]
    columns = [
        names([row.bot for row in rows]),
        Column("state", [row.state for row in rows], is_text=True),
        Column("next match", [row.next_match for row in rows], is_text=True),
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
    return Sheet(FieldRow, rows, said(columns), [*reasons, *filter(None, [next_round])], empty=empty)


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
    said = [f"{event.bot} {event.event}" for event in point.events]
    more = len(said) - EVENTS_SHOWN
    return ", ".join([*said[:EVENTS_SHOWN], *([f"{more} more"] if more > 0 else [])])
