"""The pictures of a report, made by Altair: specifications of Vega-Lite, for a page or for files.

Colours are signals (`THEME`), so that a page can change them without redrawing.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any, Literal, NamedTuple, TypeAlias

import altair as alt
import orjson
from altair.utils.schemapi import debug_mode

from tourney.contracts.wording import counted
from tourney.report.league import RatingPoint, rating_lines
from tourney.report.run_data import GateData, RatingsAfter, RunData
from tourney.report.sections import QUANTILES, SURE, quantiles, time_text
from tourney.review.calibration import Bin, Calibration
from tourney.review.track import MARKS, CommitRow
from tourney.runner.track import SHORT
from tourney.standings.crosstable import is_off_even
from tourney.standings.ranking import SeatPoints, StandingsRow
from tourney.standings.tables import chance_text

THEME = {"ink": "#1d2126", "muted": "#5b636e", "faint": "#d5d9de", "accent": "#0b63b0", "names": "1", "forks": "1"}
"""The signals of all pictures, with their values in files: colours, and how opaque names and forks are."""
# the colours of Okabe and Ito, distinguishable for colour-blind readers, and a dash each
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7a7f87", "#B8A800")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2])
ROW_PX = 38  # the height of a bot's row, unless a page sets it
NAME_PX = 150  # the largest width of a name
AXIS_PX = 34  # the height of an axis above the rows
LABEL_PX = 36  # about the width of an axis label: labels nearer to the end than half of it move inside
MOST_LINES = 8  # up to this many bots share a picture; more get a small one each
MOST_OTHERS = 120  # the ratings of a league over time add this many bots in grey
OTHER_POINTS = 30  # about the most points of a grey line
MOST_RATIOS = 500  # about the most points of a gate's chart
SIDE_BY_SIDE = 4  # small pictures per row in a file
Values: TypeAlias = Sequence[Mapping[str, Any]]
"""The rows of a chart's data."""

_WHOLE: dict[str, Any] = {"format": "d", "tickMinStep": 1, "labelExpr": "datum.value % 1 ? '' : datum.label"}
"""An axis of whole numbers: a short one has ticks between them, without labels."""
PADDING = {"left": 0, "top": 3, "right": 0, "bottom": 4}  # for the parts of letters that Vega does not measure
_INK, _MUTED, _FAINT, _ACCENT = [alt.ExprRef(name) for name in ("ink", "muted", "faint", "accent")]


class Picture(NamedTuple):
    """A picture of a report."""

    name: str
    """Its file name without the suffix."""
    description: str
    draw: Callable[[Values], Any]
    """Draws the chart of some data."""
    parts: Sequence[tuple[str, Values]]
    """Data with a title, for each of several pictures of one kind."""

    def specification(self) -> dict[str, Any]:
        """The first picture, as wide as the page; the page can replace its data by the others'."""
        return _themed(self._drawn(self.parts[0][1])) | {
            "autosize": {"type": "fit-x", "contains": "padding"},
            "padding": PADDING,
        }

    def for_file(self) -> dict[str, Any]:
        """The picture for a file: on white, with several small ones side by side."""
        titles = _short([title for title, _ in self.parts], 28)
        charts = [self._drawn(values).properties(title=titles[title]) for title, values in self.parts]
        chart = charts[0] if len(charts) == 1 else alt.concat(*charts, columns=SIDE_BY_SIDE)
        spec: dict[str, Any] = _unnamed(_themed(chart))
        return spec | {"background": "white", "padding": 24}

    def _drawn(self, values: Values) -> Any:
        with debug_mode(False):  # Altair would check each part of the chart, for a third of the time
            return self.draw(values)


def pictures(data: RunData) -> list[Picture]:
    """The pictures with data."""
    history = None if data.events else history_picture(data.history, data.first)
    drawn = [ratings_picture(data.rows), cross_picture(data), history, seats_picture(data.seats), times_picture(data)]
    drawn.append(calibration_picture(data.calibrations))
    drawn += [over_time_picture(rating_lines(data))] if data.events else []
    drawn += [] if data.gate is None else [gate_picture(data.gate)]
    drawn += [] if data.track is None else [commits_picture(data.track.rows)]
    return [picture for picture in drawn if picture is not None]


def ratings_picture(rows: Sequence[StandingsRow]) -> Picture | None:
    """The ratings with their intervals, and whether the order of neighbours is certain."""
    dots, forks = rating_dots(rows), rating_forks(rows)
    if not dots:
        return None
    text = "Rating of each bot on the Elo scale with its 95 % interval; higher is better."
    return Picture("ratings", text, lambda values: _ratings_chart(values, forks, len(rows)), [("", dots)])


def rating_dots(rows: Sequence[StandingsRow]) -> list[dict[str, Any]]:
    """The known ratings, each with its row number."""
    return [
        {"row": i, "bot": row.bot, "rating": row.rating, "low": row.rating_low, "high": row.rating_high}
        | {"tip": _rating_tip(row)}
        for i, row in enumerate(rows)
        if row.rating is not None
    ]


def rating_forks(rows: Sequence[StandingsRow]) -> list[dict[str, Any]]:
    """The forks between neighbours: how likely the upper one is stronger, and whether that is certain."""
    return [
        {"row": i + 0.12, "next": i + 0.88, "middle": i + 0.35, "right": max(_high(one), _high(other))}
        | {"sure": one.above_next >= SURE, "text": f"{chance_text(one.above_next)} %"}
        for i, (one, other) in enumerate(pairwise(rows))
        if one.above_next is not None and one.rating is not None and other.rating is not None
    ]


def _ratings_chart(dots: Values, forks: Values, rows: int) -> Any:
    y = alt.Y("row:Q").axis(None).scale(domain=[-0.5, rows - 0.5], reverse=True, nice=False, zero=False)
    scale = alt.Scale(zero=False, nice=False, padding=62)
    extent = {"minExtent": AXIS_PX, "maxExtent": AXIS_PX}
    axis = alt.Axis(orient="top", title=None, tickCount=6, labelFlush=LABEL_PX / 2, **extent, **_WHOLE)
    base = alt.Chart(_data("dots", dots)).encode(y=y, tooltip="tip:N")
    bars = base.mark_rule(strokeWidth=3, color=_ACCENT, opacity=0.55).encode(
        x=alt.X("low:Q").scale(scale).axis(axis), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=_ACCENT)
    names = base.mark_text(dy=-12, fontSize=12, limit=NAME_PX, color=_INK, opacity=alt.ExprRef("+names")).encode(
        x=alt.X("rating:Q").scale(scale), text="bot:N"
    )
    fork = alt.Chart(_data("forks", forks)).encode(x=alt.X("right:Q").scale(scale))
    dash = alt.condition("datum.sure", alt.value([1, 0]), alt.value([3, 3]))
    lines = fork.mark_rule(xOffset=10, color=_MUTED, opacity=alt.ExprRef("+forks")).encode(
        y="row:Q", y2="next:Q", strokeDash=dash
    )
    chances = fork.mark_text(align="left", dx=16, fontSize=11, color=_MUTED, opacity=alt.ExprRef("+forks")).encode(
        y="middle:Q", text="text:N"
    )
    known = [bars] if any([dot["low"] is not None for dot in dots]) else []
    layers = [*known, points.encode(x=alt.X("rating:Q").scale(scale).axis(axis)), names]
    return alt.layer(*layers, *([lines, chances] if forks else [])).properties(width=420, height=ROW_PX * rows)


def _rating_tip(row: StandingsRow) -> str:
    if row.rating_low is None or row.rating_high is None:
        return f"{row.bot}: {row.rating:.0f}; the interval is unknown"
    return f"{row.bot}: {row.rating:.0f}, 95 % interval {row.rating_low:.0f} to {row.rating_high:.0f}"


def _high(row: StandingsRow) -> float:
    return max([value for value in (row.rating, row.rating_high) if value is not None])


def history_picture(history: Sequence[RatingsAfter], order: Sequence[str]) -> Picture | None:
    """The ratings with their bands after more and more deals; many bots get a small picture each."""
    if len(history) < 2:
        return None
    lines: dict[str, list[dict[str, Any]]] = {
        name: [
            {"bot": name, "deals": after.deals, "rating": rating, "low": low, "high": high}
            | {"tip": f"{name} after {after.deals} deals: {rating:.0f}, {low:.0f} to {high:.0f}"}
            for after in history
            if name in after.ratings
            for rating, low, high in [[round(value, 1) if isfinite(value) else value for value in after.ratings[name]]]
            if isfinite(low) and isfinite(high)
        ]
        for name in order
    }
    second_half = [point for points in lines.values() for point in points if 2 * point["deals"] >= history[-1].deals]
    if not second_half:
        return None
    domain = [min([point["low"] for point in second_half]), max([point["high"] for point in second_half])]
    axis = alt.Axis(title="deals played", tickCount=5, grid=False, **_WHOLE)
    x = alt.X("deals:Q").axis(axis).scale(nice=False)
    y = alt.Y(type="quantitative").axis(title=None, tickCount=5, **_WHOLE).scale(domain=domain, nice=True, zero=False)
    text = "Rating of each bot, with its 95 % band, after more and more deals: flat lines have settled."
    shown = [name for name in order if lines[name]]
    if len(shown) > MOST_LINES:
        return Picture("settled", text, lambda values: _small_history(values, x, y), [(n, lines[n]) for n in shown])
    points = [point for name in shown for point in lines[name]]
    return Picture("settled", text, lambda values: _history_chart(values, x, y, shown), [("", points)])


def over_time_picture(lines: Mapping[str, Sequence[RatingPoint]]) -> Picture | None:
    """The ratings in a league over time: the first bots in colours, the others in grey."""
    last = max([points[-1].block for points in lines.values() if points], default=0)
    shown = [name for name, points in lines.items() if points and points[-1].block == last][:MOST_LINES]
    points: list[dict[str, Any]] = [
        {"bot": name, "blocks": each.block, "rating": round(each.rated.rating), "low": low, "high": high}
        | {"came": each.came, "tip": _over_time_tip(each)}
        for name in shown
        for each in lines[name]
        for low, high in [[None if end is None else round(end) for end in each.rated[1:]]]
    ]
    if len({point["blocks"] for point in points}) < 2:
        return None
    others: list[dict[str, Any]] = [
        {"bot": name, "blocks": each.block, "rating": round(each.rated.rating)}
        for name in [name for name in lines if name not in shown][:MOST_OTHERS]
        for each in _thinned(lines[name])
    ]
    # cuts off the wide bands of newcomers, and the first ratings
    ends = [point["rating"] for point in [*points, *others] if 4 * point["blocks"] >= last]
    margin = round((max(ends) - min(ends)) / 10) + 5
    text = "Rating of each bot over time, with the 95 % band; marks show new versions."
    if others:
        text = f"Ratings over time: the first {len(shown)} bots with their 95 % bands and marks for new versions, "
        text += "the others in grey."
    domain = [min(ends) - margin, max(ends) + margin]
    return Picture("over-time", text, lambda values: _over_time_chart(values, others, shown, domain), [("", points)])


def _thinned(points: Sequence[RatingPoint]) -> Sequence[RatingPoint]:
    return [*points[: -1 : max(1, ceil(len(points) / OTHER_POINTS))], *points[-1:]]


def _over_time_tip(point: RatingPoint) -> str:
    rating, low, high = point.rated
    interval = "" if low is None or high is None else f", {low:.0f} to {high:.0f}"
    came = "came " if point.came else ""
    return f"{point.version} {came}after {point.block} blocks ({point.date}): {rating:.0f}{interval}"


def _over_time_chart(points: Values, others: Values, shown: Sequence[str], domain: Sequence[float]) -> Any:
    color, dash = _series(shown)
    axis = alt.Axis(title="blocks played", tickCount=5, grid=False, **_WHOLE)
    x = alt.X("blocks:Q").axis(axis).scale(nice=False)
    y = alt.Y(type="quantitative").axis(title=None, tickCount=5, **_WHOLE).scale(domain=domain, nice=True, zero=False)
    grey = alt.Chart(_data("others", others)).encode(x=x, y=y.field("rating"), detail="bot:N")
    base = alt.Chart(_data("points", points)).encode(x=x, tooltip="tip:N", color=color)
    band = base.mark_area(opacity=0.13, clip=True).encode(y=y.field("low"), y2="high:Q")
    line = base.mark_line(strokeWidth=2, clip=True).encode(y=y.field("rating"), strokeDash=dash)
    marks = base.transform_filter("datum.came").mark_point(
        shape="triangle-up", filled=True, size=90, opacity=1, clip=True
    )
    layers = [grey.mark_line(strokeWidth=1, clip=True, color=_FAINT)] if others else []
    layers += [band, line, marks.encode(y=y.field("rating")), _hover_dots(base, points, y)]
    return alt.layer(*layers).properties(width=640, height=340)


def _small_history(points: Values, x: Any, y: Any) -> Any:
    base = alt.Chart(_data("part", points)).encode(x=x, tooltip="tip:N")
    band = base.mark_area(opacity=0.2, clip=True, color=_ACCENT).encode(y=y.field("low"), y2="high:Q")
    line = base.mark_line(strokeWidth=2, clip=True, color=_ACCENT).encode(y=y.field("rating"))
    return alt.layer(band, line, _hover_dots(base, points, y, color=_ACCENT)).properties(width=220, height=110)


def _history_chart(points: Values, x: Any, y: Any, shown: Sequence[str]) -> Any:
    color, dash = _series(shown)
    base = alt.Chart(_data("points", points)).encode(x=x, tooltip="tip:N", color=color)
    band = base.mark_area(opacity=0.16, clip=True).encode(y=y.field("low"), y2="high:Q")
    line = base.mark_line(strokeWidth=2, clip=True).encode(y=y.field("rating"), strokeDash=dash)
    return alt.layer(band, line, _hover_dots(base, points, y)).properties(width=640, height=280)


def _series(shown: Sequence[str]) -> tuple[Any, Any]:
    columns = alt.ExprRef("clamp(floor((width + 30) / 165), 1, 4)")  # a phone has no room for more
    symbol = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 300, "symbolOpacity": 1}
    legend = alt.Legend(orient="top", title=None, columns=columns, **_labels(shown, 130), **symbol)
    color = alt.Color("bot:N", legend=legend).scale(domain=shown, range=SERIES[: len(shown)])
    dashes = [DASHES[i % len(DASHES)] for i in range(len(shown))]
    return color, alt.StrokeDash("bot:N", legend=legend).scale(domain=shown, range=dashes)


def _labels(names: Sequence[str], most_px: int) -> dict[str, Any]:
    """An axis or legend of bots, with shortened names."""
    short = _short(names, most_px // 8)
    text = {} if short.keys() == {*short.values()} else {"labelExpr": f"{orjson.dumps(short).decode()}[datum.value]"}
    return {"labelLimit": most_px, **text}


def _short(names: Sequence[str], most: int) -> dict[str, str]:
    """The names, long ones shortened in the middle, and numbered if they then look alike."""
    short = {name: name if len(name) <= most else f"{name[: most // 2]}…{name[-(most // 2) :]}" for name in names}
    alike = Counter(short.values())
    return {name: f"{i}. {text}" if alike[text] > 1 else text for i, (name, text) in enumerate(short.items(), 1)}


def _hover_dots(base: Any, points: Values, y: Any, **look: Any) -> Any:
    """The points of lines for pointing at; only visible without a line."""
    lines = Counter([point["bot"] for point in points])
    alone = alt.FieldOneOfPredicate("bot", [bot for bot, count in lines.items() if count == 1])
    opacity = alt.condition(alone, alt.value(1), alt.value(0))
    return base.mark_point(filled=True, size=60, clip=True, **look).encode(y=y.field("rating"), opacity=opacity)


def gate_picture(gate: GateData) -> Picture | None:
    """The log-likelihood ratio of a gate after each deal, between its bounds."""
    if len(gate.ratios) < 2:
        return None
    test, step = gate.comparison.test, ceil(len(gate.ratios) / MOST_RATIOS)
    points = [
        {"deals": deals, "llr": llr, "tip": f"after {deals} deals: {llr:.2f}"}
        for deals, llr in [*gate.ratios[:-1:step], gate.ratios[-1]]
    ]
    bounds = [
        {"llr": test.high, "text": f"passes at {test.high:.2f}"},
        {"llr": test.low, "text": f"fails at {test.low:.2f}"},
    ]
    text = "Log-likelihood ratio of the gate after each deal: at the upper bound it passes, at the lower one it fails."
    return Picture("gate", text, lambda values: _gate_chart(values, bounds), [("", points)])


def _gate_chart(points: Values, bounds: Values) -> Any:
    base = alt.Chart(_data("points", points)).encode(
        x=alt.X("deals:Q").axis(title="deals played", grid=False, **_WHOLE).scale(nice=False),
        y=alt.Y("llr:Q").axis(title="log-likelihood ratio", tickCount=5, grid=False),
        tooltip="tip:N",
    )
    line = base.mark_line(strokeWidth=2, color=_ACCENT)
    dots = base.mark_point(filled=True, size=14, opacity=1, color=_ACCENT)
    bound = alt.Chart(_data("bounds", bounds)).encode(y="llr:Q")
    rules = bound.mark_rule(strokeDash=[4, 3], color=_MUTED)
    names = bound.mark_text(align="left", dx=4, dy=-7, fontSize=12, color=_MUTED).encode(x=alt.value(0), text="text:N")
    return alt.layer(rules, line, dots, names).properties(width=640, height=240)


def commits_picture(rows: Sequence[CommitRow]) -> Picture | None:
    """The ratings over a track's commits, with their intervals and marks for significant changes."""
    rated = {row.entrant: row for row in rows if row.rating is not None}
    points = [
        {"commit": i, "rating": own.rating, "low": own.rating_low, "high": own.rating_high}
        | {"played": row.state == "played", "mark": MARKS[row.verdict] if row.verdict in ("up", "down") else ""}
        | {"tip": f"{row.commit[:SHORT]} ({row.date[:10]}): {own.rating:.0f}, {row.subject}"}
        for i, row in enumerate(rows, 1)
        if (own := rated.get(row.entrant)) is not None
    ]
    if not points:
        return None
    text = "Rating over the commits, the oldest first, with 95 % intervals; triangles mark significant changes."
    return Picture("commits", text, _commits_chart, [("", points)])


def _commits_chart(points: Values) -> Any:
    base = alt.Chart(_data("points", points)).encode(
        x=alt.X("commit:Q").axis(title="commits", grid=False, **_WHOLE).scale(nice=False, padding=12),
        tooltip="tip:N",
    )
    y = alt.Y(type="quantitative").axis(title=None, tickCount=5, **_WHOLE).scale(zero=False)
    line = base.mark_line(strokeWidth=1.5, color=_MUTED).encode(y=y.field("rating"))
    played = base.transform_filter("datum.played")
    bars = played.mark_rule(strokeWidth=3, color=_ACCENT, opacity=0.55).encode(y=y.field("low"), y2="high:Q")
    dots = played.mark_point(filled=True, size=60, opacity=1, color=_ACCENT).encode(y=y.field("rating"))
    marks = played.mark_text(dy=-10, fontSize=13, color=_INK).encode(y=y.field("high"), text="mark:N")
    return alt.layer(line, bars, dots, marks).properties(width=640, height=280)


def cross_picture(data: RunData) -> Picture | None:
    """How often each bot finished ahead of each other, as a heat map; significant cells are outlined."""
    order = data.first
    cells = [
        {"bot": name, "other": other, "percent": pair.percent, "sure": is_off_even(pair)}
        | {"text": f"{pair.percent:.0f}", "strong": abs(pair.percent - 50) > 30}
        for name in order
        for other in order
        if (pair := data.ranking.pairs.get((name, other))) is not None
    ]
    if not cells:
        return None
    rule = "outlined if significantly different from 50 %"
    text = f"How often the row's bot finished ahead of the column's, in percent; {rule}."
    return Picture("who-beats-whom", text, lambda values: _cross_chart(values, order), [("", cells)])


def _cross_chart(cells: Values, order: Sequence[str]) -> Any:
    axis = {"title": None, **_labels(order, 140), "domain": False, "ticks": False}
    base = alt.Chart(_data("cells", cells)).encode(
        x=alt.X("other:N", sort=list(order)).axis(orient="top", labelAngle=-40, **axis),
        y=alt.Y("bot:N", sort=list(order)).axis(**axis),
    )
    scale = {"domain": [0, 50, 100], "range": ["#c2570a", "#f4f4f2", "#0b63b0"], "interpolate": "rgb"}
    color = alt.Color("percent:Q", legend=None, scale=scale)
    width = alt.condition("datum.sure", alt.value(1.6), alt.value(0))
    boxes = base.mark_rect(stroke=_INK, strokeWidth=0).encode(color=color, strokeWidth=width)
    ink = alt.condition("datum.strong", alt.value("white"), alt.value("#1d2126"))
    texts = base.mark_text(fontSize=12).encode(text="text:N", color=ink)
    return alt.layer(boxes, texts).properties(width=alt.Step(38), height=alt.Step(26))


def seats_picture(seats: Sequence[SeatPoints]) -> Picture | None:
    """The value of each seat, a picture for each game and number of seats."""
    tables: dict[str, list[dict[str, Any]]] = {}
    setups = {(row.game, row.seats): row.game for row in seats}
    for row in seats:
        title = f"{row.game}, {row.seats} seats" if list(setups.values()).count(row.game) > 1 else row.game
        known = isfinite(row.low) and isfinite(row.high)
        low, high = (row.low, row.high) if known else (row.points, row.points)
        tip = f"seat {row.seat}: {row.points:.1f} %" + (f", 95 % interval {low:.1f} to {high:.1f}" if known else "")
        point = {"seat": row.seat, "points": round(row.points, 2), "low": round(low, 2), "high": round(high, 2)}
        tables.setdefault(title, []).append(point | {"tip": tip})
    if not tables:
        return None
    every = [point for points in tables.values() for point in points]
    domain = [min([*[point["low"] for point in every], 45]), max([*[point["high"] for point in every], 55])]
    text = "Average result per seat, in percent, with 95 % intervals; 50 is neutral."
    return Picture("seats", text, lambda values: _seats_chart(values, domain), list(tables.items()))


def _seats_chart(seats: Values, domain: Sequence[float]) -> Any:
    scale = alt.Scale(domain=list(domain), nice=True, zero=False)
    base = alt.Chart(_data("part", seats)).encode(y=alt.Y("seat:O").axis(title="seat", domain=False, ticks=False))
    even = alt.Chart(_data("even", [{"even": 50}])).mark_rule(color=_MUTED, strokeDash=[4, 3]).encode(x="even:Q")
    bars = base.mark_rule(strokeWidth=3, color=_ACCENT, opacity=0.55).encode(
        x=alt.X("low:Q").scale(scale), x2="high:Q", tooltip="tip:N"
    )
    points = base.mark_point(filled=True, size=80, opacity=1, color=_ACCENT).encode(
        x=alt.X("points:Q").scale(scale).axis(title="points %", tickCount=5), tooltip="tip:N"
    )
    return alt.layer(even, bars, points).properties(width=240, height=26 * len(seats))


def calibration_picture(calibrations: Sequence[Calibration]) -> Picture | None:
    """Expected against actual points, a picture for each bot and game."""
    if not calibrations:
        return None
    several = len({each.game for each in calibrations}) > 1
    parts = [
        (
            f"{each.bot}, {each.game}" if several else each.bot,
            [
                {"value": 100 * one.value, "points": 100 * one.points, "decisions": one.decisions}
                | {key: None if end is None else 100 * end for key, end in (("low", one.low), ("high", one.high))}
                | {"tip": f"expected {100 * one.value:.0f} %, got {100 * one.points:.0f} % ({_number_of(one)})"}
                for one in each.bins
            ],
        )
        for each in calibrations
    ]
    text = "Points expected in the bots' notes against actual points, with 95 % intervals; on the line they are equal."
    return Picture("calibration", text, _calibration_chart, parts)


def _number_of(one: Bin) -> str:
    return f"{counted(one.decisions, 'decision')} of {counted(one.deals, 'deal')}"


def _calibration_chart(bins: Values) -> Any:
    scale = alt.Scale(domain=[0, 100], nice=False)
    line = alt.Chart(_data("even", [{"value": 0, "points": 0}, {"value": 100, "points": 100}])).encode(
        x=alt.X("value:Q").scale(scale).axis(title="expected, points %", tickCount=5, grid=False),
        y=alt.Y("points:Q").scale(scale).axis(title="got, points %", tickCount=5, grid=False),
    )
    base = alt.Chart(_data("part", bins)).encode(x=alt.X("value:Q").scale(scale), y=alt.Y("points:Q").scale(scale))
    size = alt.Size("decisions:Q", legend=None).scale(range=[30, 250])
    dots = base.mark_point(filled=True, opacity=0.8, color=_ACCENT).encode(size=size, tooltip="tip:N")
    bars = base.mark_rule(strokeWidth=3, color=_ACCENT, opacity=0.55).encode(
        y=alt.Y("low:Q").scale(scale), y2="high:Q", tooltip="tip:N"
    )
    even = line.mark_line(color=_MUTED, strokeDash=[4, 3])
    return alt.layer(even, bars, dots).properties(width=240, height=200)


def times_picture(data: RunData) -> Picture | None:
    """Each bot's decision times: median, 95 % and worst, on a logarithmic scale."""
    times = {} if data.times is None else data.times.bots
    spans = [(bot, times[bot]) for bot in data.first if bot in times]
    points = [
        {"bot": bot, "us": max(took / 1000, 0.1), "what": what, "tip": f"{bot}, {what}: {time_text(took)}"}
        for bot, clock in spans
        if clock.decisions
        for what, took in quantiles(clock)
    ]
    if not points:
        return None
    text = "Wall-clock time per decision of each bot: median, 95 % quantile and worst."
    return Picture("times", text, lambda values: _times_chart(values, [bot for bot, _ in spans]), [("", points)])


def _times_chart(points: Values, order: Sequence[str]) -> Any:
    seconds = "datum.value < 1e6 ? datum.value / 1e3 + ' ms' : datum.value / 1e6 + ' s'"
    label = f"datum.value < 1e3 ? datum.value + ' µs' : {seconds}"
    y = alt.Y("bot:N", sort=list(order)).axis(title=None, **_labels(order, 100), domain=False, ticks=False)
    exponents = [log10(point["us"]) for point in points]
    ticks = [10.0**decade for decade in range(floor(min(exponents)), ceil(max(exponents)) + 1)]
    axis = alt.Axis(title=None, labelExpr=label, values=ticks, labelOverlap="greedy", labelSeparation=6)
    x = alt.X("us:Q").scale(type="log", domain=[ticks[0], ticks[-1]]).axis(axis)
    base = alt.Chart(_data("times", points)).encode(y=y)
    spread = base.mark_rule(color=_MUTED).encode(x=alt.X("min(us):Q").scale(type="log"), x2="max(us):Q")
    shapes = alt.Shape("what:N", sort=QUANTILES).scale(domain=QUANTILES, range=["circle", "triangle-up", "diamond"])
    dots = base.mark_point(filled=True, size=70, opacity=1, color=_ACCENT).encode(
        x=x, shape=shapes.legend(alt.Legend(orient="top", title=None, columnPadding=4)), tooltip="tip:N"
    )
    return alt.layer(spread, dots).properties(width=520, height=24 * len(order))


class _Rows:
    """The rows of a chart's data, which Altair copies and checks many times unless they look like a part of a chart."""

    _schema: Mapping[str, Any] = {"type": "array"}

    def __init__(self, values: Values) -> None:
        self._values = list(map(dict, values))

    def to_dict(self, **_options: object) -> Values:
        """The rows."""
        return self._values


def _data(name: str, values: Values) -> Any:
    """A chart's data, named so that a page can replace it."""
    return alt.InlineData(values=_Rows(values), name=name)


def _unnamed(value: Any) -> Any:
    """Removes the names of data, which must not repeat in charts side by side."""
    if isinstance(value, dict):
        return {key: _unnamed(each) for key, each in value.items() if key != "name" or "values" not in value}
    return [_unnamed(each) for each in value] if isinstance(value, list) else value


def _themed(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict(validate=False)  # takes most of the time
    for text in ("autosize", "config"):
        spec.pop(text, None)
    ink, muted, faint = [{"expr": name} for name in ("ink", "muted", "faint")]
    spec["params"] = [*spec.get("params", ()), *[{"name": name, "value": value} for name, value in THEME.items()]]
    lines = {"domainColor": faint, "gridColor": faint, "tickColor": faint, "gridOpacity": 0.6}
    spec["config"] = {
        "font": "system-ui, sans-serif",
        "background": None,
        "view": {"stroke": None},
        "axis": {"labelColor": muted, "titleColor": muted, "labelFontSize": 12, "titleFontWeight": "normal", **lines},
        "legend": {"labelColor": ink, "titleColor": muted, "labelFontSize": 12},
        "title": {"color": ink, "fontSize": 13, "fontWeight": 600, "anchor": "start"},
    }
    return spec


def picture_file(picture: Picture, form: Literal["png", "svg"]) -> bytes:
    """The picture as a file's content, made by the extra `pictures`; a PNG has double resolution for sharp screens."""
    import vl_convert  # noqa: PLC0415 - large, and pages do without it

    if form == "svg":
        return str(vl_convert.vegalite_to_svg(picture.for_file())).encode()
    return bytes(vl_convert.vegalite_to_png(picture.for_file(), scale=2.0))
