"""`tourney analyse` finds the same by any number of workers, keeps it, goes on with it, and says how it was found."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from tests import preloaded
from tests.cli.runs import MARK, WAIT_S, marked, on_a_terminal, one_line, wait_for
from tests.conftest import ROOT, TOURNEY, called, mostly_slow, tournament_text
from tourney.journal.times import TIMES
from tourney.review.analysis.file import VERSION, read_analysis, read_settings, sealed, unsealed
from tourney.review.analysis.summary import bot_analyses

SHORT = '[[game]]\nname = "vole"\noptions = { target = 3 }'
"""Matches of a round."""


@pytest.fixture
def run(write, played) -> Path:
    """A run of four short matches between random and steady."""
    return played(write("short", deals="2", bots='["random", "steady"]', game=SHORT))


def analyse(folder: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(["analyse", *arguments], folder, WAIT_S, **environment)


def kept(run: Path) -> bytes:
    return (run / "analysis.jsonl").read_bytes()


@pytest.mark.slow
def test_the_same_is_found_by_any_number_of_workers_in_parts_or_at_once(run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    one = analyse(tmp_path, "run", "--playouts", 6, "--workers", 1)
    assert one.returncode == 0, one.stderr
    assert one.stdout.startswith("4 matches, ")
    assert analyse(tmp_path, "other", "vole-0-1", "vole-00000-0", "--playouts", 6, "--workers", 2).returncode == 0
    assert len(kept(other).splitlines()) == 3
    two = analyse(tmp_path, "other", "--workers", 3)
    assert two.stdout.replace("results/other", "run").replace(" other ", " run ") == one.stdout
    assert kept(other) == kept(run)
    again = analyse(tmp_path, "run")
    assert (again.stdout, again.stderr) == (one.stdout, ""), "nothing is left to do"


def test_what_is_kept_has_a_line_with_the_settings_and_one_for_each_match(run, tmp_path):
    assert analyse(tmp_path, "run", "--playouts", 4).returncode == 0
    settings, *matches = map(orjson.loads, kept(run).splitlines())
    assert (settings["analysis"], settings["playouts"]) == (VERSION, 4)
    assert settings["bots"] == {"random": "", "steady": ""}
    assert [match["match"] for match in matches] == [f"vole-0000{deal}-{i}" for deal in (0, 1) for i in (0, 1)]
    found = read_analysis(run)
    assert list(found) == [match["match"] for match in matches]
    decisions = [cost for match in found.values() for cost in match.decisions]
    assert decisions
    assert all([cost.best == cost.chosen or cost.loss or cost.error or not cost.mistake for cost in decisions])


@pytest.mark.slow
def test_one_bot_after_the_other_comes_to_both_together(run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    assert analyse(tmp_path, "run", "--playouts", 4).returncode == 0
    for bot in ("steady", "random"):
        result = analyse(tmp_path, "other", "--playouts", 4, "--bot", bot)
        assert result.returncode == 0
        assert [line.split()[0] for line in result.stdout.split("\n\n")[1].splitlines()[2:]] == [bot]
    assert read_analysis(other) == read_analysis(run)


@pytest.mark.slow
def test_a_torn_line_is_cut_off_and_what_is_missing_is_found_again(run, tmp_path):
    assert analyse(tmp_path, "run", "--playouts", 4).returncode == 0
    whole = kept(run)
    for size in (10, len(whole) // 2, len(whole) - 1):
        (run / "analysis.jsonl").write_bytes(whole[:size])
        assert analyse(tmp_path, "run", "--playouts", 4).returncode == 0
        assert kept(run) == whole


@pytest.mark.slow
def test_another_number_of_playouts_is_refused_until_it_is_overwritten(run, tmp_path):
    assert analyse(tmp_path, "run", "vole-0-0", "--playouts", 4).returncode == 0
    before = kept(run)
    one_line(
        analyse(tmp_path, "run", "--playouts", 5), 2, "run/analysis.jsonl", "made with 4 playouts, not 5", "overwrite"
    )
    assert kept(run) == before
    assert analyse(tmp_path, "run", "vole-0-0").returncode == 0, "the number is that of before"
    assert kept(run) == before
    assert analyse(tmp_path, "run", "vole-0-0", "--playouts", 5, "--overwrite").returncode == 0
    settings = read_settings(run)
    assert settings is not None
    assert settings.playouts == 5


def test_an_analysis_that_was_stopped_before_its_first_match_binds_nobody(run, tmp_path):
    assert analyse(tmp_path, "run", "--playouts", 6, "--workers", 1).returncode == 0
    whole = kept(run)
    for settings in (whole, whole.replace(b'"analysis":', b'"analysis":1', 1)):  # those of another version have no seal
        (run / "analysis.jsonl").write_bytes(settings.splitlines(keepends=True)[0])
        other = analyse(tmp_path, "run", "vole-0-0", "--playouts", 4, "--workers", 1)
        assert other.returncode == 0, other.stderr
        one_line(analyse(tmp_path, "run", "--playouts", 6), 2, "was made with 4 playouts, not 6; overwrite")
    (run / "analysis.jsonl").write_bytes(whole.splitlines(keepends=True)[0] + b'{"torn')
    assert analyse(tmp_path, "run", "--workers", 1).returncode == 0, "with as many playouts as it was begun with"
    assert kept(run) == whole


def test_damaged_times_hide_nothing(run, tmp_path):
    (run / TIMES).write_text("{", encoding="utf-8")
    done = analyse(tmp_path, "run", "--playouts", 4, "--workers", 1)
    assert done.returncode == 0
    assert "random, played on by steady: how long it thinks was not measured" in done.stdout
    assert analyse(tmp_path, "run").stdout == done.stdout, "it was decided once"


@pytest.mark.slow
def test_a_run_that_is_played_anew_has_no_analysis(write, tmp_path):
    config = write("short", deals="1", bots='["random", "steady"]', game=SHORT)
    preloaded.run(["run", config, "--quiet"], tmp_path).check_returncode()
    assert analyse(tmp_path, "short", "--playouts", 4).returncode == 0
    preloaded.run(["run", config, "--quiet", "--overwrite"], tmp_path).check_returncode()
    assert not (tmp_path / "results" / "short" / "analysis.jsonl").exists()


OTHERS = f"""
[[bot]]
name = "program"
command = ["{sys.executable}", "program.py"]

[[bot]]
name = "apart"
use = "first"
host = "process"

[[bot]]
name = "slow"
use = "others.py:Slow"

[[bot]]
name = "gone"
use = "gone.py:Gone"
"""
BOTS = """
import time

class Slow:
    def act(self, view, legal):
        time.sleep(0.002)
        return legal[0]

class Gone:
    def act(self, view, legal):
        return legal[0]
"""


@pytest.mark.slow
def test_for_a_bot_that_cannot_play_on_steady_does_and_the_head_says_why(write, tmp_path):
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "program.py")
    for name in ("others", "gone"):
        (tmp_path / f"{name}.py").write_text(BOTS)
    config = write("others", deals="1", bots='["first"]', game=SHORT, extra=OTHERS)
    preloaded.run(["run", config, "--quiet"], tmp_path).check_returncode()
    (tmp_path / "gone.py").unlink()
    result = analyse(tmp_path, "others", "--playouts", 4)
    assert result.returncode == 0, result.stderr
    head = " ".join(result.stdout.partition("\n\n")[0].split())
    assert "played on by themselves: first " in head
    assert "program, played on by steady: it is a program" in head
    assert "apart, played on by steady: its host is process" in head
    assert re.search(r"slow, played on by steady: it thinks \d+\.\d ms a decision", head)
    assert "gone, played on by steady: it cannot be loaded: " in head
    assert "gone.py" in head
    settings = read_settings(tmp_path / "results" / "others")
    assert settings is not None
    (tmp_path / "gone.py").write_text(BOTS)
    again = analyse(tmp_path, "others")
    texts = [re.sub("tourney (debug|replay).*", "", each.stdout) for each in (result, again)]
    assert (again.returncode, texts[0]) == (0, texts[1]), "it was decided once"
    assert "tourney debug" in again.stdout
    assert "tourney debug" not in result.stdout, "it cannot stop without all bots"


@pytest.mark.slow
def test_a_bot_that_has_changed_since_the_analysis_is_noticed(write, tmp_path):
    (tmp_path / "mine.py").write_text(BOTS)
    config = write("mine", deals="1", bots='["first", "mine.py:Gone"]', game=SHORT)
    preloaded.run(["run", config, "--quiet"], tmp_path).check_returncode()
    assert analyse(tmp_path, "mine", "vole-0-0", "--playouts", 4).returncode == 0
    (tmp_path / "mine.py").write_text(BOTS.replace("legal[0]", "legal[-1]"))
    one_line(analyse(tmp_path, "mine"), 2, "bot mine had other source code", "overwrite")
    assert analyse(tmp_path, "mine", "--playouts", 4, "--overwrite").returncode == 0


@pytest.mark.slow
def test_a_file_of_somebody_else_cannot_name_what_is_run(run, tmp_path):
    evil = 'from pathlib import Path\n\nPath(__file__).with_name("mark").touch()\n\nclass Evil:\n    pass\n'
    (tmp_path / "evil.py").write_text(evil)
    assert analyse(tmp_path, "run", "vole-0-0", "--playouts", 4).returncode == 0
    settings, *matches = kept(run).splitlines()
    crafted = orjson.loads(unsealed(settings)) | {
        "substitutes": {"vole": "evil.py:Evil"},
        "bots": {"random": "x", "steady": "x"},
    }
    (run / "analysis.jsonl").write_bytes(b"\n".join([sealed(orjson.dumps(crafted)), *matches, b""]))
    one_line(analyse(tmp_path, "run"), 2, "analysis.jsonl", "overwrite")
    assert not (tmp_path / "mark").exists()


FAILS = """
class Fails:
    count = 0

    def act(self, view, legal):
        assert len(view.hand) == 13 or self.count, "it was not there from the beginning"
        self.count += 1
        return legal[0]
"""


@pytest.mark.slow
def test_a_bot_that_cannot_begin_in_the_middle_is_out_of_the_playout(write, tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    config = write("fails", deals="1", bots='["first", "fails.py:Fails"]', game=SHORT)
    preloaded.run(["run", config, "--quiet"], tmp_path).check_returncode()
    result = analyse(tmp_path, "fails", "--playouts", 4)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


HANGS = """
import time

class Hangs:
    begun = False

    def act(self, view, legal):
        if len(view.hand) < 13 and not self.begun:
            time.sleep(600)
        self.begun = True
        return legal[0]
"""


@pytest.mark.slow
def test_a_bot_that_hangs_as_it_begins_in_the_middle_ends_the_analysis_with_one_line(write, tmp_path):
    (tmp_path / "hangs.py").write_text(HANGS)
    limits = "[limits]\nmatch_s = 2"
    config = write("hangs", deals="1", bots='["first", "hangs.py:Hangs"]', game=SHORT, extra=limits)
    preloaded.run(["run", config, "--quiet"], tmp_path).check_returncode()
    says = (
        "match vole-00000-0: ",
        "or a bot does so that plays on",
        "continue with: tourney analyse hangs --play",
    )
    one_line(analyse(tmp_path, "hangs", "--playouts", 4), 4, *says)


DAMAGE = {
    "no JSON": (b"{\n", "line 1: is damaged"),
    "another JSON": (b'{"a":1}\n', "line 1: is damaged"),
    "another version": ((b'"analysis":2', b'"analysis":99'), "another version"),
    "a changed digit": ((b'"decision":1', b'"decision":2'), "line 2: is damaged (its seal does not hold)"),
}


@pytest.mark.parametrize("damage", mostly_slow(DAMAGE, "no JSON"))
def test_damage_is_one_line(run, tmp_path, damage):
    data, says = DAMAGE[damage]
    if isinstance(data, tuple):
        assert analyse(tmp_path, "run", "vole-0-0", "--playouts", 4, "--bot", "steady").returncode == 0
        old, new = data
        assert old in kept(run)
        data = kept(run).replace(old, new, 1)
    (run / "analysis.jsonl").write_bytes(data)
    one_line(analyse(tmp_path, "run"), 2, "run/analysis.jsonl", says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none",), "no such run"),
        (("run", "vole-9-9"), 'no match "vole-9-9"'),
        (("run", "--bot", "stedy"), 'did you mean "steady"?'),
        (("run", "--playouts", "3"), "--playouts"),
        (("run", "--workers", "0"), "--workers"),
    ],
)
def test_wrong_use_is_one_line(run, tmp_path, arguments, says):
    one_line(called(["analyse", *arguments], tmp_path), 2, says)
    assert not (run / "analysis.jsonl").exists()


@pytest.mark.slow
def test_formats_hold_the_same(run, tmp_path):
    assert analyse(tmp_path, "run", "--playouts", 4).returncode == 0
    data = orjson.loads(analyse(tmp_path, "run", "--format", "json").stdout)
    assert data["settings"]["playouts"] == 4
    assert [bot["bot"] for bot in data["bots"]] == ["random", "steady"]
    lines = analyse(tmp_path, "run", "--format", "csv").stdout.splitlines()
    assert lines[0] == "match,game,bot,decision,seat,chosen,best,expected,loss,error,luck,mistake,phase"
    assert len(lines) - 1 == sum([bot["decisions"] for bot in data["bots"]])
    found = bot_analyses(read_analysis(run).values())
    assert [(bot.bot, bot.loss, bot.mistakes) for bot in found] == [
        (bot["bot"], bot["loss"], bot["mistakes"]) for bot in data["bots"]
    ]
    markdown = analyse(tmp_path, "run", "--format", "markdown").stdout
    assert "| random |" in markdown
    assert "tourney debug run vole-" in markdown


@pytest.mark.slow
def test_lines_fit_but_for_the_commands_which_are_whole(run, tmp_path):
    assert analyse(tmp_path, "run", "vole-0-0", "--playouts", 4).returncode == 0
    costliest = [cost for bot in bot_analyses(read_analysis(run).values()) for cost in bot.costliest]
    for columns in (40, 80, 120):
        shown = analyse(tmp_path, "run", "vole-0-0", COLUMNS=str(columns)).stdout.splitlines()
        assert max([len(line) for line in shown if "tourney debug" not in line]) <= columns
        commands = [line.strip() for line in shown if "tourney debug" in line]
        assert commands == [f"tourney debug run {match} {cost.decision}" for match, cost in costliest]


@pytest.mark.slow
def test_ctrl_c_ends_it_says_how_it_goes_on_and_it_does(run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    assert analyse(tmp_path, "other", "--playouts", 40).returncode == 0
    mark = f"analyse-{os.getpid()}"
    with subprocess.Popen(
        [TOURNEY, "analyse", "run", "--playouts", "40", "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {MARK: mark},
    ) as process:
        wait_for(lambda: (run / "analysis.jsonl").exists() and len(kept(run).splitlines()) >= 2)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=WAIT_S)
    assert (process.returncode, printed) == (130, "")
    assert told.startswith("tourney: stopped after ")
    assert told.endswith("of 4 matches; continue with: tourney analyse run --playouts 40 --workers 2\n")
    wait_for(lambda: not marked(mark))
    assert kept(other).startswith(kept(run))
    assert analyse(tmp_path, "run", "--playouts", 40, "--workers", 2).returncode == 0
    assert kept(run) == kept(other)


@pytest.mark.slow
def test_who_is_killed_has_lost_no_whole_match(run, tmp_path):
    with subprocess.Popen([TOURNEY, "analyse", "run", "--playouts", "40"], cwd=tmp_path) as process:
        wait_for(lambda: (run / "analysis.jsonl").exists() and len(kept(run).splitlines()) >= 2)
        process.kill()
    begun = kept(run)
    assert analyse(tmp_path, "run").returncode == 0
    assert kept(run).startswith(begun[: begun.rfind(b"\n") + 1])
    assert len(read_analysis(run)) == 4


@pytest.mark.slow
def test_two_at_once_do_not_write_the_same_file(run, tmp_path):
    with subprocess.Popen([TOURNEY, "analyse", "run", "--playouts", "40"], cwd=tmp_path) as process:
        wait_for(lambda: (run / "analysis.jsonl").exists() and kept(run))
        one_line(analyse(tmp_path, "run"), 2, "another process is writing to this run")
        process.kill()


@pytest.mark.slow
def test_a_foreign_bot_is_not_run_unless_the_user_says_so(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "others.py").write_text(BOTS)
    (theirs / "t.toml").write_text(tournament_text("t", deals="1", bots='["first", "others.py:Gone"]', game=SHORT))
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state of theirs")}
    subprocess.run([TOURNEY, "run", "t.toml", "--quiet"], cwd=theirs, check=True, capture_output=True, env=environment)
    one_line(analyse(theirs, "t", "--playouts", 4), 2, "was not played here by you", "others.py", "--trust")
    assert analyse(theirs, "t", "--playouts", 4, "--trust").returncode == 0


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_is_and_stdout_only_what_was_found(run, tmp_path):
    shown = on_a_terminal(tmp_path, "analyse", run, "--playouts", 100)
    assert (shown.returncode, shown.stdout.splitlines()[0][:10]) == (0, "4 matches,")
    assert "matches" in shown.stderr
    assert "a second" in shown.stderr
