"""The match viewer in a browser: its controls, what each perspective shows and hides, and names of all kinds."""

import math
import re
import sys
from types import ModuleType

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, sticks_out
from tests.games.test_plain_game import Bidder, High
from tests.helpers import SHORT, play_match
from tests.report.test_match_data import played
from tourney.cli.render.transcript import transcript
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.table.replay import Replay, walk
from tourney.table.sentences import seat_names
from tourney.table.table import play

DECISIONS = """() => Array.from({ length: tourneyViewer.match.last - 1 }, (_, i) => {
  tourneyViewer.go(i + 1);
  const text = (what) => document.querySelector(what).textContent.trim();
  return [".story .current", ".caption", ".action.chosen", "[aria-live]"].map(text);
})"""
"""Returns for each decision its row in the list, the caption, the chosen action and the announcement."""
VALUES = {"play:1t": 51.0, "play:2t": 58.0, "play:3t": 20.0}
HOSTILE = ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u05d0\u05d1\u05d2 \u202eevil", "a" * 120)


def with_cards(game, text, form):
    deck = game.wording.deck
    ranks = "|".join(sorted(deck.ranks, key=len, reverse=True)) if deck else "(?!)"
    card = rf"(?<!\w)({ranks})([{''.join(deck.suits) if deck else '-'}])(?!\w)"
    return re.sub(card, lambda found: form(found[1], deck.suits.index(found[2])), text)


def with_signs(game, text):
    return with_cards(game, text, lambda rank, suit: {"T": "10"}.get(rank, rank) + game.wording.deck.signs[suit])


def spelled(game, text):
    courts = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
    return with_cards(game, text, lambda rank, suit: f"{courts.get(rank, rank)} of {game.wording.deck.words[suit]}")


@pytest.fixture(scope="module")
def vole():
    """A match of two rounds or more."""
    return played("vole", options={"target": 9})


@pytest.fixture
def open_vole(open_match, vole):
    """Opens the match with what some of its decisions have cost."""

    def open_vole(at=""):
        costs = [
            DecisionCost(n, n % 2, "play:1t", "play:2t", 40.0 + n, n + 0.0, 1.0, 0.0, n > 5, "play", VALUES)
            for n in (2, 5, 9, 12)
        ]
        analysis = MatchAnalysis(vole.match, "vole", list(vole.seats), sorted(vole.seats), vole.digest, costs)
        return open_match(vole, at, data={"analysis": analysis, "debug": "tourney debug quick it"})

    return open_vole


def at(page, decision):
    shown = re.compile(rf"^decision {decision} of") if isinstance(decision, int) else decision
    expect(page.locator("[data-part=where]")).to_have_text(shown)


def test_every_control_works_by_mouse_and_by_keys(open_vole, vole):
    plays = [number for number, action in enumerate(vole.actions.split(), 1) if action.startswith("play:")]
    second_trick, second_round = plays[2], plays[26]  # each seat has 13 cards a round
    controls = [
        ("next", "ArrowRight", 2), ("next", "ArrowRight", 3), ("previous", "ArrowLeft", 2), ("last", "End", "end"),
        ("first", "Home", 1), ("trick next", "Shift+ArrowRight", second_trick),
        ("trick previous", "Shift+ArrowLeft", 1),
        ("round next", "Control+ArrowRight", second_round), ("round previous", "Control+ArrowLeft", 1),
    ]  # fmt: skip
    page = open_vole()
    for buttons, _, decision in controls:
        for button in buttons.split():
            page.get_by_role("button", name=button, exact=True).click()
        by_outcomes = buttons.endswith("next") and " " in buttons
        at(page, f"after decision {decision - 1} of {vole.decisions}" if by_outcomes else decision)
    page.get_by_role("button", name="16 times the speed").click()
    page.get_by_role("button", name="play", exact=True).click()
    at(page, "end")  # round by round
    page.get_by_role("button", name="decision", exact=True).click()
    page.locator(".story .act").nth(4).click()
    at(page, 5)
    page.get_by_role("slider", name="decision").fill("7")
    at(page, 7)
    page.locator(".strip button").last.click()
    at(page, 12)
    page.locator(".strip").click(position={"x": 2, "y": 5})
    at(page, 1)
    page.locator("body").focus()
    for key, decision in [*[(key, decision) for _, key, decision in controls], ("m", 9), ("m", 12), ("m", 9)]:
        page.keyboard.press(key)
        at(page, decision)
    for key, name in (("2", "random"), ("1", "steady"), ("0", "everyone")):
        page.keyboard.press(key)
        expect(page.locator(".watchers [aria-pressed=true]")).to_have_text(name)
    page.keyboard.press("/")
    page.keyboard.type("round 2")
    at(page, second_round)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    at(page, f"after decision {second_round - 1} of {vole.decisions}")


def test_the_address_names_the_moment_and_leads_to_it(open_vole, vole):
    page = open_vole("8&seat=1")
    expect(page.locator(".watchers [aria-pressed=true]")).to_have_text("random")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#match=.*&decision=9&seat=1$"))
    page.keyboard.press("0")
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(f"#match={vole.match}&decision=end$"))
    page.evaluate("location.hash = '#match=it&decision=1'")  # a match that the page does not hold
    at(page, "end")
    page.evaluate(f"location.hash = '#match={vole.match}&decision=4'")
    at(page, 4)


def test_what_happens_is_announced_and_the_legal_actions_and_the_loss_are_shown(open_vole, vole):
    page = open_vole("9")
    spoken = page.locator("[aria-live]")
    expect(spoken).to_contain_text(f"decision 9 of {vole.decisions}")
    expect(spoken).to_contain_text(re.compile(r"random plays \d+ of (towers|keys|moons)"))
    expect(page.locator(".legal")).to_contain_text("loss 9.0 ±1.0 points %")
    expect(page.locator(".legal")).to_contain_text("small mistake")
    assert page.locator(".values li").all_text_contents() == ["play 2♜58", "play 1♜51", "play 3♜20"]
    assert page.get_by_role("img", name="2 of towers").count() > 0
    expect(page.locator(".story .current .number")).to_have_text("9")
    assert page.locator(".strip .curve").count() == 2
    expect(page.locator(".legend").first).to_contain_text("1 mistake (▲ 1), mean loss 7.0")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", re.compile("steady 42 %, random 49 %$"))
    box = page.locator(".strip").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 5)
    expect(page.locator(".legend").first).to_contain_text("steady 52 %")
    page.keyboard.press("1")
    assert page.locator(".strip .curve").count() == 1


@pytest.mark.parametrize("name", game_names())
def test_list_caption_choices_announcement_and_replay_say_each_decision_in_the_same_words(open_match, name):
    game, record = load_game(name), played(name, load_game(name).seats[0], options=SHORT[name])
    names, told = seat_names(record.seats), "\n".join(transcript(record, game, None, (1, None)))
    pages = open_match(record).evaluate(DECISIONS)
    for step, (row, caption, choice, spoken) in zip(Replay(record, game).steps(), pages, strict=True):
        action, view = game.text(step.action), step.state.view(step.seat)
        phrase = game.wording.phrase(action, names.__getitem__)
        said, stakes = phrase.by(names[step.seat]), "; ".join(game.wording.stakes(view, names.__getitem__))
        assert f"\n{step.decision:5}  {said}" in told
        assert f"{row} ".startswith(f"{step.decision}{with_signs(game, said)} ")
        assert caption == with_signs(game, f"{said} \u2013 {stakes}" if stakes else said)
        assert choice == f"{with_signs(game, phrase.rest or phrase.lead)} (chosen)"
        assert f"; {spelled(game, said)}; " in f"{spoken}; "
        assert spelled(game, stakes) in spoken
        raw = action.replace(":", " ")
        assert raw in (action, phrase.text) or raw not in row + caption + choice + told


def test_what_is_at_stake_is_said_before_it_happens(open_match, vole):
    steps = Replay(vole, load_game("vole")).steps()
    step = next(step for step in steps if 3 in step.state.view(0).won)
    who = vole.seats[step.state.view(0).won.index(3)]
    page, stakes = open_match(vole, str(step.decision)), f"one more trick and {who} is over 3: 1 point, not 6"
    expect(page.locator(".caption")).to_contain_text(stakes)
    expect(page.locator("[aria-live]")).to_contain_text(stakes)


def test_highlights_are_walked_one_by_one_and_the_curve_shows_the_scores_of_what_was_not_analysed(open_match):
    record = played("bang", 3)
    game, bangs = load_game("bang"), {}
    for found in walk(record, game):
        if found.event and found.event["kind"] == "pile":
            bangs[found.number + 1] = record.seats[found.event["seat"]]
    page = open_match(record, "1")
    page.keyboard.press("h")
    stops = {}
    while page.locator(".where").inner_text() != "end":
        stops[math.ceil(page.evaluate("tourneyViewer.at"))] = "".join(page.locator(".why").all_text_contents())
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="highlights")).to_have_attribute("aria-pressed", "true")
    told = {at for at, why in stops.items() if "the quickest to bang" in why}
    assert told
    assert told < bangs.keys(), "taking a pile without a bang is not a highlight"
    assert all(why for at, why in stops.items() if at > 1)
    assert len(stops) < record.decisions / 10
    assert page.locator(".legend .value").all_text_contents() == list(map(str, record.scores))


def test_in_a_slide_there_is_nothing_but_the_viewer_and_a_link_leads_to_the_moment(open_vole, vole):
    page = open_vole("9&seat=1")
    expect(page.get_by_text("tourney debug")).to_be_hidden()  # those who only watch need no command
    assert page.locator("h1").inner_text() == vole.match
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"#match={vole.match}&decision=10&seat=1")
    page.get_by_role("searchbox").fill("zzz")
    expect(page.get_by_text("No event contains “zzz”.")).to_be_visible()
    page.evaluate("location.hash = 'match=nonsense'")
    expect(page.get_by_text("There is no match “nonsense” in this page.")).to_be_visible()
    page.goto(link.replace("#", "?embed#"))
    at(page, 10)
    expect(page.locator(".more")).to_be_hidden()
    page.emulate_media(color_scheme="dark")  # in which cards stay light, but their frames do not
    frames = "[['.card.chosen', 'outlineColor'], ['.seat.moves', 'borderTopColor']]"
    look = "([what, part]) => getComputedStyle(document.querySelector(what))[part]"
    assert len(set(page.evaluate(f"{frames}.map({look})"))) == 1


@pytest.mark.parametrize("game", game_names())
def test_as_a_seat_no_card_of_another_hand_lies_open(open_match, game):
    page = open_match(played(game, min(4, load_game(game).seats[-1]), options=SHORT[game]), "1&seat=1")
    for _ in range(15):
        assert page.locator(".seat:not([data-seat='1']) .fan .card:not(.back)").count() == 0
        page.keyboard.press("ArrowRight")
    if game in ("vole", "voleur", "leon"):
        page.keyboard.press("Home")
        assert page.locator(".seat[data-seat='0'] .fan .card.back").count() > 0
        page.keyboard.press("0")
        assert page.locator(".seat .fan .card.back").count() == 0


def test_a_page_for_one_seat_offers_no_other_perspective(open_match):
    page = open_match(played("voleur", 3, options=SHORT["voleur"]), "3&seat=0", views=2)
    assert page.locator(".watchers button").all_text_contents() == ["random/2"]
    for key in ("0", "1", "2"):
        page.keyboard.press(key)
        expect(page.locator(".watchers [aria-pressed=true]")).to_have_text("random/2")
    page.locator("details[data-part=raw] summary").click()
    expect(page.locator("[data-part=view]")).to_contain_text("seat: 2")


def test_hostile_names_are_text(open_match):
    record = played("leon", 4, options={"max_cards": 2})
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    named = type(record)(**fields | {"seats": HOSTILE, "match": HOSTILE[1]})
    for size in (DESKTOP, PHONE):
        page = open_match(named, data={"debug": HOSTILE[0]}, size=size)
        names = page.locator(".seat .name").all_text_contents()
        assert names == [HOSTILE[0], HOSTILE[1], f"\u2068{HOSTILE[2]}\u2069".replace("\u202e", "\\u202e"), HOSTILE[3]]
        assert page.locator("img").count() == 0
        assert sticks_out(page) == 0


def test_faults_are_marked_and_the_seat_is_out(open_match):
    record = play_match("random", "SaysIllegal", "random", game="voleur", seed=3)
    fault = record.faults[0]
    page = open_match(record, data={"debug": "tourney debug x y"})
    page.get_by_text("for bot authors").click()
    page.keyboard.press("m")
    at(page, fault.decision)
    expect(page.locator(".legal .bad")).to_contain_text("FAULT illegal, the house moves")
    assert page.locator(".strip button.bad").count() == 1
    expect(page.locator("[data-part=debug]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".seat[data-seat='1'] .plate")).to_contain_text("out")
    expect(page.locator("[data-part=debug]")).to_be_hidden()  # the house has no bot to debug


class Painted(High):
    """A game that brings a layout."""

    layout = "painted.js"


def test_somebody_elses_game_is_shown_by_its_views_or_by_a_layout_of_its_own(open_match, tmp_path, monkeypatch):
    match = Match("high-00000-0", GameSetup("high", 3, {}), 0, 7, ("sulker", "cheat", "adder"))
    record = play(match, High(), [lambda: Bidder(10), lambda: Bidder(11), lambda: Bidder(None)])
    page = open_match(record, game=High())
    page.keyboard.press("End")
    expect(page.locator(".seat[data-seat='0'] .plate")).to_contain_text("bids 10")
    (tmp_path / "painted.js").write_text(
        'import { register } from "../layouts.js";\nimport {\n  el,\n} from "../elements.js";\n'
        'const root = "a name that the viewer has, too";\n'
        'const own = (scene) => el("p", { class: "own" }, `</script> ${scene.view.bids.length}`);\n'
        'register("high", { middle: (scene) => [own(scene)] });\n',
        encoding="utf-8",
    )
    module = ModuleType("painted")
    module.__file__ = str(tmp_path / "painted.py")
    monkeypatch.setitem(sys.modules, "painted", module)
    monkeypatch.setattr(Painted, "__module__", "painted")
    page = open_match(record, game=Painted())
    page.keyboard.press("End")
    expect(page.locator(".own")).to_have_text("</script> 3")


def test_the_list_of_a_long_match_is_built_as_it_is_scrolled(open_match):
    page = open_match(played("vole", options={"target": 1000, "max_rounds": 30}), "1")
    rows, current = page.locator(".story li"), page.locator(".story [aria-current]")
    total = page.evaluate("tourneyViewer.story.items.length")
    assert rows.count() < total / 2
    page.evaluate("tourneyViewer.go(tourneyViewer.match.last - 1)")
    expect(current.locator(".number")).to_have_text(str(page.evaluate("tourneyViewer.at")))
    assert rows.count() < total / 2
    while rows.count() < total:
        before = rows.count()
        page.evaluate("document.querySelector('.story').scrollTop = 0")
        page.wait_for_function("(before) => document.querySelectorAll('.story li').length > before", arg=before)
    page.evaluate("tourneyViewer.go(2)")
    expect(current.locator(".number")).to_have_text("2")
