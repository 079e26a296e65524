"""Other actions in a browser: their bars and a branch, entered and left by keys, on a server and in a file."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import DESKTOP, PHONE, VIOLATIONS, hindrances, sticks_out
from tests.cli.runs import WAIT_S
from tests.conftest import called, tournament_text
from tests.helpers import SHORT
from tests.report.runs import play
from tests.web.test_serve import served
from tourney.journal.run import RunFolder
from tourney.plugins.registry import game_names, load_game
from tourney.report.what_if import ANEW, REAL
from tourney.table.replay import Replay


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server with a match of every game, and the decision in the middle of each."""
    folder, tables = tmp_path_factory.mktemp("site"), {}
    for name in game_names():
        options = ", ".join([f"{key} = {value}" for key, value in SHORT[name].items()])
        seats = load_game(name).seats[0]
        tables[name] = tournament_text(
            name, deals="1", seatings='"fixed"', bots=str(["steady", "random", "first"][:seats]).replace("'", '"'),
            game=f'[[game]]\nname = "{name}"\nseats = {seats}\noptions = {{ {options} }}',
            extra="\n".join([f'[[bot]]\nname = "r{i}"\nuse = "random"' for i in range(3, seats)]),
        )  # fmt: skip
    play(folder, **tables)
    with served(folder, ".") as client:
        yield client, folder


def middle(record):
    """A decision in the middle of a match with a choice, its seat and actions."""
    game = load_game(record.game)
    steps = [step for step in Replay(record, game).steps() if len(step.legal) > 1 and not step.by_house]
    step = steps[len(steps) // 2]
    return step.decision, step.seat, [game.text(action) for action in step.legal]


def enter(page, dealt):
    """Asks by keys what the last action of the list leads to, and watches it; returns what the banner says."""
    action = page.locator(".legal button.ask").last
    name = action.get_attribute("aria-label")
    action.press("Enter")
    watch = page.get_by_role("button", name="watch this continuation")
    expect(watch).to_be_in_viewport(ratio=1)
    watch.press("Enter")
    banner = page.locator(".what-if")
    expect(banner).to_contain_text(dealt)
    assert name.startswith("what if ")
    assert (hindrances(page), max(0, sticks_out(page))) == ([], 0)
    return banner


@pytest.mark.parametrize("name", game_names())
def test_bars_and_a_branch_are_reached_and_left_by_keys_in_every_game(site, browser, name):
    client, folder = site
    record = next(RunFolder(folder / name).records())
    decision, seat, legal = middle(record)
    problems = []
    for size in (DESKTOP, PHONE):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        page.set_default_timeout(1000 * WAIT_S)
        page.add_init_script(VIOLATIONS)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{client.base_url}/runs/{name}/matches/{record.match}#match={record.match}&decision={decision}")
        where = page.locator("[data-part=where]")
        at = f"decision {decision} of "
        expect(where).to_have_text(f"{at}{record.decisions}")
        for watcher, dealt in (("0", REAL), (str(seat + 1), ANEW)):
            page.keyboard.press(watcher)
            banner = enter(page, dealt)
            expect(where).to_contain_text(at)
            page.keyboard.press("t")
            page.keyboard.press("b")
            for part in ("[data-do=twins]", "[data-do=beliefs]", ".twins", ".beliefs"):
                expect(page.locator(part)).to_be_hidden()
            expect(page.locator("[data-part=match]")).to_contain_text("what if: ")
            expect(page.locator(".legal .chosen")).to_contain_text(re.compile("chosen"))
            page.keyboard.press("End")
            expect(where).to_have_text("end")
            back = page.get_by_role("button", name="back to the match")
            page.keyboard.press("Escape") if watcher == "0" else back.press("Enter")
            expect(banner).to_be_hidden()
            expect(where).to_have_text(f"{at}{record.decisions}")
        assert hindrances(page) == []
        intervals = page.locator(".values li small").all_text_contents()
        assert len(intervals) == len(legal)
        assert all(re.fullmatch(r"\d+ to \d+", text) for text in intervals)
        expect(page.locator(".legal")).to_contain_text("steady plays all seats")
        expect(page.locator(".legal")).to_contain_text("with its 95 % interval")
        page.close()
    assert problems == []


def test_a_report_has_the_branches_of_the_analysis(tmp_path, open_page):
    play(tmp_path, t=tournament_text("t", bots='["steady", "random"]', deals="1"))
    refused = called(["report", "t", "--what-if"], tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert called(["analyse", "t", "--playouts", "4"], tmp_path).returncode == 0
    assert called(["report", "t", "--what-if"], tmp_path).returncode == 0
    page = open_page(tmp_path / "t" / "report.html")
    page.evaluate("""async () => {
      for (const { dataset } of document.querySelectorAll("script.match-data")) {
        await tourneyViewer.open(dataset.match);
        const [decision] = Object.keys(tourneyViewer.match.data.what_if.branches);
        if (decision) return void (location.hash = `match=${dataset.match}&decision=${decision}`);
      }
    }""")
    expect(page.locator(".legal button.ask")).to_be_visible()
    at = page.locator("[data-part=where]").text_content()
    banner = enter(page, REAL)
    page.keyboard.press("Escape")
    expect(banner).to_be_hidden()
    expect(page.locator("[data-part=where]")).to_have_text(at)
    expect(page.locator(".legal")).to_contain_text("up to 4 continuations")
