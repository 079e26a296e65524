"""People at a table in the browser: whole matches at the real server, and what happens to pages and connections."""

import re
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, hindrances, sticks_out
from tests.cli.runs import begin_table
from tourney.plugins.registry import game_names

OVER = "The match is over"
READY = f".choices button:enabled, .status:text-is('{OVER}')"


@pytest.fixture
def table(tmp_path):
    """Starts a match and returns the links of its people; after the test, stops the server with Ctrl-C."""
    started = []

    def table(game, *arguments, people=("you",)):
        process, links = begin_table(tmp_path, game, "--seed=7", *arguments, people=people)
        started.append(process)
        return links

    yield table
    for process in started:
        process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.fixture
def sit(open_page):
    """Opens the page of a seat."""

    def sit(link, **window):
        page = open_page(link, **window)
        expect(page.locator(".felt .seat").first).to_be_visible()
        return page

    return sit


def by_clicks(page):
    """Answers, or comes nearer to an answer, on the table where that is possible."""
    narrowed, lying = page.locator(".narrowed").count(), page.locator(".felt button")
    (lying if lying.count() and not narrowed else page.locator(".choices button")).last.click()


def by_keys(page):
    page.keyboard.press(page.locator(".choices kbd").last.text_content())


def hear(page):
    """Lets a stopped clock run until there is news, for which a page asks now and then."""
    while page.locator("[data-part=where]").text_content() == "now":
        page.clock.run_for(50)


@pytest.mark.parametrize(("answer", "window"), [(by_clicks, DESKTOP), (by_keys, PHONE)])
@pytest.mark.parametrize("name", game_names())
def test_a_whole_match_is_played_and_nobody_is_kept_out(table, sit, name, answer, window):
    """What the page is sent is looked at in `tests/web/test_seats.py`."""
    page = sit(*table(name, "--undo-s=0"), size=window, scheme="dark" if window == PHONE else "light")
    assert hindrances(page) == []
    while page.wait_for_selector(READY) and OVER not in page.text_content(".status"):
        answer(page)
    expect(page.locator(".decision")).to_contain_text(f"results/play-{name}-1")
    assert (hindrances(page), max(0, sticks_out(page))) == ([], 0)


def test_two_people_and_a_bot_play_and_see_afterwards_what_their_decisions_cost_and_others_lead_to(table, sit):
    ann, bob = table("voleur:3", "--undo-s=0", people=("ann", "bob"))
    one = sit(ann)
    expect(one.locator(".decision")).to_contain_text("bob is away")
    two = sit(bob, size=PHONE)
    expect(one.locator(".decision")).to_contain_text("bob is here")
    while OVER not in one.text_content(".status"):
        for page in [each for each in (one, two) if each.locator(".choices button:enabled").count()]:
            by_clicks(page)
    for page in (one, two):
        expect(page.locator(".decision")).to_contain_text(re.compile(r"seer finds \d+ mistakes? in your \d+ decisions"))
        expect(page.locator(".legend").first).to_contain_text("mean loss")
    while not one.locator(".legal button.ask").count():
        one.keyboard.press("ArrowLeft")
    at = one.locator("[data-part=where]").text_content()
    one.locator(".legal button.ask").last.press("Enter")
    one.get_by_role("button", name="watch this continuation").press("Enter")
    expect(one.locator(".what-if")).to_contain_text("the cards that the seat cannot see are dealt at random")
    one.keyboard.press("Escape")
    expect(one.locator("[data-part=where]")).to_have_text(at)
    expect(one.locator(".legal")).to_contain_text("steady plays all seats")


def test_an_answer_is_taken_back_in_another_tab_and_a_lost_connection_comes_back(table, sit):
    (link,) = table("leon", "--undo-s=60", "--move-s=86400")
    page = sit(link)
    status, undo = page.locator(".status"), page.get_by_role("button", name="undo")
    assert page.request.get(f"{link[:-5]}----/").status == 404
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^86\d\d\d s$"))
    actions = page.locator(".choices button").all_text_contents()
    by_keys(page)
    expect(undo).to_be_visible()
    page.reload()
    expect(undo).to_be_visible()
    tab = page.context.new_page()
    tab.goto(link)
    expect(tab.locator(".status")).to_have_text(re.compile("^You: "))
    tab.keyboard.press("u")
    expect(status).to_have_text("Your turn")
    assert page.locator(".choices button").all_text_contents() == actions
    page.keyboard.press("r")
    expect(page.get_by_role("dialog").get_by_role("heading").first).to_have_text("Le Léon")
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    expect(status).to_contain_text("Connection lost")
    assert page.locator(".choices button:enabled, .felt button").count() == 0
    page.context.set_offline(False)
    expect(status).to_have_text("Your turn")
    by_clicks(page)
    expect(tab.locator(".status")).to_have_text(re.compile("^You: "))


def test_what_the_others_did_is_walked_through_and_told_and_a_key_skips_the_walk(table, sit):
    page = sit(*table("vole", "--undo-s=0"))
    page.emulate_media(reduced_motion="no-preference")
    page.clock.install()
    page.reload()
    moment, told = page.locator("[data-part=where]"), page.locator("[aria-live]")
    expect(moment).to_have_text("now")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    by_keys(page)
    hear(page)
    expect(moment).to_have_text(re.compile("^decision 1 of"))
    page.clock.run_for(2000)
    expect(moment).to_have_text(re.compile("decision 2 of"))
    page.clock.run_for(8000)
    expect(told).to_contain_text(re.compile("you play .* of .*; steady plays .*Your turn"))
    by_keys(page)
    hear(page)
    page.keyboard.press("Escape")
    assert moment.text_content() == "now"
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".choices")).to_be_hidden()
    page.get_by_role("button", name="now").click()
    expect(page.locator(".choices")).to_be_visible()
