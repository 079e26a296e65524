"""The table of any game where something is over, and what explains it to a stranger; those of Bang and Cold Blooded."""

from functools import lru_cache

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.golden.matches import golden_record
from tests.helpers import SHORT, play_match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import Replay, walk
from tourney.table.sentences import Sentences

BANG = "bang-three"
COLD = "cold-blooded-five"
OUTCOMES = """(seat) => {
  tourneyViewer.watch(seat, 1);
  const all = (what) => [...document.querySelectorAll(what)].map((each) => each.textContent);
  const [board, pictures] = [document.querySelector(".felt"), {}];
  while (tourneyViewer.at !== tourneyViewer.match.last) {
    tourneyViewer.step(1);
    const winner = document.querySelector(".played.winner");
    pictures[tourneyViewer.at] = {
      html: board.innerHTML.replace(/ (?:[xy][12]?|d)="[^"]*"/g, ""), caption: all(".caption")[0], gains: all(".gain"),
      plates: all(".plate"), played: all(".played").length, winner: winner && Number(winner.dataset.from),
    };
  }
  return pictures;
}"""
"""Walks through the match as a seat or everyone, and returns what the table shows at each stop but the first."""


def played(game, options):
    seats = load_game(game).seats[-1]
    return play_match(*["steady", "random"] * (seats // 2), *["random"] * (seats % 2), game=game, options=options)


@pytest.mark.parametrize("game", game_names())
def test_the_table_shows_each_trick_in_full_and_who_gets_what_at_the_end_of_a_round(open_match, game):
    record = played(game, SHORT[game])
    pictures = open_match(record).evaluate(OUTCOMES, None)
    events = [found for found in walk(record, load_game(game)) if found.event]
    number, name = load_game(game).wording.numbered_by, Sentences(record, load_game(game), None).name
    for found in events:
        shown = pictures.get(f"{found.number}.5", {})
        if found.event["kind"] == "trick":
            assert shown["played"] == len(record.seats)
            assert shown["winner"] == found.event["winner"]
        if found.event["kind"] in ("trick", "pile"):
            winner = found.event["winner" if found.event["kind"] == "trick" else "seat"]
            assert ("nobody" if winner is None else name(winner)) in shown["caption"]
        if found.event["kind"] == "score":
            assert len(shown["gains"]) == len(record.seats)
            total = record.scores if found is events[-1] else found.event["scores"]
            assert all(f" {score}" in plate for plate, score in zip(shown["plates"], total, strict=True))
            assert shown["caption"].startswith(f"{number} {found.event['round']} is over: ")
    assert all(shown["caption"] for shown in pictures.values())


@pytest.mark.parametrize("game", game_names())
def test_a_seat_is_shown_the_same_where_the_page_knows_nothing_of_the_others(open_match, game):
    record = played(game, SHORT[game])
    found = [open_match(record, views=views).evaluate(OUTCOMES, 1) for views in ("all", 1)]
    whole, own = [
        [shown | {"caption": ""} for _, shown in sorted(each.items(), key=lambda item: float(item[0]))]
        for each in found
    ]
    rest = iter(whole)  # a page of a seat leaves out what the seat does not notice, and counts without it
    assert [shown for shown in own if shown not in rest] == []
    assert len(own) > 1


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_a_page_says_the_rules_in_one_breath_and_what_a_card_does(open_match, size):
    page, wording = open_match(played("vole", {}), size=size), load_game("vole").wording
    expect(page.get_by_text(wording.goal)).to_be_visible()
    card = page.locator(".seat.bottom .card[tabindex]").first
    assert card.get_attribute("title").split("; ")[-1] in wording.glossary.values()
    card.focus()
    expect(page.locator(".caption")).to_contain_text(card.get_attribute("title"))


@lru_cache
def views_of(name):
    """Returns what every seat sees at each decision of a golden match, the first at 0."""
    record = golden_record(name)
    replay = Replay(record, load_game(record.game))
    seats = range(len(record.seats))
    return [[replay.state.view(seat).as_dict() for seat in seats] for _ in replay.steps()]


def show(page, at, watcher="everyone"):
    page.evaluate("([watcher, at]) => tourneyViewer.watch(watcher, at)", [watcher, at])


def first_moment(name, condition):
    """Returns the number of the first decision at which the condition holds of the views of all seats."""
    return next(at for at, views in enumerate(views_of(name), 1) if condition(views))


def test_bang_shows_stocks_debt_why_to_bang_and_the_order_of_reflexes_to_everyone_alone(open_match):
    page = open_match(golden_record(BANG))
    at = first_moment(BANG, lambda views: views[0]["debt"] and views[0]["creditor"] != views[0]["mover"])
    view = views_of(BANG)[at - 1][0]
    show(page, at)
    assert page.locator(".seat .count b").all_text_contents() == [str(size) for size in view["sizes"]]
    expect(page.locator(".counter")).to_have_text(str(view["debt"]))
    names = golden_record(BANG).seats
    assert len(set(names)) < len(names), "names are told apart by their seats"
    owes = f"{names[view['mover']]}/{view['mover']} owes to {names[view['creditor']]}/{view['creditor']}"
    if names.count(names[view["mover"]]) > 1 and names.count(names[view["creditor"]]) > 1:
        expect(page.get_by_text(owes)).to_be_visible()
    expect(page.locator(f"[data-seat='{view['mover']}'] .chip.bad")).to_have_text(f"owes {view['debt']}")
    expect(page.locator(f"[data-seat='{view['creditor']}'] .chip.good")).to_have_text(f"gets {view['debt']}")
    expect(page.locator(".arrows")).to_have_count(0)

    def is_pair(views):
        pile = views[0]["pile"]
        return views[0]["question"] == "bang" and len(pile) > 1 and pile[-1][0] == pile[-2][0]

    show(page, first_moment(BANG, is_pair))
    expect(page.locator(".asked")).to_contain_text("a pair, a reason to bang")
    reflexes = page.locator(".chip", has_text="reflex")
    show(page, 1, 0)
    expect(reflexes).to_have_count(0)
    show(page, 1)
    assert sorted(reflexes.all_text_contents()) == ["reflex 1", "reflex 2", "reflex 3"]
    assert "reflex" not in page.locator(".story").inner_text(), "the list does not repeat it for each card"


def test_cold_blooded_shows_the_roles_and_cards_that_the_watcher_knows(open_match):
    page = open_match(golden_record(COLD))
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
