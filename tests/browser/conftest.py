"""Fixtures of the tests in a browser."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import PROGRAMS, WatchedPage, find_chromium, launch, watched_page

WAIT_MS = 120_000
"""How long something may take on a machine that is very busy."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser, started once; skips the test where there is none, and fails where .ci/run should have installed it."""
    with sync_playwright() as playwright:
        program = find_chromium(playwright)
        if program is None:
            reason = f"no browser: none of {', '.join(PROGRAMS)} is on the path, and Playwright has none"
            if os.environ.get("CI") == "true" and shutil.which("apt-get"):
                pytest.fail(reason)
            pytest.skip(reason)
        browser = launch(playwright, program)
        expect.set_options(timeout=WAIT_MS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens files in the browser, and fails the test if there was an error, a request or a violation of the policy."""
    watched: list[WatchedPage] = []
    with ExitStack() as windows:

        def open_page(file: Path, fragment: str = "", **window: Any) -> Page:
            watched.append(windows.enter_context(watched_page(browser, file, **window)))
            watched[-1].page.set_default_timeout(WAIT_MS)
            return watched[-1].open(fragment)

        yield open_page
        for one in watched:
            one.page.evaluate("1")  # what the page has reported until now has arrived after a question more
    assert [problem for one in watched for problem in one.problems] == []
