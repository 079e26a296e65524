"""The tables of a league: its field, and its ratings over time."""

from collections.abc import Sequence

from tourney.base.sheet import (
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
from tourney.journal.history import HistoryPoint, HistoryRow, rows
from tourney.review.field import FieldRow

EVENTS_SHOWN = 2


def field_sheet(field: Sequence[FieldRow], empty: str = "Nobody is in the league yet.") -> Sheet:
    """The field, with the first line of each reason below it."""
    reasons = [f"{row.bot} {row.state}: {why}" for row in field if (why := row.why.partition("\n")[0])]
    return Sheet(FieldRow, field, said(field_columns(field)), reasons, empty=empty)


def field_columns(field: Sequence[FieldRow]) -> list[Column]:
    """All columns in their order; some may be empty."""
    times = ["" if row.mean_us is None else duration_text(1000 * row.mean_us) for row in field]
    return [
        names([row.bot for row in field]),
        Column("state", [row.state for row in field], is_text=True),
        Column("since (UTC)", [minute(row.since or "") for row in field], is_text=True, expendable=1),
        Column("author", [row.author for row in field], is_text=True, expendable=5),
        Column("deals", [str(row.deals) for row in field], expendable=2),
        Column("rating", ["" if row.rating is None else f"{row.rating:.0f}" for row in field]),
        Column("+-", [half_width(row.rating_low, row.rating_high, 0) for row in field]),
        Column("faults", [str(row.faults) for row in field], expendable=3),
        Column("decision", times, expendable=4),
    ]


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
    """The ratings of bots over time; a table has those of some, as many as there is room for."""
    columns = [
        Column("block", [str(point.block) for point in points]),
        Column("before (UTC)", [minute(point.date) for point in points], is_text=True),
        *[Column(bot, [_rated(point, bot) for point in points], expendable=at) for at, bot in enumerate(shown)],
        Column("event", [_events(point) for point in points], is_text=True),
    ]

    def table(form: TableFormat, width: int) -> str:
        fitting = columns if form == "markdown" else fitted(columns, width)
        left_out = ", ".join([column.heading for column in columns if column not in fitting])
        text = columns_text(fitting, form, None)
        note = f"No room for {left_out}: name one, or use a wider terminal or another format."
        return f"{text}\n\n{sentences_text([note], form, width)}" if left_out else text

    return Sheet(HistoryRow, rows(points, bots), table)


def minute(date: str) -> str:
    """The date and the time of an event to the minute."""
    return date[:16].replace("T", " ")


def _rated(point: HistoryPoint, bot: str) -> str:
    if bot not in point.ratings:
        return ""
    rating, low, high = point.ratings[bot]
    return f"{rating:.0f} +-{half_width(low, high, 0)}".removesuffix(" +-")


def _events(point: HistoryPoint) -> str:
    """The first changes of the field at a point, and how many more there are."""
    said = [f"{event.bot} {event.event}" for event in point.events]
    more = len(said) - EVENTS_SHOWN
    return ", ".join([*said[:EVENTS_SHOWN], *([f"{more} more"] if more > 0 else [])])
