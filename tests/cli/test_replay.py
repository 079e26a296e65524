"""`tourney replay` for people: what a seat sees, one bot's decisions, colours, the pager, and step by step."""

import gzip
import re
import subprocess
from base64 import b64decode

import orjson
import pytest

from tests.cli.terminal import Terminal, plain
from tests.conftest import ROOT, TOURNEY, tournament_text
from tests.games.test_plain_game import Bidder, High
from tests.helpers import bot, play_match
from tourney.cli.render import transcript
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import Replay
from tourney.table.table import play

MATCH = "vole-00001-0"


def told(game, seat, seed=3):
    seats = load_game(game).seats[-1] if game != "bang" else 4
    names = ["steady", *["random"] * (seats - 1)]
    record = play_match(*names, game=game, seed=seed)
    return record, list(transcript.transcript(record, load_game(game), seat, (1, None)))


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_transcript_of_every_game_fits_80_columns_and_has_all_own_decisions(game, seat):
    record, lines = told(game, seat)
    assert max(map(len, lines)) < 80
    actions = record.actions.split(" ")
    shown = {int(line.split()[0]): line.split() for line in lines if re.match(r" *\d+  \d ", line)}
    mine = {number for number, words in shown.items() if seat is None or words[1] == str(seat)}
    for number in mine:
        assert shown[number][3] == actions[number - 1]
    if seat is None:
        assert len(shown) == len(actions)
    assert re.match(r"end: ", next(line for line in lines if line.startswith("end")))


def test_a_revoke_that_is_caught_is_told_with_the_card_that_is_played_in_its_place():
    record = play_match("steady", "Careless", "random", game="leon", options={"max_cards": 4}, seed=3)
    game = load_game("leon")
    step = next(step for step in Replay(record, game).steps() if step.action not in step.legal)
    seats = (None, *range(3))
    told = {seat: "\n".join(transcript.transcript(record, game, seat, (1, None))) for seat in seats}
    offered, counted = game.text(step.action), game.text(step.legal[0])
    for seat, text in told.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{step.decision:5}  "))
        trick = text[text.index(line) :].partition("trick ")[2].partition(",")[0]
        assert counted.removeprefix("play:") in trick.split()
        assert offered.removeprefix("play:") not in trick.split()
        if seat in (None, step.seat):
            assert f"{offered}      not allowed, counts as {counted}" in line
        else:
            assert offered not in line
            assert counted in line


def test_every_card_of_another_hand_stays_hidden_until_it_is_played():
    record, lines = told("vole", 0)
    text = "\n".join(lines)
    first = text[: text.index("round 2")]
    assert "deck: " not in first
    dealt = next(line for line in lines if line.startswith("  hand: ")).split()[1:]
    named = re.findall(r"(?<!\w)(?:1[01]|[1-9])[tkm]\b", first)
    for card in set(named) - set(dealt):
        uncovered = first.index(card)
        line = first[first.rindex("\n", 0, uncovered) + 1 : first.index("\n", uncovered)]
        assert re.search(r"play:|swap:|up |led |hand ", line), f"{card} is told by {line!r}"
    assert record.match in text


def test_only_one_bots_decisions_with_their_views(tourney, finished):
    lines = tourney("replay", finished, MATCH, "--decisions-of", "steady", "--from", 4, "--to", 12).stdout.splitlines()
    heads = [line for line in lines if line.startswith("decision ")]
    data = tourney("replay", finished, MATCH, "--seat", 1, "--json", "--from", 4, "--to", 12).stdout.splitlines()
    decisions = [orjson.loads(line) for line in data]
    assert [int(head.split()[1]) for head in heads] == [each["decision"] for each in decisions]
    assert all(head.endswith("seat 1, steady") for head in heads)
    hands = [line.split()[1:] for line in lines if line.startswith("  hand: ")]
    assert hands == [each["view"]["hand"] for each in decisions if each["view"]["hand"]]
    assert tourney("replay", finished, MATCH, "--decisions-of", "steady", "--json").stdout.splitlines()[0] in (
        tourney("replay", finished, MATCH, "--seat", 1, "--json").stdout
    )


def test_wrong_use_is_one_line(tourney, finished):
    for arguments, says in [
        (("--decisions-of", "stedy"), 'did you mean "steady"?'),
        (("--decisions-of", "first"), "first does not sit in it"),
        (("--decisions-of", "steady", "--seat", 0), "do not go together"),
        (("--step",), "--step needs a terminal"),
        (("--step", "--json"), "do not go together"),
        (("--from", 5, "--to", 4), "--from 5 is after --to 4"),
        (("--from", 9999), "there is no decision 9999; decisions are 1 to "),
    ]:
        result = tourney("replay", finished, MATCH, *arguments)
        assert result.returncode == 2
        assert says in result.stderr.splitlines()[-1]


def test_a_pipe_gets_plain_text_and_color_can_be_asked_for(tourney, finished):
    plain_text = tourney("replay", finished, MATCH).stdout
    assert plain_text.isascii()
    assert tourney("replay", finished, MATCH, "--no-color").stdout == plain_text
    colored = tourney("replay", finished, MATCH, "--color").stdout
    assert re.search(r"\x1b\[33m\x1b\[1m\d+♜\x1b\[0m", colored)
    letters = plain(colored).translate(str.maketrans({"♜": "t", "⚷": "k", "☾": "m"}))
    assert letters == plain_text


@pytest.mark.parametrize(
    ("environment", "signs", "colours"),
    [({}, True, True), ({"NO_COLOR": "1"}, True, False), ({"TERM": "dumb"}, False, False)],
)
def test_a_terminal_gets_signs_and_colours(finished, environment, signs, colours):
    terminal = Terminal(finished, "replay", ".", MATCH, "--to", "4", LANG="C.UTF-8", **environment)
    shown, code = terminal.end()
    assert code == 0
    assert ("♜" in shown, "\x1b[" in shown) == (signs, colours)


KEYS = "quit: q"


def number(screen):
    return int(re.findall(r"decision (\d+) of", plain(screen))[-1])


def test_step_walks_forward_and_back_and_shows_the_view_and_the_legal_actions(tourney, finished):
    data = tourney("replay", finished, MATCH, "--seat", 1, "--json").stdout.splitlines()
    decisions = [orjson.loads(line) for line in data]
    numbers = [each["decision"] for each in decisions]
    terminal = Terminal(finished, "replay", ".", MATCH, "--step", "--seat", "1", "--no-color")
    screen = terminal.until(KEYS)
    assert number(screen) == numbers[0]

    def press(keys):
        terminal.type(keys)
        return terminal.until(KEYS)

    for keys, at in [
        (" ", 1),
        ("\x1b[C", 2),
        ("n", 3),
        ("b", 2),
        ("\x1b[D", 1),
        ("G", -1),
        (" ", -1),
        ("g", 0),
        ("b", 0),
    ]:
        screen = plain(press(keys))
        assert number(screen) == numbers[at], f"after {keys!r}"
        hand = decisions[at]["view"]["hand"]
        assert not hand or f"  hand: {' '.join(hand)}\n" in screen
        assert f"  legal ({len(decisions[at]['legal'])}): " in screen
        assert re.search(rf"^ +{numbers[at]}  1 steady  +{decisions[at]['action']}\b", screen, re.MULTILINE)
    assert "  now:" not in plain(screen)
    assert "  now:" in plain(press("v")), "the history of the view"
    terminal.type("q")
    assert terminal.end()[1] == 0


def test_step_ends_in_the_end_of_the_match_and_shows_all_seats(finished):
    terminal = Terminal(finished, "replay", ".", MATCH, "--step", "--no-color")
    assert number(terminal.until(KEYS)) == 1
    terminal.type("G")
    assert "\nend: " in plain(terminal.until(KEYS))
    terminal.type("q")
    assert terminal.end()[1] == 0


def test_a_closed_pipe_is_no_error(finished):
    command = f"{TOURNEY} replay {finished} {MATCH} | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (len(result.stdout.splitlines()), "Traceback" in result.stderr) == (1, False)


def test_step_loses_no_key_that_is_typed_ahead(tourney, finished):
    data = tourney("replay", finished, MATCH, "--seat", 1, "--json").stdout.splitlines()
    terminal = Terminal(finished, "replay", ".", MATCH, "--step", "--seat", "1", "--no-color")
    terminal.until(KEYS)
    terminal.type("n \x1b[Cbq")
    screens, code = terminal.end()
    assert (number(screens), code) == (orjson.loads(data[2])["decision"], 0)


def test_an_entrant_that_was_put_out_is_told():
    match = Match("vole-00000-0", GameSetup("vole", 2, {"target": 6}), 0, 5, ("random", "raises"))
    record = play(match, load_game("vole"), [bot("random"), bot("Raises")], out={1: "after 3 faults"})
    lines = list(transcript.transcript(record, load_game("vole"), None, (1, None)))
    assert "out: raises, after 3 faults; the house plays for it" in lines
    assert all(line.endswith("(by the house)") for line in lines if re.match(r" *\d+  1 raises", line))


def test_a_game_that_says_nothing_of_its_own_is_shown_to_a_seat_with_every_action():
    match = Match("high-00000-0", GameSetup("high", 2, {}), 0, 7, ("low", "adder"))
    record = play(match, High(), [lambda: Bidder(3), lambda: Bidder(None)])
    first, second = record.actions.split()
    for seat in (None, 0, 1):
        lines = list(transcript.transcript(record, High(), seat, (1, None)))
        assert "no options" in lines
        shown = [line.split()[:4] for line in lines if re.match(r" *\d+  \d ", line)]
        assert shown == [["1", "0", "low", first], ["2", "1", "adder", second]]
        assert ("deal: secret" in "\n".join(lines)) == (seat is None)


@pytest.mark.slow
def test_a_match_is_written_as_a_page_for_all_or_for_one_seat(tourney, tmp_path):
    (tmp_path / "small.toml").write_text(tournament_text("small", deals="1"), encoding="utf-8")
    assert tourney("run", "small.toml", "--quiet").returncode == 0
    everyone = tourney("replay", "small", "vole-00000-0", "--html", "match.html")
    assert (everyone.returncode, everyone.stderr) == (0, "")
    assert everyone.stdout == "wrote match.html: vole-00000-0; open it in a browser\n"
    one = tourney("replay", "small", "vole-00000-0", "--seat", "1", "--html", "seat.html")
    assert one.stdout.startswith("wrote seat.html: vole-00000-0, as seat 1 (")
    pages = [data_in(tmp_path / name) for name in ("match.html", "seat.html")]
    assert [list(page["seen"]) for page in pages] == [["0", "1"], ["1"]]
    assert ["everyone" in page for page in pages] == [True, False]
    assert pages[0]["debug"] == "tourney debug small vole-00000-0"
    for wrong, line in [
        (("--html", "no/such/match.html"), "no/such"),
        (("--html", "."), "File '.' is a directory"),
        (("--html", "a.html", "--json"), "--html and --json do not go together; give one of them"),
        (("--html", "a.html", "--step"), "--html and --step do not go together; give one of them"),
        (("--html", "a.html", "--from", "3"), "--html writes a whole match; leave out --decisions-of, --from and --to"),
        (("--html", "a.html", "--seat", "2"), "there is no seat 2; seats are 0 to 1"),
    ]:
        refused = tourney("replay", "small", "vole-00000-0", *wrong)
        assert refused.returncode == 2, wrong
        assert line in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "a.html").exists()


def data_in(page):
    """Returns the data of the match that a page holds."""
    packed = re.search(r'class="match-data"[^>]*>([^<]*)<', page.read_text(encoding="utf-8"))[1]
    return orjson.loads(gzip.decompress(b64decode(packed)))
