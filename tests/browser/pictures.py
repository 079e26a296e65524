"""Renews the pictures of the documentation: `python -m tests.browser.pictures`, or `make pictures`.

The charts are those of `tourney report --format png`; what else is shown is photographed in a browser.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import PHONE, find_chromium, launch, watched_page
from tests.conftest import ROOT, TOURNEY

FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 120_000
WINDOW = (1040, 660)  # smaller than a desktop, as pages show pictures smaller than they are
CHARTS = ("ratings", "who-beats-whom")  # the charts of the report that the documentation shows
DRAWN = ":root[data-drawn=all]"
MATCHES = {"vole": (1, 30), "voleur": (0, 40), "leon": (0, 40), "bang": (0, 60), "cold-blooded": (0, 40)}
"""The tables that are photographed: for each game the match of its tournament in `configs/`, and the decision."""
TOLD = "vole-00056-0"  # the match of `configs/quick.toml` that a page of the documentation is about
VIEWER = "vole"  # the game whose match is shown with all that stands around the table


def tourney(*arguments):
    subprocess.run([TOURNEY, *map(str, arguments)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def main():
    """Writes all pictures; exits with an error if there is no browser or a picture is too large."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, program = Path(name), find_chromium(playwright)
        if program is None:
            raise SystemExit("the pictures need a browser: apt-get install chromium")
        browser = launch(playwright, program)

        def photograph(file, name, ready, fragment="", part="", **window):
            with watched_page(browser, file, **window) as watched:
                page = watched.open(fragment)
                page.wait_for_selector(ready, state="attached")
                (page.locator(part) if part else page).screenshot(path=FOLDER / f"{name}.png")

        run = folder / "quick"
        tourney("run", "configs/quick.toml", "--out", run, "--quiet")
        tourney("report", run, "--format", "png", "--out", folder / "charts")
        for chart in CHARTS:
            shutil.copy(folder / "charts" / f"{chart}.png", FOLDER)
        tourney("report", run, "--out", folder / "report.html")
        photograph(folder / "report.html", "report", DRAWN, size=WINDOW)
        photograph(folder / "report.html", "report-on-a-phone", DRAWN, size=PHONE, scheme="dark")
        ways = folder / "ways.html"
        tourney("replay", run, TOLD, "--html", ways, "--beliefs")
        photograph(ways, "twins", ".paired", f"match={TOLD}&twins={TOLD[:-1]}1", ".tables")
        photograph(ways, "beliefs", ".odds", f"match={TOLD}&decision=22&seat=1&beliefs", ".beliefs")
        for game, (deal, decision) in MATCHES.items():
            run, page, match = folder / game, folder / f"{game}.html", f"{game}-{deal:05}-0"
            tourney("run", f"configs/{game}.toml", "--out", run, "--quiet")
            tourney("replay", run, match, "--html", page)
            fragment = f"match={match}&decision={decision}"
            photograph(page, f"table-{game}", ".seat.moves", fragment, ".felt")
            if game == VIEWER:
                photograph(page, "viewer", ".seat.moves", fragment, size=WINDOW)
        browser.close()
    for picture in FOLDER.iterdir():
        if picture.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{picture} has {picture.stat().st_size} bytes, more than {MOST_BYTES}")


if __name__ == "__main__":
    main()
