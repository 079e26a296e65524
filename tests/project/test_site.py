"""The documentation builds as a site without a warning, and every link of it leads somewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import ROOT


class Page(HTMLParser):
    """The links of a page, and the names that links can lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.names |= {found[key] for key in ("id", "name") if found.get(key)}
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_its_links_lead_somewhere(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", ROOT / ".mkdocs.yml", "--site-dir", tmp_path]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # which tells of another program
    built = subprocess.run(command, cwd=ROOT, env=quiet, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = {path: Page(path) for path in tmp_path.rglob("*.html") if path.name != "404.html"}
    assert {"index.html", "tutorial.html", "api.html", "commands.html"} <= {path.name for path in pages}
    dead = [(str(path.relative_to(tmp_path)), link) for path in pages for link in dead_links(path, pages)]
    assert dead == []


def dead_links(page: Path, pages: dict[Path, Page]) -> list[str]:
    """Returns the links of a page to places of the site that are not there."""
    dead = []
    for link in pages[page].links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if target.is_dir():
            target /= "index.html"
        names = pages[target].names if target in pages else None
        if not target.exists() or (parts.fragment and names is not None and unquote(parts.fragment) not in names):
            dead.append(link)
    return dead
