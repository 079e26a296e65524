"""`tourney docs`: shows the documentation's pages and example files, which are part of the package.

A wheel has them in the package itself. In a checkout they are in their own folders.
"""

import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import click

from tourney.base.errors import ConfigError, did_you_mean
from tourney.base.sheet import columns_of, columns_text
from tourney.cli.options import completer
from tourney.cli.screen import echo, echo_text, echo_wrapped, say, show_markdown, width
from tourney.contracts.game import Game
from tourney.plugins.rules_pages import rules_address, rules_text

EXAMPLES = ("configs", "bots/wire")
EXAMPLE = ".example"
"""The suffix that a wheel appends to Python files among them, to keep them apart from the package's modules."""
MOVED = {
    old: page
    for page, names in {
        "contributing": "CONTRIBUTING architecture",
        "data-formats": "export log-format",
        "debug-a-bot": "analysis debugging",
        "glossary": "words",
        "guarantees-and-security": "SECURITY promises",
        "hosts-and-limits": "clocks hosts platforms sandbox",
        "included": "open-spiel seer",
        "index": "README",
        "llm-bots": "llm",
        "measure-strength": "compare track",
        "performance": "comparison compiled",
        "run-a-competition": "competition",
        "run-a-league": "league",
        "statistics": "ratings",
        "statistics#the-gate": "gate",
        "tournament-files": "configuration",
        "train-a-bot": "learning",
        "watch-and-play": "playing report serve viewer",
        "write-a-bot": "notes writing-a-bot",
        "write-a-game": "writing-a-game",
    }.items()
    for old in names.split()
}
"""The pages, or their headings, that contain the pages of earlier versions, by their old names."""


@click.command("docs")
@click.argument("page", required=False, shell_complete=completer(__name__, "page_names"))
def command(page: str | None) -> None:
    """Read a page of the documentation, or list all pages.

    On a terminal, PAGE, such as standings or rules/vole, is formatted for reading; otherwise you get its Markdown.

    PAGE can also be an example file, printed unchanged: tourney docs configs/quick.toml > quick.toml
    """
    suffixes = (".toml", ".py", ".js", ".ipynb")
    if page in (examples := {name: file for name, file in _installed().items() if name.endswith(suffixes)}):
        echo_text(examples[page].read_text(encoding="utf-8").removesuffix("\n"))
        return
    if page is not None:
        show_markdown(read_page(page).text)
        return
    rows = [[each.name, each.title] for each in all_pages()]
    echo_text(columns_text(columns_of(("page", "title"), rows, words=(0, 1)), "table", width()))
    say("", "To read a page: tourney docs PAGE")
    echo_wrapped(f"Example files, to save by tourney docs FILE > FILE: {', '.join(sorted(examples))}", err=True)


class Page(NamedTuple):
    """A page of the documentation."""

    name: str  # its path in docs/ without the suffix: `ci`, `rules/vole`
    title: str
    text: str


def page_names() -> list[str]:
    """The names of all pages, sorted; pages in folders come last."""
    return sorted(_files(), key=lambda name: (name.count("/"), name.lower()))


def all_pages() -> list[Page]:
    """All pages in the order of `page_names`."""
    pages = _files()
    return [_page(name, pages[name]) for name in page_names()]


def read_page(name: str) -> Page:
    """A page by its name, an old name or its last part, from a heading on as in `rules/vole.md#play`."""
    name, _, anchor = name.lower().partition("#")
    wanted = name.removesuffix(".md").removeprefix("./").removeprefix("docs/")
    wanted, _, section = {old.lower(): page for old, page in MOVED.items()}.get(wanted, wanted).partition("#")
    for known, file in _files().items():
        if wanted in (known.lower(), known.lower().rpartition("/")[2]):
            page = _page(known, file)
            headings = re.finditer(r"(?m)^##+ (.*)$", page.text)
            starts = {re.sub(r"[^\w -]", "", each[1].lower()).replace(" ", "-"): each.start() for each in headings}
            return page._replace(text=page.text[starts.get(anchor or section, 0) :])
    raise ConfigError(f'no page "{name}"; {did_you_mean(wanted, page_names())}')


def show_rules(game: Game) -> None:
    """Shows a game's rules, or their address."""
    if rules_address(game):
        echo(rules_text(game))
    else:
        show_markdown(rules_text(game))


def _files() -> dict[str, Path]:
    pages = re.compile(r"(?:rules/)?[^/]+\.md")
    return {name.removesuffix(".md"): file for name, file in _installed().items() if pages.fullmatch(name)}


def _installed() -> dict[str, Path]:
    package = Path(str(files("tourney")))
    folders = {package / "docs": ""}
    if not (package / "docs").is_dir():
        folders = {package.parent / "docs": ""} | {package.parent / folder: f"{folder}/" for folder in EXAMPLES}
    return {
        before + file.relative_to(folder).as_posix().removesuffix(EXAMPLE): file
        for folder, before in folders.items()
        for file in folder.rglob("*")
        if file.is_file()
    }


def _page(name: str, file: Path) -> Page:
    text = file.read_text(encoding="utf-8")
    title = re.search(r"(?m)^# (.*)$", text)
    return Page(name, title[1] if title else name, text)
