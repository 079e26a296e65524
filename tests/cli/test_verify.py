"""`tourney verify` by several workers finds what one finds, shows how far it is, and ends at once by Ctrl-C."""

import os
import shutil

import pytest

from tests.cli.runs import DAMAGE, MARK, begin, interrupted, journal, marked, one_line, wait_for
from tests.conftest import BAD, called, mostly_slow

BOTS = """
import os, time
from pathlib import Path
HERE = Path(__file__).parent
def mood():
    return (HERE / "mood").read_text()
class Moody:
    def __init__(self):
        self.count = 0
    def act(self, view, legal):
        self.count += 1
        if self.count == 2:
            now = mood()
            if now == "hangs":
                while True:
                    pass
            if now == "waits":
                (HERE / f"waits-{os.getpid()}").touch()
                try:
                    time.sleep(600)
                except BaseException:
                    time.sleep(600)
        return legal[-1]
"""
"""A bot that does what its mood is, beside its file: that of a run is good."""
FORMATS = {
    "round-robin": {"deals": "12"},
    "swiss": {"format": '"swiss"', "rounds": "3", "bots": '["random", "first", "steady", "seer"]'},
    "disqualified": {"deals": "12", "extra": '[[bot]]\nname = "bad"\nuse = "bad.py:Raises"\n[limits]\nmax_faults = 3'},
}
MOODS = {"good": "   repeats every decision in 12 matches", "hangs": "now timeout, its match took too long; recorded "}


@pytest.fixture
def moody(write, tmp_path):
    """Plays a run with the moody bot under a host, and returns what sets its mood."""

    def play(host="inline", deals="6", limits="match_s = 2"):
        (tmp_path / "bots.py").write_text(BOTS)
        (tmp_path / "mood").write_text("good")
        bots = f'[[bot]]\nname = "moody"\nuse = "bots.py:Moody"\nhost = "{host}"\n[limits]\n{limits}'
        config = write(bots='["random"]', deals=deals, extra=bots)
        called(["run", str(config), "--out", "run", "--quiet"], tmp_path).check_returncode()
        return (tmp_path / "mood").write_text

    return play


def outcome(folder, *arguments):
    result = called(["verify", *map(str, arguments)], folder)
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("form", "damage"), [("round-robin", ""), ("swiss", "two records swapped"), ("disqualified", "many changed")]
)
def test_any_number_of_workers_finds_the_same(write, played, tmp_path, form, damage):
    shutil.copy(BAD, tmp_path / "bad.py")
    run = played(write(**FORMATS[form]))
    lines = journal(run).splitlines(keepends=True)
    if damage:
        (run / "journal.jsonl").write_bytes(b"".join(DAMAGE[damage](lines)))
    alone = outcome(tmp_path, run, "--workers", 1)
    assert alone[0] == (1 if damage else 0)
    assert outcome(tmp_path, run, "--workers", 2 if damage else 5) == alone


def test_a_journal_that_is_not_there_is_named(finished, tmp_path):
    (finished / "journal.jsonl").unlink()
    result = called(["verify", str(finished), "--workers", "2"], tmp_path)
    one_line(result, 2, f"cannot read {finished}/journal.jsonl (No such file or directory); ")


@pytest.mark.parametrize(
    ("host", "mood"),
    mostly_slow([("inline", "good"), ("inline", "hangs"), ("process", "hangs")], ("inline", "good")),
)
def test_what_a_bot_does_now_is_the_same_for_any_number_of_workers(moody, tmp_path, mood, host):
    moody(host, deals="1" if mood == "hangs" else "6")(mood)
    alone = outcome(tmp_path, "run", "--bots", "--workers", 1)
    assert (alone[0], alone[2]) == (0 if mood == "good" else 1, "")
    assert MOODS[mood] in alone[1]
    assert outcome(tmp_path, "run", "--bots", "--workers", 2) == alone


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_ends_it_at_once_with_all_that_it_has_started(moody, tmp_path, workers):
    moody(limits="match_s = 600")("waits")
    mark = f"verify-{os.getpid()}-{workers}"
    process = begin(tmp_path, "run", "--bots", "--workers", workers, command="verify", **{MARK: mark})
    wait_for(lambda: len(list(tmp_path.glob("waits-*"))) == workers)
    assert interrupted(process) == ("", "tourney: interrupted\n")
    wait_for(lambda: not marked(mark))
