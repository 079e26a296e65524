"""Standings, cross-tables, rounds and seat points as sheets."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise

import msgspec

from tourney.base.sheet import (
    SHORTEST,
    Column,
    Part,
    Sheet,
    TableFormat,
    column_width,
    columns_of,
    columns_text,
    cut,
    half_width,
    names,
    said,
    total_width,
)
from tourney.contracts.wording import few, isolated
from tourney.standings.crosstable import Cycle, HeadToHead, is_off_even
from tourney.standings.interactions import Interaction, sure_pairs
from tourney.standings.mixtures import Portion
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.ranking import OWN, Ranking, SeatPoints, Spread, StandingsRow, criterion_value, key_of, rounded
from tourney.standings.ratings import MEAN
from tourney.standings.results import RoundEntrant, RoundReport

LEAST_BEST = 0.01
MOST_CELLS = 40
"""The number of bots in cross-tables for people."""
MOST_PAIRS = 4
MOST_FIRST = 5
CRITERIA: Mapping[CommonTiebreak, str] = {
    "points": "points %",
    "won": "share of matches won",
    "rating": "rating",
    "score": "mean score",
    "place": "mean place",
}


def standings_sheet(ranking: Ranking, seats: Sequence[SeatPoints] = (), *parts: Part) -> Sheet:
    """The standings, with explanatory sentences, seat points, and further parts below."""
    columns = [each for each in standings_columns(ranking) if each.key or any(each.cells)]
    first = list(filter(None, [first_text(ranking.rows)]))
    return Sheet(StandingsRow, ranking.rows, first, columns, standings_legend(ranking, seats), *parts)


def standings_columns(ranking: Ranking) -> list[Column]:
    """All columns in their order; some may be empty. The first ranking criterion is never dropped."""
    rows, first = ranking.rows, ranking.criteria[0]

    def column(by: CommonTiebreak, heading: str, cells: Sequence[str], expendable: int) -> Column:
        return Column(heading, cells, expendable=0 if by == first else expendable)

    return [
        Column("#", [str(row.rank) for row in rows]),
        Column("place", [place_text(row) for row in rows]),
        names([row.bot for row in rows]),
        *[_tiebreak_column(tiebreak, ranking) for tiebreak in ranking.tiebreaks],
        column("rating", "rating", [_number(row.rating, 0) for row in rows], 2),
        Column("+-", [half_width(row.rating_low, row.rating_high, 0) for row in rows], expendable=3),
        column("points", "pts %", [_number(row.points_percent, 1) for row in rows], 1),
        column("place", "mean", ["" if ranking.two_seats else _number(row.mean_place, 2) for row in rows], 7),
        column("won", "w-d-l", [f"{row.won}-{row.drawn}-{row.lost}" if row.matches else "" for row in rows], 9),
        column("score", "score", [_number(row.mean_score, 1) for row in rows], 8),
        Column("played", [str(row.matches) for row in rows], expendable=5),
        Column("faults", [str(row.faults) for row in rows], expendable=0 if any([row.faults for row in rows]) else 5),
        Column(">next", [chance_text(row.above_next) for row in rows], expendable=4),
    ]


def first_text(rows: Sequence[StandingsRow]) -> str:
    """A sentence with the names of all bots that may be first; empty if unknown."""
    *some, last = few([isolated(row.bot) for row in rows if row.place_low == 1], MOST_FIRST) or [""]
    return f"{', '.join(some)} or {last} may be first." if some else last and f"{last} is surely first."


def place_text(row: StandingsRow) -> str:
    """The places that an entrant may truly have: `1-4`, or one alone; empty if unknown."""
    ends = dict.fromkeys((row.place_low, row.place_high))
    return "-".join([str(end) for end in ends if end is not None])


def _tiebreak_column(tiebreak: Tiebreak, ranking: Ranking) -> Column:
    heading, rows, digits = tiebreak.heading, ranking.rows, 1
    if tiebreak.labels is not None:
        cells = [tiebreak.labels[row.bot] for row in rows]
    else:
        numbers = [tiebreak.values[row.bot] for row in rows]
        digits = 1 if all([number is None or 2 % number.denominator == 0 for number in numbers]) else 2
        cells = [_number(number, digits) for number in numbers]
    return Column(
        heading, cells if heading else [""] * len(rows), tiebreak.labels is not None,
        expendable=0 if tiebreak in ranking.criteria else 6,
        key="" if tiebreak.key in OWN else key_of(tiebreak),
        values=[criterion_value(tiebreak, row.bot) for row in rows],
    )  # fmt: skip


def standings_legend(ranking: Ranking, seats: Sequence[SeatPoints]) -> list[str]:
    """The paragraphs below the standings."""
    by = [CRITERIA[each] if isinstance(each, str) else each.description for each in ranking.criteria]
    first, *ties = filter(None, by)
    ranked = f"Ranked by {first}; ties broken by {', '.join(ties)}." if ties else f"Ranked by {first}."
    winner = [
        f"{row.bot} won the cup. " for row in ranking.rows if row.reached == "winner" and row.bot not in ranking.last
    ]
    scale = f"mean {MEAN:.0f}" if ranking.anchor is None else f"{ranking.anchor[0]} = {ranking.anchor[1]:g}"
    single = any([row.rating is not None and row.rating_low is None for row in ranking.rows])
    unknown = "; blank if unknown, after a single deal of a game" if single else ""
    parts = "; ".join([", ".join(part) for part in ranking.parts])
    return [
        "".join([*winner, ranked]),
        *([f"Disqualified, and ranked below all others: {', '.join(ranking.last)}."] if ranking.last else []),
        *[tiebreak.note for tiebreak in ranking.tiebreaks if tiebreak.note],
        f"Ratings: {scale}; +-, place: 95 %; >next: % chance of being above the next{unknown}.",
        *([] if ranking.spread is None else [_spread_sentence(ranking.spread)]),
        *([f"Groups that never met: {parts}; places between them are a guess."] if len(ranking.parts) > 1 else []),
        *([f"Cycles beyond the error bars: {'; '.join(map(_cycle, ranking.cycles))}."] if ranking.cycles else []),
        *[mixture_text(portions) for portions in ranking.mixtures if portions],
        *filter(None, [interactions_text(ranking.interactions)]),
        *[_seats_sentence(list(rows), seats) for _, rows in groupby(seats, key=lambda row: (row.game, row.seats))],
    ]


def _spread_sentence(spread: Spread) -> str:
    shown = [
        f"{isolated(bot)} {percent_text(min(share, 0.999))} %"
        for bot, share in spread.best.items()
        if share >= LEAST_BEST
    ]
    best = ", ".join(few(shown, MOST_FIRST)) + " less" * (len(shown) > MOST_FIRST)
    return f"The bots differ by about {spread.elo:.0f} Elo, {spread.low:.0f} to {spread.high:.0f}; best: {best}."


def mixture_text(portions: Sequence[Portion]) -> str:
    """A sentence with the bots of a mixture, the largest share first."""
    shown = sorted([each for each in portions if each.percent >= 0.5], key=lambda each: -each.percent)
    shares = [f"{each.bot} {each.percent:.0f} % ({each.low:.0f} to {each.high:.0f})" for each in shown]
    return f"No bot of the cycle beats the mixture {', '.join(shares)}: each gets at most half against it."


def cycles_sheet(cycles: Sequence[Cycle], mixtures: Sequence[Sequence[Portion]]) -> Sheet:
    """The bots of each cycle, with their shares in the mixture that none of them beats."""
    rows = [(i, *msgspec.structs.astuple(each)) for i, its in enumerate(mixtures, 1) for each in its]
    heads = ("cycle", *Portion.__struct_fields__)
    cells = [[str(i), bot, *[f"{share:.1f}" for share in shares]] for i, bot, *shares in rows]
    legend = [
        f"Cycles beyond the error bars: {'; '.join(map(_cycle, cycles))}.",
        "percent: the bot's share in the mixture that none of them beats; low, high: its 95 % interval.",
    ]
    table, empty = columns_of(heads, cells, words=(1,)), "No cycles beyond the error bars."
    return Sheet(heads, rows, table, legend if cycles else [], empty=empty)


def interactions_text(table: Sequence[Interaction]) -> str:
    """A sentence with the pairs that differ beyond chance; empty if there are none."""
    by_pair = {(each.bot, each.other): each for each in table}
    found = sure_pairs(table)
    sides = [[by_pair[pair] for pair in (names, names[::-1]) if pair in by_pair] for names in found[:MOST_PAIRS]]
    named = [
        ", ".join([f"{each.bot} {each.points:+z.1f} +-{half_width(each.low, each.high, 1)}" for each in its])
        for its in sides
    ]
    more = f"; and {len(found) - MOST_PAIRS} more pairs" if len(found) > MOST_PAIRS else ""
    return f"Not as their ratings let expect when they meet, points %: {'; '.join(named)}{more}." if found else ""


def interactions_sheet(table: Sequence[Interaction]) -> Sheet:
    """How each bot's points at tables with each other are not as the ratings let expect, the surest first."""
    rows = sorted(table, key=lambda each: (each.q, -abs(each.points)))
    columns = [
        names([row.bot for row in rows]),
        names([row.other for row in rows], "with"),
        Column("pts %", [f"{row.points:+z.1f}" for row in rows]),
        Column("+-", [half_width(row.low, row.high, 1) for row in rows]),
        Column("deals", [str(row.deals) for row in rows], expendable=1),
        Column("q", ["<.001" if row.q < 0.001 else f"{row.q:.3f}" for row in rows]),
    ]
    legend = ["How many more points a bot won with another at its table than their ratings let expect."]
    return Sheet(
        Interaction, rows, columns, legend, empty="No tables of three or more seats with a choice of opponents."
    )


def _cycle(cycle: Cycle) -> str:
    wins = [f"{one} beats {other}" for one, other in pairwise([*cycle.shortest, cycle.shortest[0]])]
    more = len(cycle.bots) - len(cycle.shortest)
    return ", ".join(wins) + (f" (and {more} more in cycles with them)" if more else "")


def _seats_sentence(rows: Sequence[SeatPoints], every: Sequence[SeatPoints]) -> str:
    """A game's seat points, with the number of seats if its tables differ in it."""
    game, seats = rows[0].game, rows[0].seats
    size = f" with {seats} seats" if any([row.game == game and row.seats != seats for row in every]) else ""
    halves = [half_width(row.low, row.high, 1) for row in rows]
    cells = [f"{row.points:.1f} +-{half}".removesuffix(" +-") for row, half in zip(rows, halves, strict=True)]
    return f"Seats of {game}{size}, points %: {', '.join(cells)}."


def seats_sheet(seats: Sequence[SeatPoints]) -> Sheet:
    """The points of each seat."""
    columns = [
        names([row.game for row in seats], "game"),
        Column("seats", [str(row.seats) for row in seats]),
        Column("seat", [str(row.seat) for row in seats]),
        Column("pts %", [f"{row.points:.1f}" for row in seats]),
        Column("+-", [half_width(row.low, row.high, 1) for row in seats]),
        Column("matches", [str(row.matches) for row in seats], expendable=1),
    ]
    keys = ("game", "seats", "seat", "points_percent", "low", "high", "matches")
    rows = [
        (row.game, row.seats, row.seat, rounded(row.points), rounded(row.low), rounded(row.high), row.matches)
        for row in seats
    ]
    return Sheet(keys, rows, columns)


def cross_sheet(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead]) -> Sheet:
    """The cross-table: how often the row's bot finished ahead of the column's, in percent.

    Texts show `MOST_CELLS` bots. `order` has the bots by rank; a column's heading is its bot's number. A table that is
    too wide continues below.
    """
    met = {name: {other: pairs[name, other] for other in order if (name, other) in pairs} for name in order}
    rows = [(name, other, *msgspec.structs.astuple(pair)) for name, row in met.items() for other, pair in row.items()]
    legend = ["How often the row's bot finished ahead of the column's, in percent."]
    if any(map(is_off_even, pairs.values())):
        legend.append("* significantly different from 50 %")
    first = order[:MOST_CELLS]
    if len(order) > MOST_CELLS:
        legend.append(f"The first {MOST_CELLS} of {len(order)} bots; CSV and JSON have all.")

    def table(form: TableFormat, width: int) -> str:
        columns = _cross_columns(first, pairs, digits=1)
        if form == "markdown" or total_width(columns) <= width:
            return columns_text(columns, form, None)
        head, scores = [columns[0], cut(columns[1], max(width // 2, SHORTEST))], _cross_columns(first, pairs, 0)[2:]
        blocks = _blocks(scores, width - total_width(head))
        return "\n\n".join([columns_text([*head, *block], form, None) for block in blocks])

    return Sheet(("bot", "other", *HeadToHead.__struct_fields__), rows, table, legend, data=met)


def _blocks(columns: Sequence[Column], width: int) -> list[Sequence[Column]]:
    """Cuts columns into as few blocks of about the same size as fit into the width, including gaps before them."""
    widths = list(map(column_width, columns))
    for count in range(1, len(columns) + 1):
        cuts = list(pairwise([len(columns) * i // count for i in range(count + 1)]))
        if count == len(columns) or all([sum(widths[first:after]) <= width for first, after in cuts]):
            return [columns[first:after] for first, after in cuts]
    return []


def _cross_columns(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], digits: int) -> list[Column]:
    numbers = [str(i) for i, _ in enumerate(order, 1)]
    return [
        Column("#", numbers),
        names(order),
        *[
            Column(number, ["-" if name == other else _score(pairs.get((name, other)), digits) for name in order])
            for number, other in zip(numbers, order, strict=True)
        ],
    ]


def _score(pair: HeadToHead | None, digits: int) -> str:
    if pair is None:
        return ""
    percent = f"{pair.percent:.{digits}f}" if digits else percent_text(pair.percent / 100)
    return f"{'*' if is_off_even(pair) else ''}{percent}"


def percent_text(share: float) -> str:
    """A share in whole percents; 0 and 100 mean never and always."""
    percent = f"{100 * share:.0f}"
    return percent if share in (0, 1) else {"0": "<1", "100": ">99"}.get(percent, percent)


def rounds_sheet(rounds: Sequence[RoundReport]) -> Sheet:
    """The rounds: groups, with the results of each entrant. CSV has a line for each entrant."""
    rows: list[tuple[RoundReport, int | None, RoundEntrant]] = []  # with the number of the table, or None for a bye
    for report in rounds:
        rows += [(report, number, row) for number, group in enumerate(report.tables, 1) for row in group]
        rows += [(report, None, row) for row in (*report.resting, *report.disqualified)]
    entrants = [row for _, _, row in rows]
    scores = [(row.score_before, row.round_score) for row in entrants]
    digits = 1 if all([(2 * score).is_integer() for pair in scores for score in pair if score is not None]) else 2
    first = [i == 0 or rows[i - 1][0] is not report for i, (report, _, _) in enumerate(rows)]  # of its round
    columns = said([
        Column("round", [each.name * new for (each, _, _), new in zip(rows, first, strict=True)], is_text=True),
        Column("table", [str(at or ("out" if row in each.disqualified else "bye")) for each, at, row in rows]),
        names([row.bot for row in entrants]),
        Column("before", [_number(before, digits) for before, _ in scores], expendable=2),
        Column("floats", [floats_text(row) for row in entrants], is_text=True, expendable=3),
        Column("pts %", [_number(row.points_percent, 1) for row in entrants]),
        Column("score", [_number(score, digits) for _, score in scores]),
        Column("advances", [{True: "yes", False: "no", None: ""}[row.advanced] for row in entrants], is_text=True),
    ])  # fmt: skip

    def table(form: TableFormat, width: int) -> str:
        text = columns_text(columns, form, width)
        if form == "markdown":
            return text
        head, rule, *lines = text.split("\n")  # with an empty line between two rounds
        return "\n".join([head, rule, *[f"\n{line}" if i and first[i] else line for i, line in enumerate(lines)]])

    keys = ("round", "finished", "table", *RoundEntrant.__struct_fields__)
    lines = [(each.round, each.finished, number, *msgspec.structs.astuple(row)) for each, number, row in rows]
    return Sheet(keys, lines, table, data=rounds, empty="This format keeps no rounds.")


def floats_text(entrant: RoundEntrant) -> str:
    """Whether an entrant met higher scores (up), or lower ones (down), or both."""
    return " and ".join([word for word, met in (("up", entrant.upfloats), ("down", entrant.downfloats)) if met])


def chance_text(share: float | None) -> str:
    """A probability in percent, never rounded to 0 or 100."""
    if share is None:
        return ""
    return f"{100 * share:.1f}" if 0.001 <= share <= 0.999 else ">99.9" if share > 0.5 else "<0.1"


def _number(value: Fraction | float | None, digits: int) -> str:
    return "" if value is None else f"{float(value):.{digits}f}"
