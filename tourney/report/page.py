"""Renders the report as one file with all styles, scripts and pictures, and its further pages.

Their policies only allow scripts and styles by hash. The templates escape all text.
"""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations, zip_longest
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tourney.base.errors import TourneyError
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.journal.notes import of_match
from tourney.plugins.registry import load_game
from tourney.report import league, sections
from tourney.report.charts import AXIS_PX, PADDING, Picture, pictures, rating_dots
from tourney.report.match_data import match_data
from tourney.report.match_page import (
    INDEX,
    ViewerParts,
    content_policy,
    head,
    match_block,
    match_page,
    twin_blocks,
    viewer_parts,
)
from tourney.report.matches_worth_a_look import ListedMatch
from tourney.report.matrices import matrices
from tourney.report.run_data import RecordReader, RunData
from tourney.report.what_if import embedded
from tourney.review.track import matches_of
from tourney.standings.sweeps import EFFECTS
from tourney.standings.tables import seats_sheet, standings_columns, standings_legend
from tourney.table.replay import in_time

SECTIONS = {
    "gate": "The verdict",
    "commits": "Commit by commit",
    "best": "Who is best",
    "sweeps": "The best settings",
    "games": "Game by game",
    "time": "Ratings over time",
    "field": "The field",
    "newest": "The newest matches",
    "bots": "Bot by bot",
    "cross": "Who beats whom",
    "settled": "Is the ranking settled?",
    "seats": "Seats and deals",
    "rounds": "Rounds",
    "faults": "Faults and times",
    "look": "Notable matches",
    "analysis": "How they play",
    "notes": "What they expected",
    "how": "How this was computed",
}
"""The sections of the report, by their anchors."""
MOST_DECISIONS = 3000  # total in a report's matches, unless a number is given: each takes up to 1 ms
ROOM = 1_300_000  # their limit in bytes; the rest of a page takes 1 to 1.6 MB
PICTURE = "picture.png"
"""The preview picture in a report's folder."""


class Embedded(NamedTuple):
    """The matches that open from a report: embedded in the page, or with their own pages in a folder."""

    names: Collection[str] = ()
    blocks: str = ""
    """Their elements; empty in a folder."""
    viewer: ViewerParts = ViewerParts()
    bots: Sequence[str] = ()
    """The bots with their own pages, in a folder."""
    url: str = ""
    """The folder's address with a trailing slash, if known."""
    picture: bool = False
    """Whether the folder has a picture for link previews."""
    served: bool = False
    """Whether a server provides the page and one for each match, and announces new reports."""

    @property
    def ending(self) -> str | None:
        """The suffix of match pages' addresses; None for embedded matches."""
        return "" if self.served else ".html" if self.bots else None


NOTHING_EMBEDDED = Embedded()


def match_file(name: str, ending: str = ".html") -> str:
    """A match's file in a report's folder."""
    return f"matches/{name}{ending}"


def bot_file(name: str, bots: Sequence[str]) -> str:
    """A bot's file in a report's folder, named after it if the name is valid on every file system."""
    return f"bots/{name if re.fullmatch('[a-z0-9][a-z0-9._-]{,60}', name) else f'_{bots.index(name)}'}.html"


def report_page(data: RunData, embedded: Embedded = NOTHING_EMBEDDED, refresh_s: float | None = None) -> str:
    """A run's report as a page."""
    drawn = pictures(data)
    refresh = None if embedded.served or (data.finished and not data.events) else refresh_s
    style = _file("report.css") + embedded.viewer.style
    own = ["news.js"] * embedded.served + ["report.js"]
    modules = [*filter(None, [embedded.viewer.script]), "".join([_file(name) for name in own])]
    played = bool(data.totals.matches)
    shown = {
        "gate": data.gate is not None,
        "commits": data.track is not None,
        "sweeps": played and bool(data.tournament.sweeps),
        "best": True,
        "games": played and bool(data.by_game),
        "how": True,
        "rounds": played and bool(data.rounds),
        "analysis": bool(data.analyses),
        "notes": bool(data.calibrations) or bool(sections.spent(data)),
        "settled": played and not data.events,
        "field": data.totals.schedule.goes_on,
        **dict.fromkeys(("time", "newest", "bots"), played and bool(data.events)),
    }
    cross, links, texts = sections.cross(data), _links(data, embedded), _texts(data)
    drawn_first = texts["rounds"]["bracket"] is not None
    contents = [(name, title) for name, title in SECTIONS.items() if shown.get(name, played)]
    contents.sort(key=lambda each: drawn_first and each[0] != "rounds")
    page: str = _template("report.html.jinja").render(
        head=_head(data.tournament.name, sections.verdict(data), embedded),
        policy=content_policy([_vega(), *modules], [style], served=embedded.served),
        style=_markup(style),
        vega=_markup(_vega()),
        modules=list(map(_markup, modules)),
        matches=_markup(embedded.blocks),
        viewer=_markup(embedded.viewer.element),
        data=_markup(_json(_page_data(data, drawn, embedded, refresh))),
        pictures={each.name: each.description for each in drawn},
        small={each.name: len(each.parts) > 1 for each in drawn},
        contents=contents,
        refresh=refresh,
        served=embedded.served,
        counted=counted,
        zip=zip,
        cross=cross,
        matrices=list(matrices(data)),
        facts=sections.facts(data),
        games=sections.games(data),
        **links,
        **texts,
    )
    return page


def list_page(template: str, **shown: Any) -> str:
    """A server's list of runs or matches, in the style of reports; its script keeps it up to date."""
    style, script = _file("report.css"), _file("news.js") + _file("live.js")
    policy = content_policy([script], [style], served=True)
    page: str = _template(template).render(policy=policy, style=_markup(style), script=_markup(script), **shown)
    return page


def bot_page(data: RunData, name: str, embedded: Embedded) -> str:
    """A bot's page in a report's folder."""
    style = _file("report.css")
    shown = sections.bot(data, name)
    page: str = _template("bot.html.jinja").render(
        head=_head(f"{name} · {data.tournament.name}", [shown["summary"]], embedded, "../"),
        policy=content_policy([], [style]),
        style=_markup(style),
        name=name,
        title=data.tournament.name,
        counted=counted,
        run=data.command_path,
        **_links(data, embedded, "../"),
        **shown,
    )
    return page


def match_pages(
    data: RunData, most: int | None, url: str, picture: bool, games: dict[str, Game]
) -> Iterator[tuple[str, str]]:
    """Yields name and page of up to `most` matches named in the report, for the folder at `url`; fills in the games."""
    preview = f"{url or '../'}{PICTURE}" if picture else ""
    blocks: dict[str, str] = {}
    made = 0
    with RecordReader(data) as records:
        for match in _candidates(data):
            name, found = match.facts.id, None if made == most else _match_data(data, match, games, records, alone=True)
            if found is not None:
                made += 1
                game, (shown, twins) = games[match.game], found
                blocks[name] = match_block(name, shown)
                around = twin_blocks(twins, game, data.tournament.replay_s, data.match_analyses, blocks)
                yield name, match_page(shown, name, game, preview, f"../{INDEX}", around, shared="../")


def _head(title: str, sentences: Sequence[str], embedded: Embedded, base: str = "") -> Markup:
    picture = (embedded.url or base) + PICTURE if embedded.picture else ""
    return _markup(head(f"{title} · tourney", " ".join(sentences), picture))


def _links(data: RunData, embedded: Embedded, base: str = "") -> dict[str, Any]:
    """Functions for links in templates; `base` leads from the page to the report."""

    def address(
        match: str, decision: int | None = None, seat: int | None = None, twin: ListedMatch | None = None
    ) -> str | None:
        beside = None if twin is None else twin.facts.id
        moment = {"match": match, "decision": decision, "seat": seat, "twins": beside}
        named = "&".join([f"{key}={quote(str(value))}" for key, value in moment.items() if value is not None])
        page = "" if embedded.ending is None else base + match_file(match, embedded.ending)
        return f"{page}#{named}" if match in embedded.names else None

    def bot_address(name: str) -> str | None:
        return base + quote(bot_file(name, embedded.bots)) if embedded.bots else None

    listed, names = {*data.first}, data.tournament.names

    def pair_address(pair: str, at_table: bool = False) -> str | None:
        bots = [names[int(number)] for number in pair.split("-") if number]
        met = _met(data, bots) if at_table or listed.issuperset(bots) else ()
        opens = any([match.facts.id in embedded.names for match in met])
        return f"{base and base + INDEX}#pair={pair}" if opens else None

    return {
        "address": address,
        "bot_address": bot_address,
        "pair_address": pair_address,
        "opening": bool(embedded.names),
        "teams": data.teams,
        "python_bots": () if embedded.bots else data.tournament.python_bots,
        "absent": any([match.facts.id not in embedded.names for match in _candidates(data)]),
    }


def _met(data: RunData, names: Sequence[str]) -> list[ListedMatch]:
    """The kept matches of two bots, or of several without other bots."""
    pairs = filter(None, [data.matches.pair(one, other) for one, other in combinations(names, 2)])
    met = {match.facts.id: match for pair in pairs for match in pair.listed()}.values()
    return [match for match in met if len(names) == 2 or set(names).issuperset(match.facts.seats)]


def _markup(text: str) -> Markup:
    return Markup(text)  # noqa: S704 - the template escapes all other text


def _texts(data: RunData) -> dict[str, Any]:
    known = standings_columns(data.ranking)
    columns = sections.standings(known)
    return {
        "name": data.tournament.name,
        "run": data.command_path,
        "headline": sections.headline(data),
        "verdict": sections.verdict(data),
        "finished": data.finished,
        "extended": bool(data.tournament.salts),
        "played": bool(data.totals.matches),
        "matches_played": data.totals.matches,
        "columns": columns,
        "headings": [column.heading for column in columns],
        "rows": len(data.rows),
        "first": len(data.first),
        "sure": sections.sure_order(data),
        "moves": sections.moves(data),
        "bands": sections.bands(data),
        "legend": [*sections.played_again(data), *map(sections.as_headed, standings_legend(data.ranking, ()))],
        "order": [row.bot for row in data.rows],
        "seats": seats_sheet(data.seats).columns[:-1],
        "deals_note": sections.deals_note(data),
        "rounds": sections.rounds(data),
        "swiss": any([row.round_score is not None for row in data.rows]),
        "faults": sections.faults_text(data),
        "bot_rows": sections.bot_rows(data),
        "notable": sections.notable(data),
        "analyses": data.analyses,
        "calibrations": data.calibrations,
        "spent": sections.spent(data),
        "remarks": data.remarks,
        "league": data.totals.schedule.goes_on,
        "field": league.field(data) if data.totals.schedule.goes_on else {},
        "newest": data.matches.newest() if data.events else [],
        "bots": league.bots(data) if data.events else [],
        "gate": None if data.gate is None else sections.gate(data.gate.comparison),
        "commits": sections.commits(data),
        "sweeps": data.totals.sweeps(),
        "effects": EFFECTS,
    }


def _page_data(
    data: RunData,
    drawn: Sequence[Picture],
    embedded: Embedded,
    refresh: float | None,
) -> dict[str, Any]:
    matches: dict[str, list[Any]] = {}
    pairs, names = dict[str, list[str]](), data.tournament.names
    for group in sorted({tuple(sorted([data.numbers[name] for name in bots])) for bots in data.listed}):
        met = _met(data, [names[number] for number in group])
        matches |= {match.facts.id: _match_row(match, data.numbers) for match in met}
        pairs["-".join(map(str, group))] = [match.facts.id for match in met]
    places = {name: number for number, name in enumerate(matches)}
    return {
        "run": data.command_path,
        "names": names,
        "matches": list(matches.values()),
        "pairs": {pair: [places[name] for name in its] for pair, its in pairs.items()},
        "embedded": list(embedded.names),
        "ending": embedded.ending,
        "pictures": {
            each.name: {
                "spec": each.specification(),
                "parts": each.parts if each.parts[0][0] else [],
            }
            for each in drawn
            if each.name != "who-beats-whom"
        },
        "dots": rating_dots(data.rows),
        "axis": AXIS_PX + PADDING["top"],
        "refresh": refresh,
    }


def _match_row(match: ListedMatch, numbers: Mapping[str, int]) -> list[Any]:
    facts = match.facts
    seats = [numbers[name] for name in facts.seats]
    faults = len([fault for fault in facts.result.faults if fault.kind != "out"])
    return [facts.id, facts.round, seats, facts.result.scores, facts.result.places, facts.decisions, faults]


def _json(value: Any) -> str:
    """JSON for a script element of a page."""
    return orjson.dumps(value, default=list).decode().replace("<", "\\u003c")


@cache
def _template(name: str) -> Any:
    environment = Environment(
        loader=PackageLoader("tourney.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(name)


@cache
def _vega() -> str:
    return _file("vega.js")


def _file(name: str) -> str:
    text = (files("tourney.report") / "templates" / name).read_text(encoding="utf-8")
    return _script_text(text) if name.endswith(".js") else text


def _script_text(text: str) -> str:
    """Escapes a script for embedding in a page."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def embed(data: RunData, most: int | None = None) -> Embedded:
    """The report's matches: up to `most`, or by default some of each game within the size limits."""
    blocks: dict[str, str] = {}
    games: dict[str, Game] = {}
    groups, room, decisions = [_candidates(data)], 1e18, 1e18
    if most is None:
        by_game = {game: [match for match in groups[0] if match.game == game] for game in data.tournament.games}
        # each has its share, smallest first, and leaves the rest to the others
        groups = sorted(by_game.values(), key=lambda group: sum([match.facts.decisions for match in group]))
        room, decisions = ROOM, MOST_DECISIONS
    with RecordReader(data) as records:
        for i, group in enumerate(groups):
            own_room, own_decisions = room / (len(groups) - i), decisions / (len(groups) - i)
            room, decisions = room - own_room, decisions - own_decisions
            for match in group:
                if len(blocks) == most or match.facts.decisions > own_decisions or own_room <= 0:
                    continue
                own_decisions -= match.facts.decisions
                if (found := _match_data(data, match, games, records)) is None:
                    continue
                block = match_block(match.facts.id, found[0])
                own_room -= len(block)
                if own_room > 0:
                    blocks[match.facts.id] = block
            room, decisions = room + own_room, decisions + own_decisions
    viewer = viewer_parts(games.values()) if blocks else ViewerParts()
    return Embedded(list(blocks), "\n".join(blocks.values()), viewer)


def linked(data: RunData) -> Embedded:
    """The matches named in the report, for a server with match pages."""
    return Embedded([match.facts.id for match in _candidates(data)], served=True)


def _match_data(
    data: RunData, match: ListedMatch, games: dict[str, Game], records: RecordReader, alone: bool = False
) -> tuple[bytes, Sequence[Record]] | None:
    """The viewer's data of a match, and its twins; None if it does not replay, or its game is not installed.

    A match with its own page is for spectators, without commands.
    """
    run, name = data.run_of[match.game], match.facts.id
    debug = "" if alone else shlex.join(["tourney", "debug", data.told.path(run.path), name])
    try:
        game = games[match.game] = games.get(match.game) or load_game(match.game)
        record, twins = records.read(match)
        analysis = data.match_analyses.get(name)
        with in_time(record, data.tournament.replay_s):
            shown = match_data(
                record,
                game,
                analysis=analysis,
                what_if=embedded(record, game, analysis, run.path) if data.with_branches and analysis else None,
                debug=debug,
                bots=data.tournament.python_bots,
                notes=data.told.notes(of_match(run.path, name)),
                twins=twins,
            )
        return shown, twins
    except TourneyError:
        return None


def _candidates(data: RunData) -> list[ListedMatch]:
    return list({match.facts.id: match for match in _named(data)}.values())


def _named(data: RunData) -> Iterator[ListedMatch]:
    yield from data.costliest
    jumps = [] if data.track is None else data.track.jumps
    yield from [data.matches.by_name[name] for jump in jumps for deal in jump.deals for name in matches_of(deal)]
    yield from [each.match for each in data.matches.newest()] if data.events else ()
    by_reason: dict[str, list[ListedMatch]] = {}
    for notable in data.notable:
        by_reason.setdefault(notable.reason, []).extend(filter(None, (notable.match, notable.twin)))
    for some in zip_longest(*by_reason.values()):  # one for each reason, then the next ones
        yield from filter(None, some)
    for kinds in data.matches.faults.values():
        yield from [each.first for each in kinds.values()]
    listed = {frozenset(pair) for group in data.listed for pair in combinations(group, 2)}
    pairs = [
        data.matches.pair(one, other) for one, other in data.ranking.pairs if one < other and {one, other} in listed
    ]
    for some in zip_longest(*[met.listed() for met in pairs if met is not None]):
        yield from filter(None, some)
