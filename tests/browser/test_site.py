"""The documentation builds as a site without a warning, and is searched from disk."""

import os
import subprocess
import sys

from tests.conftest import ROOT


def test_the_site_builds_without_a_warning_and_is_searched_from_disk_without_network(tmp_path, browser):
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", ROOT / ".mkdocs.yml", "--site-dir", tmp_path]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # which tells of another program
    built = subprocess.run(command, cwd=ROOT, env=quiet, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = {path.name for path in tmp_path.rglob("*.html")}
    assert {"index.html", "tutorial.html", "api.html", "commands.html"} <= pages
    page, asked = browser.new_page(), []
    page.on("request", lambda each: asked.append(each.url))
    page.goto((tmp_path / "words.html").as_uri())  # an old name
    page.wait_for_url("**/glossary.html")
    page.locator(".md-search__input").fill("gauntlet")
    page.locator(".md-search-result__link").first.wait_for()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
