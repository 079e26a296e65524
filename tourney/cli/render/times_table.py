"""The table of `tourney standings --times`: how long each bot took for a decision."""

from collections.abc import Sequence

from tourney.column_layout import Column
from tourney.hosts.decision_times import DecisionTimes, duration_text
from tourney.journal.times import Times
from tourney.text_tables import TableFormat, columns_text, csv_text, json_text, paragraphs

LEGEND = (
    "Time of one decision by the clock, from the question to the answer. Decisions: how many were measured; of bots "
    "that run inline without limits of time, those of a sample of the matches."
)
KEYS = ("decisions", "median_us", "p95_us", "worst_us")


def times_text(times: Times, names: Sequence[str], form: TableFormat, width: int) -> str:
    """Returns the decision times of a run in a format, the slowest of the entrants first.

    A table has up to `width` columns.
    """
    found = {name: times.bots.get(name, DecisionTimes()) for name in names}
    order = sorted(names, key=lambda name: _times_ns(found[name]), reverse=True)
    if form in ("csv", "json"):
        bots = {name: _numbers(found[name]) for name in order}
        if form == "csv":
            return csv_text(("bot", *KEYS), [(name, *numbers) for name, numbers in bots.items()])
        shown = {name: dict(zip(KEYS, numbers, strict=True)) for name, numbers in bots.items()}
        return json_text({"late_timeouts": times.late_timeouts, "bots": shown})
    texts = [list(map(duration_text, _times_ns(found[name]))) or [""] * 3 for name in order]
    columns = [
        Column("bot", order, is_text=True),
        Column("decisions", [str(found[name].decisions) for name in order], expendable=2),
        Column("median", [median for median, _, _ in texts]),
        Column("95 %", [most for _, most, _ in texts], expendable=1),
        Column("worst", [worst for _, _, worst in texts]),
    ]
    table = columns_text(columns, form, width)
    return f"{table}\n\n{paragraphs([LEGEND], width) if form == 'table' else LEGEND}"


def _times_ns(times: DecisionTimes) -> tuple[float, ...]:
    """Returns the median, the 95 % point and the worst; nothing without a decision."""
    return (times.quantile_ns(0.5), times.quantile_ns(0.95), times.worst_ns) if times.decisions else ()


def _numbers(times: DecisionTimes) -> tuple[float | None, ...]:
    """Returns the number of decisions, and their times in microseconds; None without a decision."""
    return times.decisions, *([round(each / 1000, 3) for each in _times_ns(times)] if times.decisions else [None] * 3)
