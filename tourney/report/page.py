"""The report as one file: its template, filled, with all styles, scripts and pictures in it.

Nothing in the page comes from elsewhere, and its policy forbids whatever is not in it: scripts and styles are allowed
by their hashes. All text is escaped by the template; data stand in a block of JSON that cannot end the block.
"""

import shlex
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tourney.contracts.wording import counted
from tourney.report import sections
from tourney.report.charts import AXIS, Picture, pictures, rating_dots
from tourney.report.embedding import NOTHING_EMBEDDED, Embedded
from tourney.report.match_page import content_policy
from tourney.report.matches_worth_a_look import ListedMatch
from tourney.report.run_data import RunData
from tourney.standings.tables import standings_columns

SECTIONS = {
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


def report_page(data: RunData, embedded: Embedded = NOTHING_EMBEDDED, refresh_s: float | None = None) -> str:
    """Returns the report of a run as a page."""
    drawn = pictures(data)
    refresh = None if data.finished else refresh_s
    style = _file("report.css") + embedded.style
    modules = [*filter(None, [embedded.script]), _file("report.js")]
    shown = _sections(data)
    cross = sections.cross(data)
    page: str = _template().render(
        policy=content_policy([_vega(), *modules], [style]),
        style=_markup(style),
        vega=_markup(_vega()),
        modules=list(map(_markup, modules)),
        matches=_markup(embedded.blocks),
        viewer=_markup(embedded.viewer),
        data=_markup(_json(_page_data(data, drawn, embedded, refresh, cross))),
        pictures={each.name: each.description for each in drawn},
        small={each.name: len(each.parts) > 1 for each in drawn},
        contents=[(name, SECTIONS[name]) for name in SECTIONS if shown[name]],
        refresh=refresh,
        counted=counted,
        cross=cross,
        **_texts(data),
    )
    return page


def _markup(text: str) -> Markup:
    """Returns what stands in the page as it is: our own files, and blocks that nothing in them can end."""
    return Markup(text)  # noqa: S704 - all text of others is escaped by the template


def _sections(data: RunData) -> dict[str, bool]:
    """Returns which sections the report has."""
    played = bool(data.totals.matches)
    others = {"best": True, "how": True, "rounds": played and bool(data.rounds), "analysis": bool(data.analyses)}
    return {name: others.get(name, played) for name in SECTIONS}


def _texts(data: RunData) -> dict[str, Any]:
    """Returns what the template says of the run."""
    known = standings_columns(data.ranking)
    columns = sections.standings(known)
    return {
        "name": data.tournament.name,
        "run": shlex.quote(str(data.path)),
        "headline": sections.headline(data),
        "verdict": sections.verdict(data),
        "finished": data.finished,
        "facts": sections.facts(data),
        "played": bool(data.totals.matches),
        "columns": columns,
        "headings": [column.heading for column in columns],
        "rows": len(data.rows),
        "sure": sections.sure_order(data),
        "legend": sections.legend(data),
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
    }


def _page_data(
    data: RunData,
    drawn: Sequence[Picture],
    embedded: Embedded,
    refresh: float | None,
    cross: Sequence[Sequence[sections.CrossCell | None]],
) -> dict[str, Any]:
    """Returns what the scripts of the page read."""
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
        "run": shlex.quote(str(data.path)),
        "names": data.tournament.names,
        "matches": list(matches.values()),
        "pairs": {pair: [places[name] for name in names] for pair, names in pairs.items()},
        "embedded": embedded.names,
        "pictures": {
            each.name: {"spec": each.specification(), "parts": each.parts if _has_parts(each) else []}
            for each in drawn
            if each.name != "who-beats-whom"
        },
        "dots": rating_dots(data.rows),
        "axis": AXIS,
        "refresh": refresh,
    }


def _has_parts(picture: Picture) -> bool:
    return len(picture.parts) > 1 or picture.parts[0][0] != ""


def _match_row(match: ListedMatch, numbers: dict[str, int]) -> list[Any]:
    found = match.found
    seats = [numbers[name] for name in found.seats]
    faults = len([fault for fault in found.result.faults if fault.kind != "out"])
    return [found.id, found.round, seats, found.result.scores, found.result.places, found.decisions, faults]


def _json(value: Any) -> str:
    """Returns JSON that can stand in a block of a page."""
    return orjson.dumps(value, default=list).decode().replace("<", "\\u003c")


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("tourney.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html.jinja")


@cache
def _vega() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed as one script that needs nothing else."""
    return script_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _file(name: str) -> str:
    text = (files("tourney.report") / "templates" / name).read_text(encoding="utf-8")
    return script_text(text) if name.endswith(".js") else text


def script_text(text: str) -> str:
    """Returns a script that can stand in a page: no text in it ends the script."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
