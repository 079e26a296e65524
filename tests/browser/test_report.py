"""The report in a browser: sorted, followed from a cell to a match, on a phone, in the dark, with hostile names."""

import re
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE, hindrances, sticks_out
from tests.conftest import called, tournament_text
from tests.report.runs import ARABIC, begun, league, play
from tourney.runner.league import change

DRAWN = "html[data-drawn=all]"
EMBEDDED = "JSON.parse(document.getElementById('data').textContent).embedded"
DOTS = "#picture-ratings .mark-symbol path"
PRINTED = """() => {
    const box = (element) => element.getBoundingClientRect();
    const look = () => ({
        paper: box(document.body).width,
        wide: [...document.querySelectorAll("[id^=picture-], [id^=parts-] > div")]
            .filter((place) => box(place.querySelector("svg")).width > box(place).width + 1).map((place) => place.id),
    });
    addEventListener("beforeprint", () => { window.printed = look(); });
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Reports: of three bots, of bots with odd names and faults, and of five games; the last two as folders, too."""
    made = play(tmp_path_factory.mktemp("runs"), "small", "faulty", "all")
    for name, *options in (("small", "6"), ("faulty", "6"), ("all", "30"), ("faulty", "9", "--out", "site/")):
        assert called(["report", name, "--matches", *options], made).returncode == 0
    return made


def page_of(folder, name):
    return folder / name / "report.html"


def names(page):
    return page.locator("#standings tbody th").all_inner_texts()


def is_aligned(page):
    middles = "all => all.map(each => each.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)"
    dots, rows = [page.locator(what).evaluate_all(middles) for what in (DOTS, "#standings tbody tr")]
    return sorted(dots) == pytest.approx(rows, abs=4)


def colors(page):
    body = "getComputedStyle(document.body).backgroundColor"
    return page.evaluate(f"[{body}, document.querySelector('{DOTS}').getAttribute('fill')]")


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


@pytest.mark.parametrize("way", ["embedded, Back", "embedded, Escape", "a folder, Back"])
def test_from_a_cell_to_a_match_to_a_decision_and_back_to_the_list(open_page, folder, way):
    """The list is where it was, and so is the focus; a step further back it is closed."""
    page = open_page(page_of(folder, "small") if "embedded" in way else folder / "site" / "index.html", size=(900, 300))
    page.locator("a.cell").first.click()
    listed = page.locator("#matches")
    expect(listed).to_be_visible()
    assert page.evaluate("location.hash").startswith("#pair=")
    assert hindrances(page) == []
    link = listed.get_by_role("link").last
    link.click()
    page.wait_for_url(re.compile("match=.*&decision=1$"))
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("decision=2$"))
    page.go_back() if "Back" in way else page.keyboard.press("Escape")
    page.wait_for_url(re.compile("#pair="))
    expect(page.locator("#match-viewer")).not_to_be_visible()
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.go_back() if "Back" in way else page.keyboard.press("Escape")
    page.wait_for_url(re.compile("^[^#]*$"))
    expect(listed).not_to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_link_of_a_page_and_of_a_folder_opens_something_and_nobody_is_kept_out(open_page, folder, scheme):
    page = open_page(page_of(folder, "faulty"), scheme=scheme)
    page.wait_for_selector(DRAWN)
    assert hindrances(page) == []
    assert page.locator(".tile.absent").count() > 0
    for link in page.locator("main a[href^='#'], nav a").evaluate_all("all => all.map((each) => each.hash)"):
        page.evaluate("(link) => { location.hash = link; }", link)
        if "=" in link:
            page.locator("#matches-list:visible li, #match-viewer:visible .seat").first.wait_for()
            page.keyboard.press("Escape")
            page.wait_for_url(re.compile("^[^=]*$"))
        else:
            assert page.locator(link).count() == 1
    site = (folder / "site").resolve()
    found, seen = [site / "index.html"], set()
    while found:
        file = found.pop()
        page.goto(file.as_uri())
        if file.parent.name != "matches":
            assert hindrances(page) == []
            assert sticks_out(page) == 0
        else:
            page.locator(".seat").first.wait_for()
        seen.add(file)
        there = [Path(url2pathname(urlsplit(link).path)) for link in page.evaluate("[...document.links].map(String)")]
        found += [each for each in dict.fromkeys(there) if each not in seen and each not in found]
    assert {each.relative_to(site).parts[0] for each in seen} == {"index.html", "bots", "matches"}


def wrong_texts(page):
    """Returns the texts in pictures that are cut, lie on another, or repeat one of their axis or legend."""
    return page.evaluate("""[...document.querySelectorAll("svg.marks")].flatMap((svg) => {
        const isSeen = (text) => text.textContent.trim() && text.checkVisibility({ opacityProperty: true });
        const texts = [...svg.querySelectorAll("text")].filter(isSeen);
        const all = svg.getBoundingClientRect();
        const isCut = ({ left, top, right, bottom }) =>
            left < all.left - 1 || right > all.right + 1 || top < all.top - 0.5 || bottom > all.bottom + 0.5;
        const corners = texts.map((text) => {
            const [{ x, y, width, height }, matrix] = [text.getBBox(), text.getScreenCTM()];
            const [low, high] = [y + 0.16 * height, y + 0.84 * height]; // lines of text may touch
            const ends = [[x, low], [x + width, low], [x + width, high], [x, high]];
            return ends.map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
        });
        const isApart = (one, other) => [one, other].some(([a, b, , d]) => [b, d].some((end) => { // by a side of one
            const along = ({ x, y }) => x * (end.x - a.x) + y * (end.y - a.y);
            const [ones, others] = [one.map(along), other.map(along)];
            return Math.max(...ones) <= Math.min(...others) || Math.max(...others) <= Math.min(...ones);
        }));
        const named = (what, text) => `${what}: ${text.textContent}`;
        const labels = [...svg.querySelectorAll(".role-axis-label, .role-legend")].flatMap((part) => {
            const said = [...part.querySelectorAll("text")].filter((text) => text.textContent.trim());
            return said.filter((text, i) => said.findIndex((other) => other.textContent === text.textContent) < i);
        });
        return [
            ...texts.filter((text) => isCut(text.getBoundingClientRect())).map((text) => named("cut", text)),
            ...texts.flatMap((text, i) => texts.slice(0, i).filter((_, j) => !isApart(corners[i], corners[j]))
                .map((other) => `${named("over", text)}, ${other.textContent}`)),
            ...labels.map((text) => named("twice", text)),
        ];
    }).slice(0, 9)""")


def test_on_a_phone_nothing_sticks_out_nobody_is_kept_out_and_names_keep_their_direction(open_page, folder):
    page = open_page(page_of(folder, "faulty"), size=PHONE, scheme="dark")
    page.wait_for_selector(DRAWN)
    assert sticks_out(page) == 0
    assert wrong_texts(page) == []
    assert hindrances(page) == []
    assert page.locator("#standings bdi", has_text=ARABIC).count() == 1
    page.locator("a.cell").first.click()
    assert sticks_out(page) == 0
    page.keyboard.press("Escape")
    page.locator("#standings .name", has_text="a-bot").focus()
    assert sticks_out(page) == 0


def test_a_page_of_a_run_that_goes_on_loads_itself_again(open_page, folder):
    begun(folder / "small", 40, "half")
    assert called(["report", "half", "--matches", "0"], folder).returncode == 0
    file = page_of(folder, "half")
    text = file.read_text(encoding="utf-8").replace('"refresh":null', '"refresh":0.5')
    file.write_text(text.replace("40 of 72 matches", "41 of 72 matches"), encoding="utf-8")
    page = open_page(file)
    page.get_by_text("41 of 72 matches").wait_for()
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"as of .*\d:\d\d"))
    text = text.replace('"refresh":0.5', '"refresh":null')
    file.write_text(text.replace("40 of 72 matches", "42 of 72 matches"), encoding="utf-8")
    page.get_by_text("42 of 72 matches").wait_for()


@pytest.mark.parametrize("name", ["hopeless", "all", "swiss", "cup", "thirty", "league"])
def test_every_kind_of_run_has_a_page_without_errors_whose_matches_fit_a_phone(open_page, tmp_path, name):
    if name == "league":
        league(tmp_path / name, 60, "steady@1", "first@1", "random@1", author=f"{ARABIC} {'long' * 30}")
        league(tmp_path / name, 100, "first@2=steady")
        change(tmp_path / name, "random", "paused", f"faults in a row\n{'trace ' * 99}{'long' * 99}")
    else:
        play(tmp_path, name)
    assert called(["report", name, "--matches", "2"], tmp_path).returncode == 0
    page = open_page(page_of(tmp_path, name), size=PHONE)
    page.wait_for_selector(DRAWN)
    for summary in page.locator(":is(#field, #bots) details:not([open]) > summary").all()[::-1]:
        summary.evaluate("(summary) => summary.click()")
    lines = "#picture-over-time path.mark-line, #picture-over-time .mark-line path"
    assert name != "league" or page.locator(lines).count()
    assert wrong_texts(page) == []
    assert sticks_out(page) == 0
    assert hindrances(page) == []
    assert (page.locator("main > section").first.get_attribute("id") == "rounds") == (name in ("swiss", "cup"))
    assert page.locator(".moves").count() == (2 if name == "league" else 0)
    if name in ("swiss", "cup"):
        assert page.locator(".bracket path").count() >= 2
        box = page.locator("a.meeting").first
        bots = box.locator(".name").all_inner_texts()
        box.click()
        assert {*page.locator("#matches-title").inner_text().split(" and ")} == {*bots}
        assert page.locator("#matches-list a").count()
        page.keyboard.press("Escape")
    match = page.evaluate(EMBEDDED)[0]
    page.evaluate("(match) => { location.hash = `match=${match}&decision=5&seat=1`; }", match)
    expect(page.locator("#match-viewer").locator(".where")).to_contain_text("decision 5 of")
    assert sticks_out(page) == 0
    assert hindrances(page, "#match-viewer") == []


def test_the_pictures_of_a_printed_report_fit_the_paper(open_page, folder):
    page = open_page(page_of(folder, "faulty"), scheme="dark")
    page.wait_for_selector(DRAWN)
    page.evaluate(PRINTED)
    page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "1cm"))
    printed = page.evaluate("window.printed")
    assert printed["paper"] <= (21 - 2) / 2.54 * 96
    assert printed["wide"] == []


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seats"), [(2, (2,)), (8, (3, 8)), (24, (10,))])
def test_no_text_of_any_picture_is_cut_covered_or_said_twice(open_page, tmp_path, bots, seats):
    kinds = cycle(("random", "steady", "first"))
    names = [f"a-family-of-bots-of-{use}-{i}-with-a-long-name" for i, use in zip(range(bots), kinds, strict=False)]
    extra = "\n".join([f'[[bot]]\nname = "{name}"\nuse = "{name.split("-")[5]}"' for name in names])
    game = "\n".join([f'[[game]]\nname = "leon"\nseats = {count}\noptions = {{ max_cards = 1 }}' for count in seats])
    form = {} if bots < 9 else {"format": '"swiss"', "rounds": "2"}
    play(tmp_path, many=tournament_text("many", bots="[]", extra=extra, game=game, deals="6", **form))
    for options in (["--matches", "0"], ["--format", "svg", "--out", "files"]):
        assert called(["report", "many", *options], tmp_path).returncode == 0
    page = open_page(page_of(tmp_path, "many"))
    for width in (320, 390, 760, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        page.wait_for_selector(DRAWN)
        assert (width, wrong_texts(page)) == (width, [])
    page.goto("about:blank")  # the policy of the page forbids the styles of the files
    for file in sorted((tmp_path / "files").iterdir()):
        page.set_content(file.read_text().replace("<svg", '<svg style="font: 12px sans-serif"', 1))
        assert (file.name, wrong_texts(page)) == (file.name, [])
