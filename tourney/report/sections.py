"""Texts and tables of the report's sections, for its template."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from math import isfinite
from typing import Any, NamedTuple

from tourney.base.errors import one_line
from tourney.base.sheet import Column, amount_text, half_width, said
from tourney.config import Tournament
from tourney.contracts.rng import seed_text
from tourney.contracts.wording import counted, few, isolated, pairs_text
from tourney.hosts.timing import DecisionTimes, duration_text
from tourney.journal.notes import SECONDS, summed
from tourney.report.bracket import bracket
from tourney.report.matches_worth_a_look import NotableMatch, Reason, fault_text
from tourney.report.run_data import MOST_ROUNDS, RunData
from tourney.review.track import deal_line, ending_lines, matches_of, replays, track_columns
from tourney.runner.league import field_of
from tourney.standings.crosstable import HeadToHead, is_off_even
from tourney.standings.gate import Gate, estimate_texts
from tourney.standings.gate import headline as gate_headline
from tourney.standings.ranking import Ranking, StandingsRow
from tourney.standings.tables import MOST_CELLS, chance_text, first_text, floats_text, standings_columns

SURE = 0.975
"""Neighbours are in certain order from this probability on: their difference excludes 0, see docs/statistics.md."""
QUANTILES = ["median", "95 %", "worst"]
FEW_DEALS = 20  # fewer deals give a warning of wide intervals
MOST_BLOCKS = 12  # listed blocks that were played again
LEVELS = 10  # steps of colour in the heat map, from 0 to 100 %
NARROW = 6  # columns of the standings on a narrow screen, least expendable first

HEADINGS: Mapping[str, tuple[str, str]] = {
    "#": ("rank", "rank; equal bots share one"),
    "+-": ("±", "half the 95 % interval of the rating"),
    "pts %": ("points %", "a match gives 1 for the first place down to 0 for the last, evenly spaced"),
    "w-d-l": ("won, drawn, lost", "first alone, first with others, all other matches"),
    "place": ("place", "the places that the bot may truly have, by strength, at 95 %"),
    "mean": ("mean place", "mean place in a match; lower is better"),
    "score": ("score", "mean score in the game's own points"),
    "played": ("played", "matches"),
    "faults": ("faults", "errors, timeouts and illegal actions; each costs the match"),
    ">next": ("above next %", "probability of being stronger than the bot in the next row"),
    "rating": ("rating", "on the Elo scale: 400 points are odds of 10 to 1"),
    "rounds": ("round scores", "the sum over rounds: each 1 for the first of a table down to 0"),
    "buch": ("Buchholz", "the sum of the round scores of the opponents"),
}
"""The report's headings of the standings, with explanations."""
REASONS: Mapping[Reason, str] = {
    "loss": "Worst losses",
    "upset": "Upsets",
    "twins": "Same deal, other seats",
    "closest": "Closest",
    "longest": "Longest",
    "fault": "Faults",
}


class StandingsColumn(NamedTuple):
    """A standings column."""

    heading: str
    help: str
    cells: Sequence[str]
    is_text: bool
    wide: bool  # hidden on a narrow screen


class CrossCell(NamedTuple):
    """A cell of the heat map."""

    text: str
    label: str
    level: int  # the step of its colour, from 0 to `LEVELS`; half of that is even
    sure: bool
    pair: str  # the numbers of the two bots, `ROW-COLUMN`


def headline(data: RunData) -> list[str]:
    """The run in a few parts: format, games, bots, matches."""
    tournament, plan = data.tournament, data.totals.schedule
    games = [f"{setup.game} ({setup.seats} seat{'s' * (setup.seats > 1)})" for setup in tournament.setups]
    shown = games if len(games) <= 5 else [*games[:4], f"{len(games) - 4} more games"]
    matches = counted(data.totals.matches, "match", "matches")
    if not data.finished and not plan.goes_on:
        bound = "" if data.gate is None else "at most "
        matches = f"{data.totals.matches} of {bound}{plan.describe_size()} so far"
    bots = counted(len({*tournament.names, *[event.bot for event in data.events if event.event == "entered"]}), "bot")
    form = plan.describe()
    if data.gate is not None:
        form = f"gate of {isolated(data.gate.comparison.new)} against {isolated(data.gate.comparison.old)}"
    return [form, ", ".join(shown), bots, f"{matches} on {counted(data.deals, 'deal')}"]


def verdict(data: RunData) -> list[str]:
    """Sentences on the first bot, its certainty, and faults."""
    if not data.totals.matches:
        return ["No matches yet."]
    if data.gate is not None:
        return [_gate_verdict(data.gate.comparison, data.finished), faults_text(data)]
    if data.track is not None:
        return [*map(str, data.track.spans), *ending_lines(data.track.ending), *undecided(data), faults_text(data)]
    return [_first(data), *undecided(data), faults_text(data)]


def undecided(data: RunData) -> list[str]:
    """A sentence on undecided questions, if any."""
    if data.finished and data.totals.schedule.goes_on:
        return ["Everything is decided until bots are submitted."]
    text = data.totals.schedule.describe_undecided()
    return [] if text is None else [f"{text[:1].upper()}{text[1:]}."]


def _gate_verdict(comparison: Gate, finished: bool) -> str:
    if finished or comparison.verdict is not None:
        return f"{gate_headline(comparison)}."
    return (
        f"Undecided so far: the log-likelihood ratio is {comparison.llr:.2f} after {counted(comparison.deals, 'deal')}."
    )


def commits(data: RunData) -> dict[str, Any]:
    """A track's table of commits, and its jumps with the deals that changed most."""
    if data.track is None or data.path is None:
        return {}
    columns, run = track_columns(data.track.rows), data.told.path(data.path)
    jumps = [
        (
            str(jump),
            [(deal_line(deal), list(zip(matches_of(deal), replays(run, deal), strict=True))) for deal in jump.deals],
        )
        for jump in data.track.jumps
    ]
    return {"columns": columns, "jumps": jumps}


def gate(comparison: Gate) -> dict[str, Any]:
    """A gate's test and settings, with estimates for each game and for all."""
    test, rows = comparison.test, comparison.named_duels
    elo, interval = estimate_texts(rows[-1][2])
    return {
        "new": comparison.new,
        "old": comparison.old,
        "summary": f"{elo} Elo, 95 % interval {interval}",
        "verdict": comparison.verdict or "undecided",
        "llr": f"{comparison.llr:.2f}",
        "low": f"{test.low:.2f}",
        "high": f"{test.high:.2f}",
        "settings": {key: f"{getattr(test, key):g}" for key in ("elo0", "elo1", "alpha", "beta")},
        "rows": [
            (name, str(each.deals), f"{100 * each.score:.1f}", *estimate_texts(estimate))
            for name, each, estimate in rows
        ],
    }


def _first(data: RunData) -> str:
    first, so_far = data.rows[0], "" if data.finished else " so far"
    if first.reached == "winner":
        return f"{isolated(first.bot)} won the cup."
    shared = [isolated(row.bot) for row in data.rows if row.rank == 1]
    if len(shared) > 1:
        named = f"{', '.join(shared[:-1])} and {shared[-1]}" if len(shared) < 6 else f"{len(shared)} bots"
        return f"{named} share the first place{so_far}."
    name = isolated(first.bot)
    if first.above_next is None:
        return f"{name} is first{so_far}; too few deals for a confidence."
    chance = chance_text(first.above_next).replace(">", "more than ").replace("<", "less than ")
    if first.above_next >= SURE:
        return f"{name} is first{so_far}: above the next with {chance} % certainty."
    may_be = first_text(data.rows)
    return f"{name} is first{so_far}, but not certainly: {may_be or f'above the next with {chance} % certainty.'}"


def faults_text(data: RunData) -> str:
    """A sentence on the number of faults and bots."""
    count = sum([row.faults for row in data.rows])
    if not count:
        return "No faults."
    faulty, matches = data.matches.faulty_matches, data.totals.matches
    makers = counted(len(data.matches.faults), "bot")
    where = "every match" if faulty == matches else f"{faulty} of {counted(matches, 'match', 'matches')}"
    return f"{counted(count, 'fault')} by {makers}, in {where}."


def as_headed(sentence: str) -> str:
    """A sentence below the standings, with the report's headings."""
    return sentence.replace("+-", HEADINGS["+-"][0]).replace(">next", HEADINGS[">next"][0])


def standings(known: Sequence[Column]) -> list[StandingsColumn]:
    """The standings columns with content."""
    columns = said(known)
    narrow = sorted(columns, key=lambda column: column.expendable)[:NARROW]
    heads = [HEADINGS.get(column.heading, (column.heading, "")) for column in columns]
    return [
        StandingsColumn(*head, column.cells, column.is_text, column not in narrow)
        for head, column in zip(heads, columns, strict=True)
    ]


SPENT = ("tokens_in", "tokens_out", "attempts", "cost")
"""The notes on resources; bots with any of them are shown."""


def spent(data: RunData) -> list[tuple[str, list[str]]]:
    """Each bot's time and `SPENT` notes per match, and its rating per dollar."""
    totals = {(each.bot, each.note): each for each in summed(data.noted, data.times, data.rows)}
    shown = []
    for bot in sorted({bot for bot, note in totals if note in SPENT}):
        each = [totals.get((bot, note)) for note in (SECONDS, *SPENT)]
        numbers = [None if its is None else its.per_match for its in each]
        numbers += [None, None] if (cost := each[-1]) is None else [cost.sum, cost.rating_per_dollar]
        shown.append((bot, ["" if number is None else amount_text(number) for number in numbers]))
    return shown


def games(data: RunData) -> dict[str, Any]:
    """Each bot's result at each game, in order of the standings, and each game's standings."""
    rows = {game: {row.bot: row for row in ranking.rows} for game, ranking in data.by_game.items()}
    return {
        "names": list(rows),
        "cells": [[_game_cell(of_game[row.bot]) for of_game in rows.values()] for row in data.rows],
        "tables": {game: standings(standings_columns(ranking)) for game, ranking in data.by_game.items()},
    }


def _game_cell(row: StandingsRow) -> dict[str, Any] | None:
    if row.points_percent is None:
        return None
    points, half = f"{row.points_percent:.1f} points %", half_width(row.points_low, row.points_high, 1)
    label = f"rank {row.rank}: {points}{half and f' ±{half}'}, {counted(row.matches, 'match', 'matches')}"
    return {"rank": row.rank, "text": f"{row.points_percent:.0f}", "label": label, "level": _level(row.points_percent)}


def bot(data: RunData, name: str) -> dict[str, Any]:
    """A bot's page: its results by game and opponent, its faults and mistakes."""
    whole = "all games" if data.by_game else data.tournament.games[0]
    rankings = {whole: data.ranking, **data.by_game}
    results = {of: _results(ranking, name) for of, ranking in rankings.items()}
    heads = list(dict.fromkeys([head for cells in results.values() for head in cells]))
    own = next(row for row in data.rows if row.bot == name)
    points = "" if own.points_percent is None else f": {own.points_percent:.1f} points %"
    faults = counted(own.faults, "fault") if own.faults else "no faults"
    return {
        "summary": f"{isolated(name)} is number {own.rank} of {counted(len(data.rows), 'bot')}{points} in "
        f"{counted(own.matches, 'match', 'matches')}, with {faults}.",
        "headings": heads,
        "results": [(of, [cells.get(head, "") for head in heads]) for of, cells in results.items()],
        "games": list(rankings),
        "opponents": [
            (row.bot, [pair and _cell(name, row.bot, pair, data.numbers) for pair in met])
            for row in data.rows
            if any(met := [ranking.pairs.get((name, row.bot)) for ranking in rankings.values()])
        ],
        "faults": next(row for row in bot_rows(data) if row["bot"] == name),
        "analyses": [each for each in data.analyses if each.bot == name],
        "notable": [each for each in data.notable if name in each.match.facts.seats],
    }


def _results(ranking: Ranking, name: str) -> dict[tuple[str, str], str]:
    row = [each.bot for each in ranking.rows].index(name)
    columns = [each for each in standings(standings_columns(ranking)) if each.heading not in ("bot", "above next %")]
    return {(column.heading, column.help): column.cells[row] for column in columns}


def sure_order(data: RunData) -> list[str]:
    """For each standings row, whether it is certainly above the next: `sure`, `unsure` or nothing."""
    chances = [row.above_next for row in data.rows]
    return ["" if chance is None else "sure" if chance >= SURE else "unsure" for chance in chances]


def moves(data: RunData) -> list[str]:
    """For each standings row of a format that settles an order, the arrows of where it may still move."""
    if data.totals.schedule.describe_undecided() is None:
        return [""] * len(data.rows)
    names = data.tournament.names
    playing = {each.name for each in field_of(data.events, names) if each.state == "plays"} if data.events else names
    pairs = zip_longest(data.rows, data.rows[1:], sure_order(data))
    down = [how == "unsure" and {row.bot, other.bot}.issubset(playing) for row, other, how in pairs]
    return ["↑" * up + "↓" * below for up, below in zip([False, *down], down, strict=False)]


def bands(data: RunData) -> list[bool]:
    """For each standings row, whether its band is shaded; rows whose places overlap share one."""
    shaded, reach, found = True, 0, []
    for row in data.rows:
        if row.place_low is None or row.place_low > reach:
            shaded = not shaded
        reach = max(reach, row.place_high or 0)
        found.append(shaded)
    return found


def cross(data: RunData) -> list[list[CrossCell | None]]:
    """The heat map's rows for the first bots; None for pairs that never met."""
    order, pairs = data.first, data.ranking.pairs
    return [
        [_cell(name, other, pairs[name, other], data.numbers) if (name, other) in pairs else None for other in order]
        for name in order
    ]


def _cell(name: str, other: str, pair: HeadToHead, numbers: Mapping[str, int]) -> CrossCell:
    sure = is_off_even(pair)
    interval = "the interval is unknown" if pair.low is None else f"95 % interval {pair.low:.0f} to {pair.high:.0f} %"
    side = "above" if pair.percent > 50 else "below"
    certain = f"significantly {side} 50 %" if sure else "not significantly different from 50 %"
    label = (
        f"{isolated(name)} finished ahead of {isolated(other)} in {percent_text(pair)} % of "
        f"{counted(pair.matches, 'match', 'matches')}; {interval}; {certain}"
    )
    return CrossCell(percent_text(pair), label, _level(pair.percent), sure, f"{numbers[name]}-{numbers[other]}")


def _level(percent: float) -> int:
    return round(percent / 100 * LEVELS)


def percent_text(pair: HeadToHead) -> str:
    """A percentage with digits to match its interval; 0 and 100 only for never and always."""
    digits = int(pair.low is not None and pair.high is not None and pair.high - pair.low < 2)
    text = f"{pair.percent:.{digits}f}".removesuffix(".0")
    if pair.percent > 0 and text == "0":
        return "<1"
    return ">99" if pair.percent < 100 and text == "100" else text


def deals_note(data: RunData) -> str:
    """A remark on too few deals; empty if there are enough."""
    least = data.deals // max(len(data.totals.counts.setups), 1)
    if not data.totals.matches or least >= FEW_DEALS:
        return ""
    if any([not isfinite(row.low) for row in data.seats]):
        return "The intervals are unknown after a single deal."
    return f"With only {counted(data.deals, 'deal')}, the intervals are wide, and single deals count for much."


def played_again(data: RunData) -> list[str]:
    """Which blocks a correction played again, and why, in sentences."""
    blocks: dict[str, list[str]] = {}
    for each in data.tournament.again:
        blocks.setdefault(each.why, []).append(f"{each.block}")
    return [
        f"Played again on fresh deals{f' ({one_line(why)})' if why else ''}: the matches of "
        f"{'block' if len(those) == 1 else 'blocks'} {', '.join(few(those, MOST_BLOCKS))}."
        for why, those in blocks.items()
    ]


def rounds(data: RunData) -> dict[str, Any]:
    """The last rounds: as a bracket for knockouts and Swiss tournaments, as tables for all but knockouts."""
    drawn, shown = data.drawn_rounds, data.drawn_rounds if data.is_cup else data.rounds[-MOST_ROUNDS:]
    tables = [(each, each.tables[: MOST_CELLS // max(map(len, each.tables), default=1)]) for each in reversed(shown)]
    some = f"The last {len(shown)} rounds" if shown else f"None with up to {MOST_CELLS} bots yet"
    if is_cut := any([len(first) < len(each.tables) for each, first in tables]):
        some += f", with the first {MOST_CELLS} bots in each"
    return {
        "cup": data.is_cup,
        "bracket": bracket(drawn, data.is_cup, data.numbers) if drawn else None,
        "some": some if is_cut or len(shown) < len(data.rounds) else "",
        "rounds": tables,
        "floats": floats_text,
    }


def bot_rows(data: RunData) -> list[dict[str, Any]]:
    """Each bot's faults and times, in order of the standings."""
    times = {} if data.times is None else data.times.bots
    rows = []
    for row in data.rows:
        kinds = [
            {"kind": kind, "count": each.count, "match": each.first.facts.id, "text": fault_text(row.bot, each.fault)}
            | {"decision": min(each.fault.decision, each.first.facts.decisions)}
            for kind, each in data.matches.faults.get(row.bot, {}).items()
        ]
        decisions = times.get(row.bot, DecisionTimes())
        took = [time_text(time) for _, time in quantiles(decisions)] if decisions.decisions else []
        out = data.totals.counts.out.get(row.bot, 0)
        rows.append({"bot": row.bot, "kinds": kinds, "times": took, "out": out})
    return rows


def quantiles(times: DecisionTimes) -> list[tuple[str, float]]:
    """The named median, 95 % quantile and worst decision time, in nanoseconds."""
    return list(zip(QUANTILES, (times.quantile_ns(0.5), times.quantile_ns(0.95), times.worst_ns), strict=True))


def time_text(nanoseconds: float) -> str:
    """A time in a suitable unit, such as `12.3 µs`."""
    return duration_text(nanoseconds).replace(" us", " µs")


def notable(data: RunData) -> list[tuple[str, list[NotableMatch]]]:
    """The notable matches under their headings."""
    by_reason = groupby(data.notable, key=lambda each: each.reason)
    return [(REASONS[reason], list(matches)[:MOST_CELLS]) for reason, matches in by_reason]


def facts(data: RunData) -> list[tuple[str, str]]:
    """The seed or its commitment, the versions and the settings."""
    tournament, manifest = data.tournament, data.runs[0].manifest
    seed = seed_text(tournament.seed)
    games = [f"{setup.game}: {pairs_text(setup.options)}" for setup in tournament.setups if setup.options]
    if data.path is None:
        runs = [(game, data.told.path(run.path)) for game, run in data.run_of.items()]
        return [*runs, *[("options", text) for text in games], *_versions(manifest, tournament)]
    return [
        ("seed" if data.told.has("seeds") else "SHA-256 of the seed", data.told.seed(seed)),
        ("deals", f"{tournament.deals} for every group of bots"),
        ("seatings", str(tournament.seatings)),
        *[("options", text) for text in games],
        *_versions(manifest, tournament),
    ]


def _versions(manifest: Mapping[str, Any], tournament: Tournament) -> Iterator[tuple[str, str]]:
    for key in ("tourney", "python"):
        if key in manifest:
            yield key, str(manifest[key])
    for key, names in (("games", tournament.games), ("bots", tournament.names)):
        for name in names:
            if version := manifest.get(key, {}).get(name, {}).get("version"):
                yield name, str(version)
