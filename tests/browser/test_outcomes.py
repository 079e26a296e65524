"""What is seen of any game where a trick, a round or the match is over, and what explains the game to a stranger."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.conftest import mostly_slow
from tests.helpers import SHORT, play_match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import walk
from tourney.table.sentences import Sentences

OUTCOMES = """(seat) => {
  tourneyViewer.watch(seat, 1);
  const all = (what) => [...document.querySelectorAll(what)].map((each) => each.textContent);
  const [board, pictures] = [document.querySelector(".board"), {}];
  while (tourneyViewer.at !== tourneyViewer.match.last) {
    tourneyViewer.step(1);
    const winner = document.querySelector(".played.winner");
    pictures[tourneyViewer.at] = {
      html: board.innerHTML.replace(/ [xy][12]?="[^"]*"/g, ""), caption: all(".caption")[0], gains: all(".gain"),
      plates: all(".plate"), played: all(".played").length, winner: winner && Number(winner.dataset.from),
    };
  }
  return pictures;
}"""
"""Walks through the match as a seat or everyone, and returns what the table shows at each stop but the first."""


def played(game, options):
    seats = load_game(game).seats[-1]
    return play_match(*["steady", "random"] * (seats // 2), *["random"] * (seats % 2), game=game, options=options)


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole"))
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


@pytest.mark.slow
@pytest.mark.parametrize("game", game_names())
def test_a_seat_is_shown_the_same_where_the_page_knows_nothing_of_the_others(open_match, game):
    record = played(game, SHORT[game])
    whole, own = [open_match(record, views=views).evaluate(OUTCOMES, 1) for views in ("all", 1)]
    assert whole == own
    assert len(whole) > 1


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_a_page_says_the_rules_in_one_breath_and_what_a_card_does(open_match, size):
    page, wording = open_match(played("vole", {}), size=size), load_game("vole").wording
    expect(page.get_by_text(wording.goal)).to_be_visible()
    card = page.locator(".seat.bottom .card[tabindex]").first
    assert card.get_attribute("title").split("; ")[-1] in wording.glossary.values()
    card.focus()
    expect(page.locator(".caption")).to_contain_text(card.get_attribute("title"))
