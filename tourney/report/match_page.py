"""The match viewer as its own page, and as parts for other pages."""

import gzip
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import NamedTuple

import orjson

from tourney.base.errors import PluginError, TourneyError
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.report.match_data import match_data
from tourney.report.twins import in_page
from tourney.review.analysis.file import MatchAnalysis
from tourney.table.replay import in_time

INDEX = "index.html"
"""The report's file in a folder."""
SHARED_SCRIPT, SHARED_STYLE = "viewer.js", "viewer.css"
_VIEWER = files("tourney") / "report" / "viewer"
_MODULES = (
    "data.js", "elements.js", "table.js", "layouts.js", "highlights.js", "panels.js", "what_if.js", "twins.js",
    "beliefs.js",
)  # fmt: skip
"""The scripts, each after its imports."""
_IMPORT = re.compile(r"(?m)^import\b[^;]*;\n")
_EXPORT = re.compile(r"(?m)^export ")
_REMARK = re.compile(r"^ *//.*\n|^ +", re.MULTILINE)


class ViewerParts(NamedTuple):
    """The parts that a page embeds to show its matches; all empty without matches."""

    element: str = ""
    """The viewer's element, hidden until a match is opened."""
    script: str = ""
    """The text of a `<script type="module">` after the element and the blocks.

    Its `tourneyViewer.open(match, decision, seat)` shows a match of the page, as does `#match=NAME&decision=N&seat=S`.
    """
    style: str = ""
    """The text of a `<style>` for this element, following `data-theme` of the root element."""


def match_page(
    data: bytes, name: str, game: Game, picture: str = "", home: str = "", twins: Iterable[str] = (), *,
    shared: str = "", served: bool = False,
) -> str:  # fmt: skip
    """A page with one match, which also opens from disk unless it is `served`.

    `picture` is the address of its preview picture, `home` the address of the report, `twins` are the elements of its
    twins' data. The page contains the viewer, unless the folder at `shared` has the files of `shared_viewer`.
    """
    facts = orjson.loads(data)
    about = f"{name}: {counted(facts['decisions'], 'decision')}, watched one by one."
    parts = viewer_parts([game])
    policy = content_policy([parts.script], [parts.style], served=served, shared=bool(shared))
    link = f'<nav aria-label="pages"><a href="{escape(home)}">← the report</a></nav>' if home else ""
    top = head(f"{facts['result']} at {facts['title']}", about, picture)
    return page(parts, policy, top, link, "\n".join([match_block(name, data), *twins]), shared)


def page(parts: ViewerParts, policy: str, head: str, home: str = "", match: str = "", shared: str = "") -> str:
    """A page with only the viewer, `shared` or not."""
    element, script, style = parts
    style, script = f"<style>{style}</style>", f'<script type="module">{script}</script>'
    if shared:  # modules cannot be loaded from disk
        style = f'<link rel="stylesheet" href="{escape(shared)}{SHARED_STYLE}">'
        script = f'<script src="{escape(shared)}{SHARED_SCRIPT}"></script>'
    element = element.replace("h2", "h1")  # the title of this page
    return Template(_read("page.html")).substitute(
        policy=policy, head=head, home=home, style=style, script=script, viewer=element, match=match
    )


def head(title: str, description: str, picture: str = "") -> str:
    """A page's title and link preview."""
    shown = {"og:type": "website", "og:title": title, "og:description": description, "og:image": picture}
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in shown.items() if text]
    card = ['<meta name="twitter:card" content="summary_large_image">'] if picture else []
    about = f'<meta name="description" content="{escape(description)}">'
    return "\n".join([f"<title>{escape(title)}</title>", about, *tags, *card])


def viewer_parts(games: Iterable[Game], *, seat: bool = False) -> ViewerParts:
    """The viewer's script and style, with some games' layouts; `seat` adds the parts for playing a seat."""
    modules = map(_read, _MODULES)
    # a separate block for each layout, so that names do not clash
    layouts = ["{\n" + _joinable(text) + "}\n" for text in map(layout, games) if text]
    last = map(_read, ("viewer.js", "../templates/news.js", "seat.js") if seat else ("viewer.js",))
    script = "".join([*map(_joinable, modules), *layouts, *map(_joinable, last)])
    # nothing in the script may look like the end of its element
    element = f'<section id="match-viewer" class="match-viewer" tabindex="-1" hidden>\n{_read("viewer.html")}</section>'
    style = _read("viewer.css") + (_read("seat.css") if seat else "")
    return ViewerParts(element, script.replace("</", "<\\/"), style)


def shared_viewer(games: Iterable[Game]) -> dict[str, str]:
    """The viewer's files for the pages of a folder, by their names."""
    _, script, style = viewer_parts(games)
    return {SHARED_SCRIPT: f'"use strict";\n{{\n{script}}}\n', SHARED_STYLE: style}


def match_block(name: str, data: bytes) -> str:
    """A page's element with a match's data."""
    packed = b64encode(gzip.compress(data, mtime=0)).decode()
    return f'<script type="text/plain" class="match-data" data-match="{escape(name)}">{packed}</script>'


def twin_blocks(
    twins: Sequence[Record], game: Game, limit_s: float, analyses: Mapping[str, MatchAnalysis] = MappingProxyType({}),
    made: dict[str, str] | None = None,
) -> Iterator[str]:  # fmt: skip
    """Yields the elements of the twins that a page has room for and that replay, each within `limit_s`.

    `made` holds the elements that other pages have made, by match.
    """
    made = {} if made is None else made
    for twin in in_page(twins):
        if twin.match not in made:
            with suppress(TourneyError), in_time(twin, limit_s):
                made[twin.match] = match_block(twin.match, match_data(twin, game, analysis=analyses.get(twin.match)))
        if twin.match in made:
            yield made[twin.match]


def content_policy(scripts: Iterable[str], styles: Iterable[str], *, served: bool = False, shared: bool = False) -> str:
    """A content security policy that only allows these inline scripts and styles, and images in the page.

    If they are `shared`, it allows files next to the page instead. A page that is `served` may also contact its server,
    and has forms.
    """
    own = "form-action 'self'; connect-src 'self'" if served else "form-action 'none'"
    script, style = ["'self' file:" if shared else _hashes(texts) for texts in (scripts, styles)]
    return f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; {own}"


def layout(game: Game) -> str | None:
    """The JavaScript layout of a game's table; None for the generic one."""
    declared = next(each for each in type(game).__mro__ if "layout" in vars(each))
    module = sys.modules[type(game).__module__]
    if game.layout is None:
        ours = f"layouts/{game.name}.js"
        is_ours = module.__name__.startswith("tourney.games.") and (_VIEWER / ours).is_file()
        return _read(ours) if is_ours else None
    path = Path(sys.modules[declared.__module__].__file__ or "").parent / game.layout
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        remedy = "install the game again, or ask its author for the file"
        raise PluginError(f'game "{game.name}": cannot read its layout {path}; {remedy}') from None


def _read(name: str) -> str:
    return (_VIEWER / name).read_text(encoding="utf-8")


def _joinable(module: str) -> str:
    """A module as part of one script, without its imports, exports and comments."""
    return _REMARK.sub("", _EXPORT.sub("", _IMPORT.sub("", module)))


def _hashes(texts: Iterable[str]) -> str:
    return " ".join([f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts])
