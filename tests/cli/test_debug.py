"""`tourney debug` with bots of other hosts, and `tourney replay` for people: seats, colours, steps, pages."""

import gzip
import re
import shutil
import sys
from base64 import b64decode

import orjson
import pytest

from tests.cli.runs import Terminal, one_line, plain
from tests.conftest import ROOT, apart, called, tournament_text, with_code
from tests.helpers import play_match
from tourney.cli.render import transcript
from tourney.cli.render.transcript import card_painter
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import Replay
from tourney.table.sentences import seat_names

BOT = """
class Watched:
    asked = 0
    def act(self, view, legal):
        self.asked += 1
        return legal[-1]
"""
BOTS = f"""[{{ name = "program", command = ["{sys.executable}", "program.py"] }},
    {{ name = "own", use = "bots.py:Watched", host = "process" }}]"""
MARKS = """
import contextlib, pathlib
with contextlib.suppress(OSError):
    pathlib.Path(__file__).with_name("mark").touch()
class Bot:
    def act(self, view, legal):
        return legal[-1]
"""


def test_programs_and_bots_in_processes_are_asked_again_and_played_on_with(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "program.py")
    (tmp_path / "bots.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "mixed.toml").write_text(tournament_text("mixed", deals="1", bots="", bot=BOTS), encoding="utf-8")
    assert called(["run", "mixed.toml", "--quiet"], tmp_path).returncode == 0
    assert called(["verify", "mixed", "--bots"], tmp_path).returncode == 0

    def third(bot):
        lines = called(["replay", "mixed", "vole-00000-0", "--decisions-of", bot, "--json"], tmp_path).stdout
        return orjson.loads(lines.splitlines()[2])

    def debug(decision, *arguments, typed=""):
        return apart(tmp_path, "debug", "mixed", "vole-00000-0", decision["decision"], *arguments, typed=typed)

    mine = third("program")
    result = debug(mine)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "bot program: the debugger needs a Python bot, got a program" in result.stderr
    result = debug(mine, "--try", mine["action"])
    assert "the match continues and ends as recorded" in result.stdout
    theirs = third("own")
    result = debug(theirs, typed="p self.asked\np view.as_dict()\nc\n")
    assert result.returncode == 0, "a Python bot is debugged in this process, wherever it ran"
    assert "(Pdb) 2" in result.stdout
    game = load_game("vole")
    legal = ", ".join([f"{game.action(text)} {text}" for text in theirs["legal"]])
    assert f"\nlegal: {legal}\n" in result.stdout.replace("\n  ", " "), "pdb shows numbers alone"
    assert eval(re.search(r"\(Pdb\) (\{.*\})", result.stdout)[1]) == theirs["view"]
    assert result.stdout.splitlines()[-1].endswith(f"answered: {theirs['action']}, as recorded")


SLOW = """
import helper
class Slow:
    def act(self, view, legal):
        return helper.think(legal) if len(view.hand) < 12 else legal[0]
"""
HELPER = """
import time
def think(legal):
    time.sleep(0.4)
    return legal[-1]
"""


def test_the_command_after_a_timeout_shows_where_the_time_of_the_decision_goes(tmp_path):
    for name, text in {"slow": SLOW, "helper": HELPER}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    text = tournament_text("late", deals="1", bots='["first", "slow.py:Slow"]', extra="[limits]\nmove_ms = 200")
    (tmp_path / "late.toml").write_text(text, encoding="utf-8")
    told = apart(tmp_path, "run", "late.toml", "--quiet").stdout.splitlines()[-1]
    assert told.endswith(" --profile")
    result = with_code(apart(tmp_path, *told.split()[1:]))
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = re.findall(r"(?m)^(\*?) +(.+?)  +(\S*:\d+)? +\d+ +[\d.]+ [um]s +([\d.]+ [um]s)$", result.stdout)
    assert [(own, name) for own, name, *_ in rows[:3]] == [("*", "act"), ("*", "think"), ("", "time.sleep")]
    assert all([float(took.split()[0]) >= 400 for *_, took in rows[:3]])
    assert result.stdout.splitlines()[-1].endswith(", as recorded")


@pytest.mark.needs("bubblewrap")
def test_a_bot_of_the_sandbox_is_debugged_outside_only_if_the_user_says_so(tmp_path):
    (tmp_path / "caged.py").write_text(MARKS, encoding="utf-8")
    bot = '[[bot]]\nname = "caged"\nuse = "caged.py:Bot"\nhost = "sandbox"'
    (tmp_path / "caged.toml").write_text(tournament_text("caged", deals="1", bots='["first"]', extra=bot))
    called(["run", "caged.toml", "--quiet"], tmp_path).check_returncode()
    decisions = called(["replay", "caged", "vole-0-0", "--decisions-of", "caged", "--json"], tmp_path).stdout
    mine = orjson.loads(decisions.splitlines()[0])
    command = ["debug", "caged", "vole-0-0", mine["decision"]]
    one_line(apart(tmp_path, *command), 2, "bot caged: ", "outside", "--unsandboxed")
    shown = card_painter(load_game("vole"), colours=False)(mine["action"])
    assert shown != mine["action"]
    assert apart(tmp_path, *command, "--try", shown).returncode == 0
    terminal = Terminal(tmp_path, *command, columns=200)
    assert "with all your permissions" in plain(terminal.until("[y/N]: "))
    terminal.type("n\n")
    assert terminal.end()[1] == 2
    assert not (tmp_path / "mark").exists()
    done = apart(tmp_path, *command, "--unsandboxed", PYTHONBREAKPOINT="0")
    assert (done.returncode, done.stdout.count("caged was not asked before")) == (0, 1)
    assert (tmp_path / "mark").exists()


MATCH = "vole-00001-0"
KEYS = "quit: q"


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_transcript_of_every_game_fits_80_columns_and_has_all_own_decisions(game, seat):
    seats = load_game(game).seats[-1] if game != "bang" else 4
    record = play_match("steady", *["random"] * (seats - 1), game=game, seed=3)
    lines = list(transcript.transcript(record, load_game(game), seat, (1, None)))
    assert max(map(len, lines)) < 80
    names, phrase = seat_names(record.seats), load_game(game).wording.phrase
    for step, action in zip(Replay(record, load_game(game)).steps(), record.actions.split(" "), strict=True):
        if seat in (None, step.seat):
            said = phrase(action, names.__getitem__).by(names[step.seat])
            assert any([line.startswith(f"{step.decision:5}  {said}") for line in lines])
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
        said = load_game("vole").wording.phrase(decisions[at]["action"], str).by("steady")
        assert re.search(rf"^ +{numbers[at]}  {said}\b", screen, re.MULTILINE)
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
        assert page["debug"] == ("" if seat else "tourney debug done vole-00000-0")  # a seat has its own numbers
