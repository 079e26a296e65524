"""Pages in a real browser: opened from disk, watched for errors and requests, and searched by axe-core."""

import os
import shutil
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
OPTIONS = ["--no-sandbox", "--disable-gpu", *QUIET]  # root may not use the sandbox, and the pages are our own
DESKTOP = (1280, 800)
PHONE = (390, 844)
VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`against the policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


def find_chromium(playwright):
    """Returns the path of the system's Chromium, or of the one that Playwright has installed; None if there is none."""
    own = playwright.chromium.executable_path
    return next(filter(None, map(shutil.which, PROGRAMS)), own if os.path.exists(own) else None)


def launch(playwright, program):
    return playwright.chromium.launch(executable_path=program, args=OPTIONS)


class WatchedPage:
    """A file, or a page at a link, in a browser, and all that went wrong there, in order: its `problems`."""

    def __init__(self, context, file):
        self.problems: list[str] = []
        self._file = file if isinstance(file, str) else file.resolve().as_uri()
        context.add_init_script(VIOLATIONS)
        context.on("request", lambda request: request.is_navigation_request() or self._look_at(request))
        self.page: Page = context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        self.page.on("websocket", lambda socket: self.problems.append(f"request: {socket.url}"))
        self.page.on("console", self._read)

    def _read(self, message):
        if message.type in ("error", "warning") and "ERR_INTERNET_DISCONNECTED" not in message.text:
            self.problems.append(f"{message.type}: {message.text}")

    def _look_at(self, request):
        shared = request.url.startswith("file:") and request.url.endswith(("/viewer.js", "/viewer.css"))  # of a folder
        if not shared and not request.url.startswith((self._file, "data:", "blob:")):
            self.problems.append(f"request: {request.url}")

    def open(self, fragment=""):
        """Opens the file, at a fragment if one is given, and returns the page once it is loaded."""
        self.page.goto(f"{self._file}#{fragment}" if fragment else self._file)
        return self.page


@contextmanager
def watched_page(browser, file, size=DESKTOP, *, scheme="light"):
    """Gives a file to look at in a window of its own; a narrow one is a phone, with touch and without a mouse."""
    phone = size[0] < 600
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce",  # nothing flies while a test looks, or a picture is taken
        is_mobile=phone,
        has_touch=phone,
        permissions=["clipboard-read", "clipboard-write"],
    )
    try:
        yield WatchedPage(context, file)
    finally:
        context.close()


def hindrances(page, part="html"):
    """Returns what axe-core finds on a part of the page that keeps people out of it, of any weight."""
    found = Axe().run(page, part).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['html']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def sticks_out(page):
    """Returns by how many pixels the page is wider than the window: it scrolls sideways by that much."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.visualViewport.width"))
