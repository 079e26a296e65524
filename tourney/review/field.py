"""The field of a league: what became of everybody who was submitted, with what was played."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tourney.journal import times as journal_times
from tourney.journal.events import read_events, require_league
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run, written_rows
from tourney.runner.league import PRESENT, State, field_of, version
from tourney.schedule.league import base_name
from tourney.schedule.seatings import seating_count


class FieldRow(msgspec.Struct, frozen=True):
    """One version of a bot of a league; unknown values are None. The field names are the keys in JSON and CSV."""

    bot: str
    """Its name in the league, with its version."""
    version: int
    """0 for a bot of the league's file, which has none."""
    state: State
    since: str | None
    """When that came; None for a bot that is there from the start."""
    block: int
    """The block from which on that holds."""
    why: str
    """Why it was paused, retired, restored or refused; of a pause for faults, with the traceback of the last one."""
    author: str
    deals: int = 0
    """On how many deals it has played."""
    rating: float | None = None
    rating_low: float | None = None
    """The lower end of its 95 % interval; None if it is unknown, after a single deal."""
    rating_high: float | None = None
    matches: int = 0
    faults: int = 0
    decisions: int = 0
    """How many of its decisions were measured."""
    mean_us: float | None = None
    """The mean time of a decision, in microseconds by the clock."""


def field(league: Path) -> list[FieldRow]:
    """The field of a league: who plays, who is paused, then all others; among these, the best first.

    Raises:
        RunError: The folder is no league, cannot be read, or is damaged.
    """
    require_league(league)
    run = RunFolder(league)
    rows = {row.bot: row for row in written_rows(run) or count_run(league).ranking().rows}
    setups = run.tournament.setups
    of_a_deal = len(setups) * seating_count(run.tournament.seatings, setups[0].seats)
    times = (journal_times.load(league) or journal_times.Times()).bots
    found = []
    for name, state, since, block, why, author in field_of(read_events(league), run.tournament.names):
        known: dict[str, Any] = {}
        if row := rows.get(name):
            known = {key: getattr(row, key) for key in ("rating", "rating_low", "rating_high", "matches", "faults")}
            known["deals"] = row.matches // of_a_deal
        if (its := times.get(name)) and its.decisions:
            known |= {"decisions": its.decisions, "mean_us": round(its.mean_ns / 1000, 3)}
        found.append(FieldRow(name, version(name), state, since or None, block, why, author, **known))
    order: list[State] = ["plays", "paused", "submitted", "refused", "retired"]
    return sorted(found, key=lambda each: (order.index(each.state), -(each.rating or 0.0)))


def of_now(rows: Sequence[FieldRow]) -> list[FieldRow]:
    """Who is there, and of each name the version that was submitted last if it is not."""
    latest = {base_name(row.bot): row for row in sorted(rows, key=lambda row: row.version)}
    shown = [row for row in latest.values() if row.state in ("submitted", "refused")]
    return [row for row in rows if row.state in PRESENT or row in shown]
