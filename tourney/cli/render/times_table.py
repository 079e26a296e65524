"""The table of `tourney standings --times`: how long each bot took for a decision."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tourney.cli.render import lateness
from tourney.column_layout import Column
from tourney.hosts.decision_times import DecisionTimes, Durations, duration_text
from tourney.journal.times import MachineTimes, Times
from tourney.text_tables import TableFormat, columns_text, csv_text, json_text, paragraphs

LEGEND = (
    "One decision, from the question to the answer: by the clock, and what processors worked for the bot meanwhile.",
    "Decisions: how many were measured; where that would slow down the run, those of a few blocks.",
)
MACHINES_LEGEND = (
    "Machines of the cluster: how long their workers have played, all together; lost tasks were played once more."
)


def times_text(times: Times, names: Sequence[str], form: TableFormat, width: int) -> str:
    """Returns what was counted of the time of a run in a format, the slowest of the entrants first.

    A table has up to `width` columns.
    """
    found = {name: times.bots.get(name, DecisionTimes()) for name in names}
    order = sorted(names, key=lambda name: -_mean(found[name].clock))
    kinds = [(name, kind, getattr(found[name], kind)) for name in order for kind in DecisionTimes.__struct_fields__]
    if form == "json":
        counts = {"played_again": times.played_again, "late_timeouts": times.late_timeouts}
        bots: dict[str, dict[str, Any]] = {name: {} for name in order}
        for name, kind, durations in kinds:
            bots[name][kind] = dict(zip(_KEYS, _numbers(durations), strict=True))
        machines = {name: msgspec.structs.asdict(done) for name, done in sorted(times.machines.items())}
        return json_text({**counts, "bots": bots, **({"machines": machines} if machines else {})})
    if form == "csv":
        rows = [(name, kind, *_numbers(durations)) for name, kind, durations in kinds]
        shown = csv_text(("bot", "time", *_KEYS), rows)
        if times.machines:
            done = [(name, *msgspec.structs.astuple(each)) for name, each in sorted(times.machines.items())]
            shown += "\n\n" + csv_text(("machine", *MachineTimes.__struct_fields__), done)
        return shown
    texts = [_texts(durations) for _, _, durations in kinds]
    columns = [
        Column(
            "bot", ["" if kind == "processor" and form == "table" else name for name, kind, _ in kinds], is_text=True
        ),
        Column("time", [kind for _, kind, _ in kinds], is_text=True),
        Column("decisions", [str(durations.decisions) for _, _, durations in kinds], expendable=2),
        Column("mean", [mean for mean, _, _ in texts]),
        Column("median", [median for _, median, _ in texts], expendable=1),
        Column("worst", [worst for _, _, worst in texts]),
    ]
    shown = columns_text(columns, form, width)
    if times.machines:
        shown = f"{shown}\n\n{columns_text(_machine_columns(times.machines), form, width)}"
    below = [*LEGEND, *([MACHINES_LEGEND] if times.machines else []), *filter(None, [lateness.line(times)])]
    if form == "table":
        return f"{shown}\n\n{paragraphs(below, width)}"
    return "\n\n".join([shown, *below])


def _machine_columns(machines: Mapping[str, MachineTimes]) -> list[Column]:
    """Returns the columns of the table of the machines of a cluster."""
    order = sorted(machines.items())
    seconds = [done.busy_ms / 1000 for _, done in order]
    rates = [done.matches / s if s else 0.0 for (_, done), s in zip(order, seconds, strict=True)]
    return [
        Column("machine", [name for name, _ in order], is_text=True),
        Column("matches", [str(done.matches) for _, done in order]),
        Column("busy s", [f"{each:.1f}" for each in seconds]),
        Column("matches/s", [f"{rate:.1f}" for rate in rates]),
        Column("tasks", [str(done.tasks) for _, done in order], expendable=1),
        Column("lost", [str(done.lost) for _, done in order], expendable=2),
    ]


_KEYS = ("decisions", "mean_us", "median_us", "worst_us")


def _mean(durations: Durations) -> float:
    return durations.mean_ns if durations.decisions else 0.0


def _times_ns(durations: Durations) -> tuple[float, ...]:
    return (durations.mean_ns, durations.median_ns, durations.worst_ns) if durations.decisions else ()


def _numbers(durations: Durations) -> tuple[float | None, ...]:
    """Returns how many decisions there are, and their times in microseconds; None without any."""
    found = [round(each / 1000, 3) for each in _times_ns(durations)]
    return (durations.decisions, *found) if found else (0, None, None, None)


def _texts(durations: Durations) -> list[str]:
    return list(map(duration_text, _times_ns(durations))) or [""] * 3
