"""The tables of Bang and Cold Blooded: what their golden matches look like, as everyone and as one seat sees them."""

from functools import lru_cache

import pytest
from playwright.sync_api import expect

from tests.golden.__main__ import FOLDER
from tourney.journal.reader import parse_record
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay

BANG = "bang-three"
COLD = "cold-blooded-five"


def record_of(name):
    return parse_record((FOLDER / f"{name}.jsonl").read_bytes().splitlines()[0], name)


@lru_cache
def views_of(name):
    """Returns what every seat sees at each decision of a golden match, the first at 0."""
    record = record_of(name)
    replay = Replay(record, load_game(record.game))
    seats = range(len(record.seats))
    return [[replay.state.view(seat).as_dict() for seat in seats] for _ in replay.steps()]


def show(page, at, watcher="everyone"):
    page.evaluate("([watcher, at]) => tourneyViewer.watch(watcher, at)", [watcher, at])


def first_moment(name, condition):
    """Returns the number of the first decision at which the condition holds of the views of all seats."""
    return next(at for at, views in enumerate(views_of(name), 1) if condition(views))


@pytest.mark.slow
def test_bang_shows_stocks_debt_why_to_bang_and_the_order_of_reflexes_to_everyone_alone(open_match):
    page = open_match(record_of(BANG))
    at = first_moment(BANG, lambda views: views[0]["debt"] and views[0]["creditor"] != views[0]["mover"])
    view = views_of(BANG)[at - 1][0]
    show(page, at)
    assert page.locator(".seat .count b").all_text_contents() == [str(size) for size in view["sizes"]]
    expect(page.locator(".counter")).to_have_text(str(view["debt"]))
    names = record_of(BANG).seats
    assert len(set(names)) < len(names), "names are told apart by their seats"
    owes = f"{names[view['mover']]}/{view['mover']} owes to {names[view['creditor']]}/{view['creditor']}"
    if names.count(names[view["mover"]]) > 1 and names.count(names[view["creditor"]]) > 1:
        expect(page.get_by_text(owes)).to_be_visible()
    expect(page.locator(".arrows line")).to_have_count(1)

    def is_pair(views):
        pile = views[0]["pile"]
        return views[0]["question"] == "bang" and len(pile) > 1 and pile[-1][0] == pile[-2][0]

    show(page, first_moment(BANG, is_pair))
    expect(page.locator(".asked")).to_contain_text("There is a reason: pair")
    reflexes = page.locator(".chip", has_text="reflex")
    show(page, 1, 0)
    expect(reflexes).to_have_count(0)
    show(page, 1)
    assert sorted(reflexes.all_text_contents()) == ["reflex 1", "reflex 2", "reflex 3"]
    assert "reflex" not in page.locator(".story").inner_text(), "the list does not repeat it for each card"


@pytest.mark.slow
def test_cold_blooded_shows_the_roles_and_cards_that_the_watcher_knows(open_match):
    page = open_match(record_of(COLD))
    show(page, 1)
    roles = [views_of(COLD)[0][seat]["role"] for seat in range(5)]
    assert [text.lower() for text in page.locator(".seat .role").all_text_contents()] == roles
    expect(page.locator(".seat .role.unknown, .seat .card.back")).to_have_count(0)
    for seat in range(5):
        show(page, 1, seat)
        view = views_of(COLD)[0][seat]
        expect(page.locator(".seat .role.unknown")).to_have_count(view["roles"].count(None))
        expect(page.locator(".seat .card.back")).to_have_count(4)
        expect(page.locator(".seat.bottom .card")).to_have_text(view["card"])


def test_the_page_of_one_seat_shows_no_role_that_the_seat_does_not_know(open_match):
    page = open_match(record_of(COLD), views=3)
    view = views_of(COLD)[0][3]
    expect(page.locator(".seat .role.unknown")).to_have_count(view["roles"].count(None))
    assert page.evaluate("Object.keys(tourneyViewer.match.data.seen)") == ["3"]
