"""The same deal from other seats, and what a seat could believe: in every game, by keys, and for screen readers."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, hindrances, sticks_out
from tests.games.test_plain_game import Bidder, High
from tests.report.test_twins import rotated
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.report.beliefs import beliefs
from tourney.report.match_data import match_data
from tourney.report.match_page import match_page, twin_blocks
from tourney.table.table import play

CARDS = """() => [...document.querySelectorAll(".table")].map((table) =>
  [...table.querySelectorAll(".card")].map((card) => card.textContent))"""
"""The cards on each table."""


class Plain(High):
    imagines = False


@pytest.fixture
def open_ways(open_page, tmp_path):
    def open_ways(record, *twins, game=None, fragment="", views="all", **window):
        game = game or load_game(record.game)
        believed = {"0": beliefs(record, game, 0)}
        data = match_data(record, game, views, twins=twins, beliefs=believed)
        text = match_page(data, record.match, game, twins=twin_blocks(twins, game, 60.0))
        file = tmp_path / "match.html"
        file.write_text(text, encoding="utf-8")
        return open_page(file, fragment, **window)

    return open_ways


def keeps_nobody_out(page):
    for width, height in (PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        assert (hindrances(page), sticks_out(page)) == ([], 0)


def named(record, number):
    return type(record)(**{key: getattr(record, key) for key in record.__struct_fields__} | {"match": f"m-{number}"})


@pytest.mark.slow
@pytest.mark.parametrize("game", game_names())
def test_twins_move_together_until_they_part_and_beliefs_are_compared_at_the_reveal(open_ways, game):
    seats = 5 if game == "voleur" else None  # their scores are wider than a phone
    record, *twins = [named(each, i) for i, each in enumerate(rotated(game, seats))]
    page = open_ways(record, *twins[:3], size=(1280, 720))
    spoken = page.locator("[data-part=spoken]")
    expect(page.locator("[data-part=where]")).to_contain_text("decision 1 of")
    page.keyboard.press("t")
    other = page.get_by_role("figure", name=re.compile(r"^m-1: "))
    expect(other).to_be_visible()
    explained = page.get_by_role("region", name="the same deal, other seats")
    expect(explained).to_be_in_viewport(ratio=1)
    parts = page.evaluate("tourneyViewer.match.data.twins[0].parts")
    page.keyboard.press("p")
    expect(page.locator("[data-part=where]")).to_have_text(re.compile(f"^decision {parts['decision']} of"))
    expect(explained).to_contain_text(
        f"They part at decision {parts['decision']}, where seat {parts['seat']} had seen the same"
    )
    expect(spoken).to_contain_text("They part at")
    for at in range(parts["decision"], 0, -1):
        page.evaluate("(at) => tourneyViewer.go(at)", at)
        own, *others = page.evaluate(CARDS)
        assert others == [own]
    page.keyboard.press("End")
    expect(other.locator(".said")).to_contain_text("the end: ")
    keeps_nobody_out(page)
    page.keyboard.press("t")
    expect(other).to_have_count(0)
    expect(page.get_by_text("They part at decision")).to_be_hidden()
    page.keyboard.press("Home")
    page.keyboard.press("1")
    page.keyboard.press("b")
    believed = page.get_by_role("region", name="what the seat could believe")
    expect(believed).to_contain_text("everything that the seat had seen, each equally likely")
    expect(believed.get_by_role("listitem").first).to_be_in_viewport(ratio=1)
    expect(believed.get_by_role("figure").first).to_contain_text("%")
    number, *_, share = page.evaluate("tourneyViewer.match.data.beliefs[0].reveals[0]")
    page.evaluate("(at) => tourneyViewer.go(at)", number)
    page.keyboard.press("ArrowRight")
    expect(believed.locator(".here")).to_contain_text(f"thought {share} % likely")
    expect(believed).to_contain_text("points off.")
    expect(spoken).to_contain_text("Come to light: ")
    keeps_nobody_out(page)
    if game == "cold-blooded":
        expect(believed.locator("figure.chart")).to_contain_text("role: assassin")
    page.keyboard.press("b")
    expect(page.get_by_text("everything that the seat had seen")).to_be_hidden()


def test_somebody_elses_game_has_twins_and_says_what_it_lacks_for_beliefs(open_ways):
    bids = (None, 10)
    record, twin = [
        play(Match(f"m-{i}", GameSetup("high", 2, {}), 0, 7, names), Plain(), [partial(Bidder, bid) for bid in own])
        for i, (names, own) in enumerate(((("adder", "sulker"), bids), (("sulker", "adder"), bids[::-1])))
    ]
    page = open_ways(record, twin, game=Plain(), fragment="match=m-0&twins=m-1")
    expect(page.get_by_role("figure", name="m-1: sulker, adder")).to_be_visible()
    expect(page.locator(".parting")).to_contain_text("They part at decision 1, where seat 0 had seen the same")
    page.keyboard.press("b")
    expect(page.get_by_role("region", name="what the seat could believe")).to_contain_text("High lacks imagine")
