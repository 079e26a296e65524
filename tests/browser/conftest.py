"""Fixtures of the tests in a browser."""

import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.chromium import WatchedPage, find_chromium, launch, watched_page
from tourney.plugins.registry import load_game
from tourney.report.match_data import match_data
from tourney.report.match_page import match_page

WAIT_MS = 120_000  # how long something may take on a machine that is very busy


@pytest.fixture(scope="session")
def browser():
    """A browser, started once."""
    with sync_playwright() as playwright:
        browser = launch(playwright, find_chromium(playwright))
        expect.set_options(timeout=WAIT_MS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Opens files in the browser, and fails the test if there was an error, a request or a violation of the policy."""
    watched: list[WatchedPage] = []
    with ExitStack() as windows:

        def open_page(file, fragment="", **window):
            watched.append(windows.enter_context(watched_page(browser, file, **window)))
            watched[-1].page.set_default_timeout(WAIT_MS)
            return watched[-1].open(fragment)

        yield open_page
        for one in watched:
            one.page.evaluate("1")  # what the page has reported until now has arrived after a question more
    assert [problem for one in watched for problem in one.problems] == []


@pytest.fixture
def open_match(open_page, tmp_path):
    """Opens the page of a match as soon as it shows a decision; at one, if that is given, as a seat or as everyone."""

    def open_match(record, at="", game=None, views="all", data=None, **window):
        game = game or load_game(record.game)
        file = tmp_path / "match.html"
        text = match_page(match_data(record, game, views, **(data or {})), record.match, game)
        file.write_text(text, encoding="utf-8")
        page = open_page(file, f"match={record.match}&decision={at}" if at else "", **window)
        shown = re.compile(f"^decision {at.partition('&')[0] or '[0-9]+'} of")
        expect(page.locator("[data-part=where]")).to_have_text(shown)
        return page

    return open_match
