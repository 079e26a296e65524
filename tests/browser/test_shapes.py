"""Reports of many bots, many seats, five games and odd names, and the matches in them, fit every window."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, hindrances, sticks_out
from tests.browser.runs import ARABIC, GAMES, HEBREW, TOURNAMENTS

DRAWN = ":root[data-drawn=all]"


@pytest.fixture
def open_report(open_page, report_of):
    """Opens the report of a kind of tournament, and waits until its pictures are drawn."""

    def open_report(kind, fragment="", **window):
        page = open_page(report_of(kind), fragment, **window)
        page.wait_for_selector(DRAWN, state="attached")
        return page

    return open_report


def open_match(page, link):
    """Opens the match that a link leads to, and returns the viewer."""
    page.evaluate("(link) => { location.hash = link; }", link.get_attribute("href"))
    viewer = page.locator("#match-viewer")
    expect(viewer.locator(".where")).to_contain_text("decision")
    return viewer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "size", "scheme"),
    [("thirty bots", DESKTOP, "light"), *[(kind, PHONE, "dark") for kind in TOURNAMENTS]],
)
def test_a_report_and_a_match_in_it_fit_the_window_and_keep_nobody_out(open_report, kind, size, scheme):
    page = open_report(kind, size=size, scheme=scheme)
    assert sticks_out(page) == 0
    assert hindrances(page) == []
    viewer = open_match(page, page.locator("a.match").first)
    assert sticks_out(page) == 0
    for key in ("ArrowRight", "End"):
        viewer.press(key)
        assert sticks_out(page) == 0
    assert hindrances(page, "#match-viewer") == []


@pytest.mark.slow
def test_every_game_opens_in_the_viewer_of_one_report(open_report):
    page = open_report("five games")
    links = page.locator("a.match")
    matches = {link.get_attribute("data-match").rpartition("-")[0].rpartition("-")[0]: link for link in links.all()}
    assert sorted(matches) == sorted(game for game, _ in GAMES)
    for game, seats in GAMES:
        viewer = open_match(page, matches[game])
        expect(viewer.locator("h2")).to_contain_text(game)
        expect(viewer.locator(".seat")).to_have_count(seats)


@pytest.mark.slow
def test_a_match_of_ten_seats_is_watched_through_the_ninth(open_report):
    page = open_report("ten seats")
    viewer = open_match(page, page.locator("a.match").first)
    expect(viewer.locator(".seat")).to_have_count(10)
    page.keyboard.press("9")
    ninth = viewer.locator(".watchers button").nth(9)
    expect(ninth).to_have_attribute("aria-pressed", "true")
    expect(viewer.locator(".seat.bottom .name")).to_have_text(ninth.inner_text())
    page.wait_for_url("**seat=8**")
    link = page.url.partition("#")[2]
    again = open_report("ten seats", link)
    expect(again.locator("#match-viewer .watchers button").nth(9)).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_names_keep_their_direction_and_lead_to_the_fault_of_their_bot(open_report):
    page = open_report("names from right to left")
    expect(page.locator("#standings bdi", has_text=ARABIC)).to_have_count(1)
    viewer = open_match(page, page.locator("#faults a.match").first)
    expect(viewer.locator(".where")).to_contain_text("decision 2 of")
    expect(viewer.locator(".seat .name", has_text=HEBREW)).to_have_attribute("dir", "auto")


PRINTED = """() => {
    const box = (element) => element.getBoundingClientRect();
    const look = () => ({
        paper: box(document.body).width,
        names: [...document.querySelectorAll("#picture-ratings text")]
            .filter((text) => text.getAttribute("opacity") !== "0").map((text) => text.textContent),
        wide: [...document.querySelectorAll("[id^=picture-], [id^=parts-] > div")]
            .filter((place) => box(place.querySelector("svg")).width > box(place).width + 1).map((place) => place.id),
    });
    window.before = look();
    addEventListener("beforeprint", () => { window.printed = look(); });
}"""
A4_CM = 21


@pytest.mark.slow
def test_the_pictures_of_a_printed_report_fit_the_paper_and_name_their_bots(open_report):
    page = open_report("five games", scheme="dark")
    page.evaluate(PRINTED)
    page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "1cm"))
    before, printed = page.evaluate("[window.before, window.printed]")
    assert printed["paper"] <= (A4_CM - 2) / 2.54 * 96
    assert printed["wide"] == []
    assert {"b", "c"} <= set(printed["names"]) - set(before["names"])
    assert page.evaluate(f"({PRINTED})(); window.before") == before
