"""Runs from `tourney serve` in a browser: a report that counts up in place, and lists that keep nobody out."""

from playwright.sync_api import expect

from tests.browser.chromium import VIOLATIONS, hindrances, sticks_out
from tests.cli.runs import WAIT_S, Held
from tests.web.test_serve import served

LOOK = """() => ({
  loaded: performance.timeOrigin, focused: document.activeElement.textContent,
  top: Math.round(document.getElementById("seats").getBoundingClientRect().top),
  opened: document.querySelector("#seats details").open, theme: document.documentElement.dataset.theme,
  bots: [...document.querySelectorAll("#standings tbody th")].map((cell) => cell.textContent),
})"""
COUNT = """() => new MutationObserver(() => (window.counted ??= []).push(window.played?.textContent))
    .observe(document.body, { childList: true, subtree: true, characterData: true })"""


def test_a_report_counts_up_in_place_and_nobody_is_kept_out(browser, tmp_path, write):
    run = Held(tmp_path, write("small", bots=f'["steady", "random", "{Held.BOT}"]').name, "--out", "runs/small")
    problems = []
    with served(tmp_path, "runs") as client:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        page.set_default_timeout(1000 * WAIT_S)
        page.add_init_script(VIOLATIONS)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(str(client.base_url))
        page.get_by_role("link", name="small").click()
        page.wait_for_selector("html[data-drawn=all]")
        for button in ("#standings thead button:text('bot')", "#theme", "#seats summary"):
            page.locator(button).click()
        page.evaluate("document.getElementById('seats').scrollIntoView({ behavior: 'instant' })")
        before, _ = page.evaluate(LOOK), page.evaluate(COUNT)
        assert run.finish().returncode == 0
        expect(page.locator(".headline")).to_contain_text("24 matches on 4 deals")
        assert "24 of 24 matches" in page.evaluate("window.counted")
        assert page.evaluate(LOOK) == before
        assert (before["bots"], before["theme"], before["opened"]) == (sorted(before["bots"]), "light", True)
        page.set_viewport_size({"width": 390, "height": 844})
        for path in ("/", "/runs/small/matches/", "/runs/small/"):
            page.goto(f"{client.base_url}{path}")
            assert (hindrances(page), sticks_out(page)) == ([], 0)
        page.goto(f"{client.base_url}/runs/small/matches/vole-00000-0?decision=3&seat=1")
        expect(page.locator("[data-part=where]")).to_contain_text("decision 3 of")
        expect(page.locator("[data-part=watchers] [aria-pressed=true]")).to_have_text("random")
        page.close()
    assert problems == []


def test_any_number_of_tabs_is_served_and_they_go_on_when_the_server_is_back(browser, tmp_path, write):
    assert Held(tmp_path, write("small", bots=f'["steady", "{Held.BOT}"]').name, "--out", "runs/small").finish()
    context = browser.new_context()
    with served(tmp_path, "runs") as client:
        address = str(client.base_url)
        pages = [context.new_page() for _ in range(12)]
        for page in pages:
            page.goto(f"{address}/runs/small/", timeout=1000 * WAIT_S)
            page.wait_for_selector("html[data-drawn=all]")
    away = pages[0].locator("#away")
    expect(away).to_contain_text("The server is away", timeout=1000 * WAIT_S)
    port = address.rpartition(":")[2]
    with served(tmp_path, "runs", "--address", port):
        expect(away).to_have_count(0, timeout=1000 * WAIT_S)
    context.close()
