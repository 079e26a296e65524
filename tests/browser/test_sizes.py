"""The table of every game at every size of a window, wherever it is shown: whole, and with nothing cut or covered."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE, hindrances
from tests.conftest import called
from tests.games.test_plain_game import Bidder, High
from tests.helpers import SHORT
from tests.report.runs import play
from tests.report.test_match_data import played
from tests.web.test_serve import served
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.report import match_page
from tourney.report.match_data import match_data
from tourney.report.match_page import content_policy, match_block, viewer_parts
from tourney.table.table import play as play_at_table

WHOLE = [(1920, 1080), (1280, 720), (1024, 768), (960, 540), (800, 600)]
"""Where the table, its controls and the curve are seen without scrolling; with over six seats, the last two have all
but the curve, as cards would be too small to read."""
NARROW = [(640, 900), PHONE, (360, 640), (480, 320)]
SLIDES = [(480, 320), (640, 360), (800, 600), (1280, 720)]
LEAST_PX, READABLE_PX = 69, 22
"""The width of a card in the largest window, and in any."""
WRONG = """async ([match, whole, slide]) => {
  const found = new Set();
  const box = (element) => element.getBoundingClientRect();
  const root = document.getElementById("match-viewer");
  const felt = root.querySelector(".felt");
  const all = (what) => [...root.querySelectorAll(what)].filter((each) => each.checkVisibility() && box(each).width);
  const beyond = ({ left, top, right, bottom }, { left: x, top: y, right: end, bottom: low }) =>
    left < x - 1 || top < y - 1 || right > end + 1 || bottom > low + 1;
  const over = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const screen = () => new DOMRect(0, 0, innerWidth, innerHeight);
  const ink = (element) => { // without the space above and below the letters
    const { x, y, width, height } = (getSelection().selectAllChildren(element), box(getSelection().getRangeAt(0)));
    return new DOMRect(x, y + 0.2 * height, width, 0.6 * height);
  };
  const isOnTop = (each, { left, top, width, height }) => [0.15, 0.5, 0.85].every((share) =>
    each.contains(document.elementFromPoint(left + width * share, top + height / 2)));
  const covered = (each, where) => {
    const isHidden = () => !beyond(where(), screen()) && !isOnTop(each, where());
    if (!isHidden()) return false;
    each.scrollIntoView({ block: "center", behavior: "instant" });
    const still = isHidden();
    for (const all of [document.documentElement, root.parentElement]) all.scrollTo({ top: 0, behavior: "instant" });
    return still;
  };
  const tell = (what, each) => found.add(`${what}: ${each.outerHTML.slice(0, 120)}`);
  const fanOf = (card) => card.closest(".slot")?.parentElement;
  const look = () => {
    if (document.documentElement.scrollWidth > innerWidth) found.add("sideways");
    const [table, dock] = [box(felt), root.querySelector(".dock")];
    const isRoomy = innerHeight > 800 && box(dock).width;
    if (isRoomy && table.bottom > box(dock).top + 3) found.add("the bar lies on the table");
    for (const each of all(whole)) if (beyond(box(each), screen())) tell("beyond the window", each);
    for (const each of all(".felt :is(.seat, .seat *, .middle *)")) {
      if (beyond(box(each), box(felt))) tell("off the table", each);
    }
    const lying = all(".felt :is(.card, .name, .chip, .gain, .role, .bubble, figcaption, .asked, li, .height, .count)");
    lying.forEach((one, i) => lying.slice(i + 1).forEach((other) => {
      const isPart = one.contains(other) || (fanOf(one) && fanOf(one) === fanOf(other));
      if (!isPart && over(box(one), box(other))) tell(`on ${one.outerHTML}`, other);
    }));
    for (const sign of all(".felt .card:not(.back) > :is(b, i)")) {
      const card = sign.parentElement;
      if (covered(card, () => ink(sign)) || beyond(ink(sign), box(card))) tell("a sign", card);
    }
    for (const each of all("button:not(.sign), input, summary")) {
      if (covered(each, () => box(each))) tell("covered", each);
    }
    const written = all(".felt :not(.fan, .slot), header *, .legend bdi, .where, .dock button, .pace button");
    for (const each of written.filter((each) => !slide || !each.closest("header"))) {
      if (getComputedStyle(each).display !== "inline" && each.scrollWidth > each.clientWidth + 1) {
        if (each.clientWidth) tell("cut", each);
      }
    }
    for (const each of all(".story, .legal")) {
      const last = each.lastElementChild;
      if (last && box(each).bottom > box(last).bottom + 16) tell("taller than what it holds", each);
    }
    for (const each of slide ? all(".frame *") : []) {
      if (each.childElementCount || each.closest(".felt, .controls, .titles, .visually-hidden")) continue;
      if (each.textContent) tell("around the table", each);
    }
  };
  const [places, cards] = [new Set(), []];
  if (match) await tourneyViewer.open(match);
  const { stops } = tourneyViewer;
  const { watchers, last } = tourneyViewer.match;
  for (const [i, share] of [0, 0.3, 0.6, 0.8, 1].entries()) {
    tourneyViewer.watch(watchers[i % watchers.length], share < 1 ? stops[Math.floor(share * stops.length)] : last);
    look();
    places.add(Math.round(box(root.querySelector(".controls")).y));
    cards.push(...all(".seat .fan .card:not(.small)").map((card) => box(card).width));
  }
  if (places.size > 1) found.add(`the controls move: ${[...places]}`);
  return { found: [...found], least: Math.min(...cards) };
}"""
"""Walks through a match, and returns what is wrong with its table in this window, and its narrowest card's width."""


def look_at(page, match, sizes, slide=None):
    """Expects the table of a match to be whole at some sizes of the window, or in the frame of a slide."""
    for size in sizes:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        line = ".frame:not(:has(.many)) .line" if size in WHOLE[-2:] else ".line"
        whole = ".felt, .controls" if slide else f"header, .felt, .controls, {line}" if size in WHOLE else "none"
        seen = (slide or page).evaluate(WRONG, [match, whole, bool(slide)])
        assert (match, size, seen["found"]) == (match, size, [])
        least = LEAST_PX if size == WHOLE[0] else 0 if slide else READABLE_PX
        assert round(seen["least"] or least, 1) >= least, (match, size)


def tables(game):
    """The page of a game's tables with the fewest, a middle number of, and the most seats; and the matches' names."""
    its = High() if game == "high" else load_game(game)
    if its.name == "high":
        match = Match("high-00000-0", GameSetup("high", 3, {}), 0, 7, ("one", "two", "three"))
        records = [play_at_table(match, its, [lambda: Bidder(None)] * 3)]
    else:
        counts = sorted({its.seats[0], its.seats[len(its.seats) // 2], its.seats[-1]})
        records = [played(game, count, options=SHORT[game]) for count in counts]
    named = {f"{game}-{len(record.seats)}": record for record in records}
    blocks = [match_block(name, match_data(record, its, debug="tourney debug it")) for name, record in named.items()]
    parts = viewer_parts([its])
    policy = content_policy([parts.script], [parts.style])
    return match_page.page(parts, policy, "<title>tables</title>", match="".join(blocks)), list(named)


@pytest.mark.slow
@pytest.mark.parametrize("game", [*game_names(), "high"])
def test_every_table_is_whole_alone_and_in_a_frame_at_any_size_and_keeps_nobody_out(open_page, tmp_path, game):
    file, frame = tmp_path / "tables.html", tmp_path / "frame.html"
    text, matches = tables(game)
    file.write_text(text, encoding="utf-8")
    style = "position: fixed; inset: 0; width: 100%; height: 100%; border: 0"
    frame.write_text(f'<iframe title="a slide" src="tables.html?embed" style="{style}"></iframe>', encoding="utf-8")
    page = open_page(file)
    page.locator(".seat").first.wait_for()
    for match in matches:
        look_at(page, match, [*WHOLE, *NARROW])
    for scheme, (width, height) in (("light", WHOLE[1]), ("dark", PHONE)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        assert hindrances(page) == []
    page = open_page(frame)
    page.frame_locator("iframe").locator(".seat").first.wait_for()
    for match in matches:
        look_at(page, match, SLIDES, page.frames[1])
    page.goto(f"{file.as_uri()}?embed")
    assert hindrances(page) == []


@pytest.mark.slow
def test_every_table_is_whole_in_a_report_and_served_behind_a_prefix(open_page, browser, tmp_path):
    play(tmp_path, "all")
    assert called(["report", "all", "--matches", "30"], tmp_path).returncode == 0
    page = open_page(tmp_path / "all" / "report.html")
    page.wait_for_selector("html[data-drawn=all]")
    embedded = page.evaluate("JSON.parse(document.getElementById('data').textContent).embedded")
    games = {name.rsplit("-", 2)[0]: name for name in embedded}
    assert games.keys() == set(game_names())
    page.evaluate("(match) => { location.hash = `match=${match}`; }", embedded[0])
    page.locator("#match-viewer .seat").first.wait_for()
    for match in games.values():
        look_at(page, match, [*WHOLE, PHONE])
    assert hindrances(page) == []
    with served(tmp_path, ".") as client:
        page = browser.new_page(color_scheme="dark", reduced_motion="reduce")
        inside = "/behind/"
        forward = lambda route: route.fulfill(response=route.fetch(url=route.request.url.replace(inside, "/")))  # noqa: E731
        page.route(f"**{inside}**", forward)
        for match in games.values():
            page.goto(f"{client.base_url}{inside}runs/all/matches/{match}?decision=7")
            expect(page.locator(".where")).to_have_text(re.compile("^decision 7 of"))
            look_at(page, None, [*WHOLE, PHONE])
        assert hindrances(page) == []
        page.close()
