"""`tourney replay` for people: what a seat sees, one bot's decisions, colours, the pager, and step by step."""

import gzip
import re
from base64 import b64decode

import orjson
import pytest

from tests.cli.runs import Terminal, plain
from tests.helpers import play_match
from tourney.cli.render import transcript
from tourney.plugins.registry import game_names, load_game

MATCH = "vole-00001-0"
KEYS = "quit: q"


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_transcript_of_every_game_fits_80_columns_and_has_all_own_decisions(game, seat):
    seats = load_game(game).seats[-1] if game != "bang" else 4
    record = play_match("steady", *["random"] * (seats - 1), game=game, seed=3)
    lines = list(transcript.transcript(record, load_game(game), seat, (1, None)))
    assert max(map(len, lines)) < 80
    actions = record.actions.split(" ")
    shown = {int(line.split()[0]): line.split() for line in lines if re.match(r" *\d+  \d ", line)}
    for number in {number for number, words in shown.items() if seat is None or words[1] == str(seat)}:
        assert shown[number][3] == actions[number - 1]
    if seat is None:
        assert len(shown) == len(actions)
    assert [line for line in lines if line.startswith("end: ")]


@pytest.mark.parametrize(
    ("environment", "signs", "colours"),
    [({}, True, True), ({"NO_COLOR": "1"}, True, False), ({"TERM": "dumb"}, False, False)],
)
def test_a_terminal_gets_signs_and_colours(finished, environment, signs, colours):
    shown, code = Terminal(finished, "replay", ".", MATCH, "--to", "4", LANG="C.UTF-8", **environment).end()
    assert code == 0
    assert ("♜" in shown, "\x1b[" in shown) == (signs, colours)


def test_step_walks_forward_and_back_and_shows_the_view_and_the_legal_actions(tourney, finished):
    data = tourney("replay", finished, MATCH, "--seat", 1, "--json").stdout.splitlines()
    decisions = [orjson.loads(line) for line in data]
    numbers = [each["decision"] for each in decisions]
    terminal = Terminal(finished, "replay", ".", MATCH, "--step", "--seat", "1", "--no-color")
    terminal.until(KEYS)

    def press(keys):
        terminal.type(keys)
        return plain(terminal.until(KEYS))

    walk = [(" ", 1), ("\x1b[C", 2), ("n", 3), ("b", 2), ("\x1b[D", 1), ("G", -1), (" ", -1), ("g", 0), ("b", 0)]
    for keys, at in walk:
        screen = press(keys)
        assert re.findall(r"decision (\d+) of", screen)[-1] == str(numbers[at]), f"after {keys!r}"
        hand = decisions[at]["view"]["hand"]
        assert not hand or f"  hand: {' '.join(hand)}\n" in screen
        assert f"  legal ({len(decisions[at]['legal'])}): " in screen
        assert re.search(rf"^ +{numbers[at]}  1 steady  +{decisions[at]['action']}\b", screen, re.MULTILINE)
    assert "  now:" not in screen
    assert "  now:" in press("v"), "the history of the view"
    terminal.type("q")
    assert terminal.end()[1] == 0


@pytest.mark.usefixtures("finished")
def test_a_match_is_written_as_a_page_for_all_or_for_one_seat(tourney, tmp_path):
    for seen, seat in ((["0", "1"], []), (["1"], ["--seat", "1"])):
        assert tourney("replay", "done", "vole-00000-0", *seat, "--html", "match.html").returncode == 0
        text = (tmp_path / "match.html").read_text(encoding="utf-8")
        page = orjson.loads(gzip.decompress(b64decode(re.search(r'class="match-data"[^>]*>([^<]*)<', text)[1])))
        assert (list(page["seen"]), "everyone" in page) == (seen, not seat)
        assert page["debug"] == "tourney debug done vole-00000-0"
