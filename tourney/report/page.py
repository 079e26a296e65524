"""The report as one file: its template, filled, with all styles, scripts and pictures in it.

Its policy allows scripts and styles by their hashes alone. The template escapes all text.
"""

import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from math import inf
from typing import Any, NamedTuple

import orjson
import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tourney.base.errors import TourneyError
from tourney.contracts.game import Game
from tourney.contracts.wording import counted
from tourney.plugins.registry import load_game
from tourney.report import sections
from tourney.report.charts import AXIS_PX, Picture, pictures, rating_dots
from tourney.report.match_data import match_data
from tourney.report.match_page import ViewerParts, content_policy, match_block, viewer_parts
from tourney.report.matches_worth_a_look import ListedMatch
from tourney.report.run_data import RunData, read_record
from tourney.standings.tables import standings_columns, standings_legend
from tourney.table.replay import in_time

SECTIONS = {
    "gate": "The verdict",
    "best": "Who is best",
    "cross": "Who beats whom",
    "settled": "Is it settled?",
    "seats": "Seats and deals",
    "rounds": "Rounds",
    "faults": "Faults and times",
    "look": "Matches worth a look",
    "analysis": "How they play",
    "how": "How this was computed",
}
"""The sections of the report, by their anchors."""
MOST_DECISIONS = 4000  # of all matches in a report together, unless a number is asked for: each takes about 1 ms
ROOM = 1_300_000  # how many bytes they take at most; the rest of a page takes 1 to 1.6 MB


class Embedded(NamedTuple):
    """The matches that a page holds."""

    names: Sequence[str] = ()
    blocks: str = ""
    """The elements that hold them."""
    viewer: ViewerParts = ViewerParts()


NOTHING_EMBEDDED = Embedded()


def report_page(
    data: RunData, embedded: Embedded = NOTHING_EMBEDDED, refresh_s: float | None = None, with_seed: bool = False
) -> str:
    """The report of a run as a page: with the seed of the tournament, or with a commitment to it."""
    drawn = pictures(data)
    refresh = None if data.finished else refresh_s
    style = _file("report.css") + embedded.viewer.style
    modules = [*filter(None, [embedded.viewer.script]), _file("report.js")]
    played = bool(data.totals.matches)
    shown = {
        "gate": data.gate is not None,
        "best": True,
        "how": True,
        "rounds": played and bool(data.rounds),
        "analysis": bool(data.analyses),
    }
    cross = sections.cross(data)
    page: str = _template().render(
        policy=content_policy([_vega(), *modules], [style]),
        style=_markup(style),
        vega=_markup(_vega()),
        modules=list(map(_markup, modules)),
        matches=_markup(embedded.blocks),
        viewer=_markup(embedded.viewer.element),
        data=_markup(_json(_page_data(data, drawn, embedded, refresh, cross))),
        pictures={each.name: each.description for each in drawn},
        small={each.name: len(each.parts) > 1 for each in drawn},
        contents=[(name, title) for name, title in SECTIONS.items() if shown.get(name, played)],
        refresh=refresh,
        counted=counted,
        cross=cross,
        facts=sections.facts(data, with_seed),
        **_texts(data),
    )
    return page


def _markup(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - all text of others is escaped by the template


def _run(data: RunData) -> str:
    """The run as commands name it; where there are several, the reader has to say which."""
    return "RUN" if data.path is None else shlex.quote(str(data.path))


def _texts(data: RunData) -> dict[str, Any]:
    """What the template says of the run."""
    known = standings_columns(data.ranking)
    columns = sections.standings(known)
    return {
        "name": data.tournament.name,
        "run": _run(data),
        "headline": sections.headline(data),
        "verdict": sections.verdict(data),
        "finished": data.finished,
        "extended": bool(data.tournament.salts),
        "played": bool(data.totals.matches),
        "columns": columns,
        "headings": [column.heading for column in columns],
        "rows": len(data.rows),
        "sure": sections.sure_order(data),
        "legend": standings_legend(data.ranking, ()),
        "order": [row.bot for row in data.rows],
        "seat_rows": sections.seat_rows(data),
        "deals_note": sections.deals_note(data),
        "rounds": sections.rounds(data),
        "swiss": any([row.round_score is not None for row in data.rows]),
        "faults": sections.faults_text(data),
        "bot_rows": sections.bot_rows(data),
        "notable": sections.notable(data),
        "analyses": data.analyses,
        "python_bots": data.tournament.python_bots,
        "gate": None if data.gate is None else sections.gate(data.gate.comparison),
    }


def _page_data(
    data: RunData,
    drawn: Sequence[Picture],
    embedded: Embedded,
    refresh: float | None,
    cross: Sequence[Sequence[sections.CrossCell | None]],
) -> dict[str, Any]:
    """What the scripts of the page read."""
    numbers = {name: number for number, name in enumerate(data.tournament.names)}
    matches: dict[str, list[Any]] = {}
    pairs = {}
    for row in cross:
        for cell in filter(None, row):
            one, other = sorted(map(int, cell.pair.split("-")))
            met = data.matches.pair(data.tournament.names[one], data.tournament.names[other])
            for match in met.listed() if met else ():
                matches.setdefault(match.found.id, _match_row(match, numbers))
            pairs[f"{one}-{other}"] = [match.found.id for match in met.listed()] if met else []
    places = {name: number for number, name in enumerate(matches)}
    return {
        "run": _run(data),
        "names": data.tournament.names,
        "matches": list(matches.values()),
        "pairs": {pair: [places[name] for name in names] for pair, names in pairs.items()},
        "embedded": embedded.names,
        "pictures": {
            each.name: {
                "spec": each.specification(),
                "parts": each.parts if each.parts[0][0] else [],
            }
            for each in drawn
            if each.name != "who-beats-whom"
        },
        "dots": rating_dots(data.rows),
        "axis": AXIS_PX,
        "refresh": refresh,
    }


def _match_row(match: ListedMatch, numbers: dict[str, int]) -> list[Any]:
    found = match.found
    seats = [numbers[name] for name in found.seats]
    faults = len([fault for fault in found.result.faults if fault.kind != "out"])
    return [found.id, found.round, seats, found.result.scores, found.result.places, found.decisions, faults]


def _json(value: Any) -> str:
    """JSON that can stand in a block of a page."""
    return orjson.dumps(value, default=list).decode().replace("<", "\\u003c")


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("tourney.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html.jinja")


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    return _script_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _file(name: str) -> str:
    text = (files("tourney.report") / "templates" / name).read_text(encoding="utf-8")
    return _script_text(text) if name.endswith(".js") else text


def _script_text(text: str) -> str:
    """A script that can stand in a page: no text in it ends the script."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def embed(data: RunData, most: int | None = None) -> Embedded:
    """The matches of a run for its report; none that does not replay, or whose game is not installed."""
    blocks: dict[str, str] = {}
    games: dict[str, Game] = {}
    room, decisions = (ROOM, MOST_DECISIONS) if most is None else (inf, inf)
    for name, match in {match.found.id: match for match in _candidates(data)}.items():
        if len(blocks) == most or room <= 0:
            break
        if match.found.decisions > decisions:
            continue
        decisions -= match.found.decisions
        try:
            game = games[match.game] = games.get(match.game) or load_game(match.game)
            path = data.paths[match.game]
            record = read_record(path, match)
            with in_time(record, data.tournament.replay_s):
                shown = match_data(
                    record,
                    game,
                    analysis=data.match_analyses.get(name),
                    debug=shlex.join(["tourney", "debug", str(path), name]),
                    bots=data.tournament.python_bots,
                )
        except TourneyError:
            continue
        block = match_block(name, shown)
        room -= len(block)
        if room > 0:
            blocks[name] = block
    viewer = viewer_parts(games.values()) if blocks else ViewerParts()
    return Embedded(list(blocks), "\n".join(blocks.values()), viewer)


def _candidates(data: RunData) -> Iterator[ListedMatch]:
    """Yields the matches that the report leads to, the most important first; a match can come several times."""
    yield from data.costliest
    by_reason: dict[str, list[ListedMatch]] = {}
    for notable in data.notable:
        by_reason.setdefault(notable.reason, []).append(notable.match)
    for some in zip_longest(*by_reason.values()):  # one for each reason, then the next ones
        yield from filter(None, some)
    for kinds in data.matches.faults.values():
        yield from [each.first for each in kinds.values()]
    pairs = [data.matches.pair(one, other) for one, other in data.ranking.pairs if one < other]
    for some in zip_longest(*[met.listed() for met in pairs if met is not None]):
        yield from filter(None, some)
