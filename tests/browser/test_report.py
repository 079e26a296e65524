"""The report in a browser: sorted, followed from a cell to a match, on a phone, in the dark, with hostile names."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE, hindrances, sticks_out
from tests.conftest import called
from tests.report.runs import ARABIC, begun, play

DRAWN = "html[data-drawn=all]"
DOTS = "#picture-ratings .mark-symbol path"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two reports: of three bots, and of bots with odd names and faults."""
    made = play(tmp_path_factory.mktemp("runs"), "small", "faulty")
    for name in ("small", "faulty"):
        assert called(["report", name, "--matches", "6"], made).returncode == 0
    return made


def page_of(folder, name):
    return folder / name / "report.html"


def names(page):
    return page.locator("#standings tbody th").all_inner_texts()


def heights(page, what):
    """How far down the middle of each of these elements is."""
    return page.locator(what).evaluate_all(
        "all => all.map(each => each.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)"
    )


def is_aligned(page):
    """Whether there is a dot of the picture beside each row of the table."""
    dots, rows = sorted(heights(page, DOTS)), heights(page, "#standings tbody tr")
    return dots == pytest.approx(rows, abs=4)


def colors(page):
    body = "getComputedStyle(document.body).backgroundColor"
    return page.evaluate(f"[{body}, document.querySelector('{DOTS}').getAttribute('fill')]")


@pytest.mark.slow
def test_clicks_sort_the_table_with_the_picture_and_switch_the_theme_of_both(open_page, folder):
    page = open_page(page_of(folder, "small"))
    page.wait_for_selector(DRAWN)
    ranked = names(page)
    assert ranked[0] == "steady"
    assert is_aligned(page)
    page.get_by_role("button", name="bot", exact=True).click()
    assert names(page) == sorted(ranked)
    assert page.locator("#standings th[aria-sort]").inner_text().startswith("bot")
    assert is_aligned(page)
    page.get_by_role("button", name="rating").focus()
    page.keyboard.press("Enter")
    assert names(page)[0] == "steady"
    before = colors(page)
    page.get_by_role("button", name="dark theme").click()
    assert [old == new for old, new in zip(before, colors(page), strict=True)] == [False, False]
    assert hindrances(page) == []


def test_from_a_cell_to_a_match_to_a_decision_and_back(open_page, folder):
    page = open_page(page_of(folder, "small"))
    page.locator(".cross button").first.click()
    listed = page.locator("#matches")
    assert listed.is_visible()
    assert page.evaluate("location.hash").startswith("#pair=")
    assert hindrances(page) == []
    listed.get_by_role("link").first.click()
    viewer = page.locator("#match-viewer")
    viewer.locator(".controls").wait_for()
    assert not listed.is_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("decision=2"))
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="hidden")
    page.wait_for_url(re.compile("^[^#]*$"))
    page.go_back()


def cut_labels(page):
    """Returns the texts in the pictures that reach beyond the picture, which cuts them off."""
    return page.evaluate("""[...document.querySelectorAll("[id^=picture-] svg, [id^=parts-] svg")].flatMap((svg) => {
        const { left, right } = svg.getBoundingClientRect();
        const isCut = (box) => box.width > 0 && (box.left < left - 1 || box.right > right + 1);
        const texts = [...svg.querySelectorAll("text")];
        return texts.filter((text) => isCut(text.getBoundingClientRect())).map((text) => text.textContent);
    })""")


@pytest.mark.slow
def test_on_a_phone_nothing_sticks_out_nobody_is_kept_out_and_names_keep_their_direction(open_page, folder):
    page = open_page(page_of(folder, "faulty"), size=PHONE, scheme="dark")
    page.wait_for_selector(DRAWN)
    assert sticks_out(page) == 0
    assert cut_labels(page) == []
    assert hindrances(page) == []
    assert page.locator("#standings bdi", has_text=ARABIC).count() == 1
    page.locator(".cross button").first.click()
    assert sticks_out(page) == 0


@pytest.mark.slow
def test_a_page_of_a_run_that_goes_on_loads_itself_again(open_page, folder):
    begun(folder / "small", 40, "half")
    assert called(["report", "half", "--matches", "0"], folder).returncode == 0
    file = page_of(folder, "half")
    text = file.read_text(encoding="utf-8").replace('"refresh":null', '"refresh":0.5')
    file.write_text(text.replace("40 of 72 matches", "41 of 72 matches"), encoding="utf-8")
    page = open_page(file)
    page.get_by_text("41 of 72 matches").wait_for()
    file.write_text(
        text.replace('"refresh":0.5', '"refresh":null').replace("40 of 72 matches", "42 of 72 matches"),
        encoding="utf-8",
    )
    page.get_by_text("42 of 72 matches").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hopeless", "all", "swiss", "cup", "thirty"])
def test_every_kind_of_run_has_a_page_without_errors_whose_matches_fit_a_phone(open_page, tmp_path, name):
    play(tmp_path, name)
    assert called(["report", name, "--matches", "2"], tmp_path).returncode == 0
    page = open_page(page_of(tmp_path, name), size=PHONE)
    page.wait_for_selector(DRAWN)
    assert sticks_out(page) == 0
    assert hindrances(page) == []
    match = page.evaluate("JSON.parse(document.getElementById('data').textContent).embedded[0]")
    page.evaluate("(match) => { location.hash = `match=${match}&decision=5&seat=1`; }", match)
    viewer = page.locator("#match-viewer")
    expect(viewer.locator(".where")).to_contain_text("decision 5 of")
    assert sticks_out(page) == 0
    assert hindrances(page, "#match-viewer") == []


PRINTED = """() => {
    const box = (element) => element.getBoundingClientRect();
    const look = () => ({
        paper: box(document.body).width,
        wide: [...document.querySelectorAll("[id^=picture-], [id^=parts-] > div")]
            .filter((place) => box(place.querySelector("svg")).width > box(place).width + 1).map((place) => place.id),
    });
    addEventListener("beforeprint", () => { window.printed = look(); });
}"""
A4_CM = 21


@pytest.mark.slow
def test_the_pictures_of_a_printed_report_fit_the_paper(open_page, folder):
    page = open_page(page_of(folder, "faulty"), scheme="dark")
    page.wait_for_selector(DRAWN)
    page.evaluate(PRINTED)
    page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "1cm"))
    printed = page.evaluate("window.printed")
    assert printed["paper"] <= (A4_CM - 2) / 2.54 * 96
    assert printed["wide"] == []
