"""A league's extra sections in the report: its field, its bots with their versions, its newest matches.

Names and reasons come from the bots' submitters, so they are cut to reasonable lengths.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tourney.base.errors import one_line
from tourney.config.names import base_name
from tourney.contracts.wording import counted, few
from tourney.journal.events import FIELD, Event
from tourney.journal.history import HistoryPoint, Rated
from tourney.report.matches_worth_a_look import Extremes
from tourney.report.run_data import RunData
from tourney.report.sections import bot_rows
from tourney.review.field import outlook
from tourney.runner.league import ENTERED, PRESENT, VersionStatus, closing, field_of
from tourney.schedule.league import LeagueSchedule, gain_text
from tourney.schedule.seatings import seating_count
from tourney.standings.crosstable import is_off_even
from tourney.standings.ranking import StandingsRow

MOST_BOTS = 250  # sections for this many bots
MOST_STRONGER = 5  # named bots that beat a section's bot
LATELY = 12  # listed changes of the field
LONGEST_REASON = 300  # characters


class Version(NamedTuple):
    """A version of a bot."""

    name: str
    state: str
    since: str
    reason: str
    gain: str
    """Its gain over the previous version; empty if they share no deals."""
    row: StandingsRow | None
    """Its row in the standings, if ever entered."""
    faults: Mapping[str, Any]
    """Its faults, from `bot_rows`."""


class Bot(NamedTuple):
    """A bot with all its versions, the newest first."""

    name: str
    versions: Sequence[Version]
    extremes: Extremes
    stronger: Sequence[tuple[str, str]]
    """Active bots that significantly beat it, with their percentage of points."""

    @property
    def latest(self) -> Version:
        """The newest version in the standings, or the newest of all."""
        return next((each for each in self.versions if each.row is not None), self.versions[0])


def day(date: str) -> str:
    """An event's date without the time."""
    return one_line(date)[:10]


def _reason(data: RunData, why: str) -> str:
    """The first line of why something happened to a bot; behind it, a traceback can stand."""
    return data.told.text(one_line(why.strip().partition("\n")[0]))[:LONGEST_REASON]


def members(data: RunData) -> list[VersionStatus]:
    """The status of every version that was entered, in order; versions of the league's own file come first."""
    return [each for each in field_of(data.events, data.tournament.names) if each.state in ENTERED]


def field(data: RunData) -> dict[str, Any]:
    """The numbers of versions by status, who plays when, the absent bots with reasons, and recent changes."""
    versions, plans = members(data), outlook(data.runs[0])
    states = Counter([each.state if each.state == "plays" else f"is {each.state}" for each in versions])
    latest = {base_name(each.name): each for each in versions}
    return {
        "next": plans.next_round,
        "rows": [
            (each.name, each.state, plans.next_match.get(each.name, "")) for each in versions if each.state in PRESENT
        ][:MOST_BOTS],
        "counts": ", ".join([_counted(state, count) for state, count in states.items()]),
        "absent": [
            (each.name, f"{each.state} since {day(each.since)}", _reason(data, each.why))
            for each in latest.values()
            if each.state == "paused"
        ],
        "lately": [
            (day(each.date), each.bot, each.event, _reason(data, each.why))
            for each in reversed(data.events)
            if each.event in FIELD
        ][:LATELY],
        "voided": [_voided(data, each) for each in reversed(data.events) if each.voided],
        "closing": _closing(data),
    }


def _voided(data: RunData, event: Event) -> tuple[str, str, str, str]:
    """When blocks were voided, how many matches of which bots, and why."""
    matches = len(event.voided) * seating_count(data.tournament.seatings, data.tournament.setups[0].seats)
    names = sorted({name for bots in event.tables for name in bots})
    some = few(names, LATELY)
    return day(event.date), counted(matches, "match", "matches"), ", ".join(some), _reason(data, event.why)


def _closing(data: RunData) -> str:
    """Until when submissions are open, and the hash of the final's seed; empty if that is not known."""
    if (event := closing(data.events)) is None:
        return ""
    return f"Submissions until {one_line(event.until)}; SHA-256 of the final's seed: {event.sha256}."


def _counted(state: str, count: int) -> str:
    verb = state if count == 1 else state.replace("plays", "play").replace("is ", "are ")
    return f"{counted(count, 'version')} {verb}"


def bots(data: RunData) -> list[Bot]:
    """The bots with a version in the league, ordered by the best version in the standings."""
    plan = data.totals.schedule
    gains = plan.gains() if isinstance(plan, LeagueSchedule) else {}
    rows, faults = {row.bot: row for row in data.rows}, {row["bot"]: row for row in bot_rows(data)}
    versions: dict[str, list[Version]] = {}
    for each in reversed(members(data)):
        gain = next((gain_text(before, duel) for (new, before), duel in gains.items() if new == each.name), "")
        row, its, since = rows.get(each.name), faults.get(each.name, {}), day(each.since)
        shown = Version(each.name, each.state, since, _reason(data, each.why), gain, row, its)
        versions.setdefault(base_name(each.name), []).append(shown)
    extremes = data.matches.extremes()
    by_bot: dict[str, Extremes] = {}
    for name in data.tournament.names:
        if name in extremes:
            by_bot[base_name(name)] = extremes[name].joined(by_bot.get(base_name(name), Extremes()))
    present = [name for name, its in versions.items() if any([each.state in PRESENT for each in its])]
    order = {base_name(row.bot): place for place, row in reversed(list(enumerate(data.rows)))}
    present.sort(key=lambda name: order.get(name, len(order)))
    playing = [each.name for its in versions.values() for each in its if each.state in PRESENT]
    return [
        Bot(name, versions[name], by_bot.get(name, Extremes()), _stronger(data, versions[name], playing))
        for name in present[:MOST_BOTS]
    ]


def _stronger(data: RunData, versions: Sequence[Version], playing: Sequence[str]) -> list[tuple[str, str]]:
    newest = next((each.name for each in versions if each.row is not None and each.row.matches), "")
    met = [(other, data.ranking.pairs.get((newest, other))) for other in playing]
    beaten = [(pair.percent, other) for other, pair in met if pair and pair.percent < 50 and is_off_even(pair)]
    return [(other, f"{100 - percent:.0f} %") for percent, other in sorted(beaten)[:MOST_STRONGER]]


class RatingPoint(NamedTuple):
    """A bot's rating at one time."""

    block: int
    """The number of blocks until then."""
    date: str
    version: str
    rated: Rated
    came: bool
    """Whether it is the first point of this version."""


def rating_lines(data: RunData) -> dict[str, list[RatingPoint]]:
    """Each bot's rating over time, from its newest version at the time; in order of the standings."""
    came, left = _stays(data.events)
    now = {row.bot: Rated(row.rating, row.rating_low, row.rating_high) for row in data.rows if row.rating is not None}
    points = [*data.points, HistoryPoint(data.blocks, data.events[-1].date if data.events else "", (), now)]
    lines: dict[str, list[RatingPoint]] = {base_name(row.bot): [] for row in data.rows}
    for block, date, _, ratings in points:
        newest = {
            base_name(name): name
            for name in data.tournament.names
            if name in ratings and came.get(name, 0) < block and left.get(name, block) >= block
        }
        for bot, version in newest.items():
            line = lines[bot]
            is_new = not line or line[-1].version != version
            line.append(RatingPoint(block, day(date), version, ratings[version], is_new))
    return lines


def _stays(events: Sequence[Event]) -> tuple[dict[str, int], dict[str, int]]:
    """The first block of each version, and for absent versions the first block without them."""
    came: dict[str, int] = {}
    left: dict[str, int] = {}
    for event in events:
        if event.event == "entered":
            came[event.bot] = event.block
        elif event.event in ("retired", "paused"):
            left[event.bot] = event.block
        elif event.event == "restored":
            left.pop(event.bot, None)
    return came, left
