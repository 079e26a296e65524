"""A track's results for each commit: the bot's strength and change, or the reason for a gap."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.sheet import Column, Sheet, TableFormat, commands, half_width, sentences_text
from tourney.contracts.wording import counted
from tourney.journal.run import RunFolder
from tourney.journal.standings import RunTotals, count_run
from tourney.review.comparison import compare_run
from tourney.runner.track import SHORT, read_commits
from tourney.schedule.track import Change, Direction, Track
from tourney.standings.duel import SeatPair
from tourney.standings.ranking import StandingsRow

State: TypeAlias = Literal["played", "no change", "not played", "gap"]
MARKS = {"up": "▲", "down": "▼", "equal": "=", None: ""}
ENDINGS = {
    "up": "stronger than",
    "down": "weaker than",
    "equal": "as strong as",
    None: "neither surely weaker nor stronger than",
}
"""The end of a range compared with its start, by verdict."""
MOST_DEALS = 3
LEAST_SUBJECT = 24


class CommitRow(msgspec.Struct, frozen=True):
    """A commit of a track; unknown values are None. The field names are the keys in JSON and CSV."""

    commit: str
    date: str
    subject: str
    state: State
    """`no change`: the bot decides like the previous commit's. `not played`: other commits were enough."""
    why: str
    """The full reason for a gap."""
    entrant: str
    """The entrant whose matches count for this commit; commits whose bots decide identically share it."""
    deals: int | None = None
    rating: float | None = None
    rating_low: float | None = None
    """The lower end of its 95 % interval."""
    rating_high: float | None = None
    before: str | None = None
    """The commit compared with: the previous one that has played."""
    change: float | None = None
    """In Elo points, on the deals that both have played."""
    change_low: float | None = None
    """The lower end of an interval that holds however often you look."""
    change_high: float | None = None
    verdict: Direction | None = None
    """The sure verdict on the change; None if unknown."""
    adjacent: bool | None = None
    """Whether no commit between the two might have made the change."""
    file: str = ""
    """Its bot's path, if renamed since."""


class Ending(NamedTuple):
    """The last commit that has played, compared with the first one and with the best one."""

    first: Change | None  # None if both decide identically
    best: Change | None
    duel: Change | None = None  # the last against the first, if they meet each other
    gap: CommitRow | None = None  # the newest commit, if its bot cannot play

    def is_weaker(self, allow: float) -> bool:
        """Whether it is surely weaker than the first, or than the best by more than `allow` Elo points."""
        down = [step is not None and step.verdict == "down" for step in (self.first, self.best)]
        return down[0] or (down[1] and self.best is not None and self.best.high < -allow)


class Jump(NamedTuple):
    """A commit surely stronger or weaker than the previous one that has played, and the deals that differ most.

    If the two are not adjacent, a commit between them may have made the difference.
    """

    row: CommitRow
    deals: Sequence[SeatPair]

    def __str__(self) -> str:
        row = self.row
        where = "" if row.adjacent else f", or one after {(row.before or '')[:SHORT]}"
        return f"{MARKS[row.verdict]} {row.commit[:SHORT]}{where}: {_elo(row.change)} ±{_half(row)} Elo, {row.subject}"


class Span(NamedTuple):
    """Two commits that surely differ, although no step between them is sure."""

    before: str
    commit: str
    change: float
    change_low: float
    change_high: float

    def __str__(self) -> str:
        half = half_width(self.change_low, self.change_high, 0)
        return f"{self.before[:SHORT]} to {self.commit[:SHORT]}: {_elo(self.change)} ±{half} Elo, and no step is sure"


class Tracked(NamedTuple):
    """A track, as played so far."""

    rows: Sequence[CommitRow]
    jumps: Sequence[Jump]
    spans: Sequence[Span]  # the shortest spans
    ending: Ending


def read_track(run: RunFolder) -> Tracked | None:
    """The results for a run's commits, finished or not; None if it is not a track of commits."""
    if run.kind.name != "track":
        return None
    totals = count_run(run)
    return tracked(run, totals, totals.ranking().rows)


def tracked(run: RunFolder, totals: RunTotals, ratings: Sequence[StandingsRow]) -> Tracked | None:
    """The results for a run's commits; None if it is not a track of commits."""
    plan, known = totals.schedule, read_commits(run.path)
    if known is None or not isinstance(plan, Track):
        return None
    by_name = {row.bot: row for row in ratings}
    compared = {name for step in plan.steps() for name in (step.before, step.name)}
    rows: list[CommitRow] = []
    played: list[CommitRow] = []  # not left out again
    before, unsure = "", False
    for each in known.commits:
        entry = known.trees[each.tree]
        row = CommitRow(each.hash, each.date, each.subject, "not played", entry.gap, entry.entrant, file=entry.file)
        if entry.gap:
            row = msgspec.structs.replace(row, state="gap")
        elif entry.entrant == before:
            row = msgspec.structs.replace(row, state="no change")
        else:
            if deals := plan.deals_played.get(entry.entrant):
                its = {key: getattr(by_name[entry.entrant], key) for key in ("rating", "rating_low", "rating_high")}
                row = msgspec.structs.replace(row, state="played", deals=deals, **its)
            if not deals or (compared and entry.entrant not in compared):
                unsure = True
            else:
                if played and played[-1].entrant != entry.entrant:
                    step = plan.between(played[-1].entrant, entry.entrant)
                    row = msgspec.structs.replace(
                        row, before=played[-1].commit, change=step.elo, change_low=step.low, change_high=step.high,
                        verdict=step.verdict, adjacent=not unsure,
                    )  # fmt: skip
                unsure = False
                played.append(row)
        before = entry.entrant or before
        rows.append(row)
    names = {row.commit: row.entrant for row in played}
    jumps = [
        Jump(row, compare_run(run, row.entrant, names[row.before]).worst(MOST_DEALS))
        for row in played
        if row.before is not None and row.verdict in ("up", "down")
    ]
    return Tracked(rows, jumps, _spans(plan, rows), _ending(plan, played, rows))


def _spans(plan: Track, rows: Sequence[CommitRow]) -> list[Span]:
    tried = [row for row in rows if row.deals]
    at = {row.commit: i for i, row in enumerate(tried)}
    sure = [(at[row.before], at[row.commit]) for row in tried if row.before and row.verdict in ("up", "down")]
    spans = []
    for size in range(1, len(tried)):
        for i, (one, other) in enumerate(zip(tried, tried[size:], strict=False)):
            if any([i <= begin and end <= i + size for begin, end in sure]):
                continue
            step = plan.between(one.entrant, other.entrant)
            if step.verdict in ("up", "down"):
                sure.append((i, i + size))
                spans.append(Span(one.commit, other.commit, step.elo, step.low, step.high))
    return spans


def _ending(plan: Track, played: Sequence[CommitRow], rows: Sequence[CommitRow]) -> Ending:
    others = [row.entrant for row in played if row.entrant != played[-1].entrant]
    steps = [plan.between(name, played[-1].entrant) for name in dict.fromkeys(others)]
    first = next((step for step in steps if step.before == played[0].entrant), None)
    best = min(steps, key=lambda step: step.high, default=None)
    duel = plan.duel()
    if duel is not None and [duel.before, duel.name] != [row.entrant for row in (*played[:1], *played[-1:])]:
        duel = None  # between other ends
    return Ending(first, best, duel, next((row for row in rows[-1:] if row.state == "gap"), None))


def track_sheet(run: Path, tracked: Tracked, every: bool = False) -> Sheet:
    """A track as a sheet; its table has a row for every commit only with `every`."""

    def jump_text(jump: Jump, form: TableFormat, width: int) -> str:
        lines = [text for deal in jump.deals for text in (deal_line(deal), *[f"  {one}" for one in replays(run, deal)])]
        parts = [sentences_text([str(jump)], form, width), commands(lines)(form, width)]
        return ("\n\n" if form == "markdown" else "\n").join(parts)

    jumps = [{"commit": row.commit, "deals": deals} for row, deals in tracked.jumps]
    data = {"commits": tracked.rows, "jumps": jumps, "spans": tracked.spans, "ending": tracked.ending}
    parts = [partial(jump_text, jump) for jump in tracked.jumps]
    gaps = groupby([row for row in tracked.rows if row.why], key=lambda row: row.why)
    reasons = [f"{next(group).commit[:SHORT]}: gap: {why}" for why, group in gaps]
    renamed = [(one, other) for one, other in pairwise(tracked.rows) if one.file != other.file]
    reasons += [f"{other.commit[:SHORT]}: renamed from {one.file or other.file}" for one, other in renamed]
    lines = [*map(str, tracked.spans), *ending_lines(tracked.ending)]
    return Sheet(CommitRow, tracked.rows, track_columns(tracked.rows, every), reasons, *parts, lines, data=data)


def deal_line(deal: SeatPair) -> str:
    """The effect of a change on a deal."""
    before, after = [f"{100 * score:.0f} %" for score in (deal.other_score, deal.score)]
    return f"deal {deal.deal} of {deal.game}, seat {deal.seat}: {before} before, {after} after"


def replays(run: Path | str, deal: SeatPair) -> list[str]:
    """The commands that replay a deal before and after a change."""
    return [shlex.join(["tourney", "replay", str(run), match]) for match in matches_of(deal)]


def matches_of(deal: SeatPair) -> tuple[str, str]:
    """The matches on a deal before and after a change."""
    return deal.other_match, deal.match


def ending_lines(ending: Ending) -> list[str]:
    """The ending, in a sentence or two."""
    first, best, duel, gap = ending
    lines = ["The range ends with the bot that it began with."]
    if first is not None:
        lines = [f"The range ends {ENDINGS[first.verdict]} it began: {_step(first)}."]
    if best is not None and (first is None or best.before != first.before) and best.verdict == "down":
        lines.append(f"It ends weaker than {best.before}: {_step(best)}.")
    if duel is not None and duel.deals:
        deals = counted(duel.deals, "deal")
        lines.append(f"In a duel, {duel.name} against {duel.before}: {_step(duel)} on {deals}.")
    if gap is not None:
        lines.append(f"The newest commit, {gap.commit[:SHORT]}, did not play: {gap.why}.")
    return lines


def _step(step: Change) -> str:
    return f"{step.elo:+.0f} Elo ({step.low:+.0f} to {step.high:+.0f})"


def _elo(change: float | None) -> str:
    return "" if change is None else f"{change:+.0f}"


def _half(row: CommitRow) -> str:
    return half_width(row.change_low, row.change_high, 0)


class _Line(NamedTuple):
    commit: str
    date: str
    subject: str
    row: CommitRow | None


def track_columns(rows: Sequence[CommitRow], every: bool = False) -> list[Column]:
    """The table's columns; subjects are cut to the available width."""
    lines = list(_lines(rows, every))
    numbers = [line.row for line in lines]
    return [
        Column("commit", [line.commit for line in lines], is_text=True),
        Column("date", [line.date for line in lines], is_text=True, expendable=1),
        Column("subject", [line.subject for line in lines], is_text=True, shortest=LEAST_SUBJECT, keeps_end=False),
        Column("deals", ["" if row is None else str(row.deals) for row in numbers], expendable=2),
        Column("rating", ["" if row is None or row.rating is None else f"{row.rating:.0f}" for row in numbers]),
        Column("+-", ["" if row is None else half_width(row.rating_low, row.rating_high, 0) for row in numbers]),
        Column("change", ["" if row is None else _elo(row.change) for row in numbers]),
        Column("+-", ["" if row is None else _half(row) for row in numbers]),
        Column("", ["" if row is None else MARKS[row.verdict] for row in numbers], is_text=True),
    ]


def _lines(rows: Sequence[CommitRow], every: bool) -> Iterator[_Line]:
    def kind(row: CommitRow) -> Any:
        return row.commit if every or row.state == "played" else (row.why, row.file)

    file = rows[0].file if rows else ""
    for _, some in groupby(rows, key=kind):
        group = list(some)
        row = group[0]
        if row.file != file:
            yield _Line("", "", "renamed", None)
            file = row.file
        said = f"{row.state}: {row.why or row.subject}"
        if len(group) > 1:
            states = Counter([each.state for each in group])
            numbers = [f"{number} {state}" if len(states) > 1 else state for state, number in states.items()]
            said = f"gap: {row.why}" if row.why else ", ".join(numbers)
            yield _Line(counted(len(group), "commit"), "", said, None)
        elif row.state == "played":
            yield _Line(row.commit[:SHORT], row.date[:10], row.subject, row)
        else:
            yield _Line(row.commit[:SHORT], row.date[:10], said, None)
