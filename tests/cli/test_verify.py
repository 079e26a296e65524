"""`tourney verify` by several workers finds what one finds, shows how far it is, and ends at once by Ctrl-C."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.runs import DAMAGE, MARK, WAIT_S, begin, journal, marked, wait_for
from tests.conftest import called, mostly_slow

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
            if now == "other":
                return legal[0]
            if now == "hangs":
                while True:
                    pass
            if now == "waits":
                (HERE / f"waits-{os.getpid()}").touch()
                time.sleep(600)
        return legal[-1]
"""
"""A bot that does what its mood is, beside its file: that of a run is good."""


@pytest.fixture
def moody(write, tmp_path):
    """Plays a run with the moody bot under a host, and returns what sets its mood."""

    def play(host: str = "inline", deals: str = "6", limits: str = "match_s = 2"):
        (tmp_path / "bots.py").write_text(BOTS)
        (tmp_path / "mood").write_text("good")
        bots = f'[[bot]]\nname = "moody"\nuse = "bots.py:Moody"\nhost = "{host}"\n[limits]\n{limits}'
        config = write(bots='["random"]', deals=deals, extra=bots)
        called(["run", str(config), "--out", "run", "--quiet"], tmp_path).check_returncode()
        return (tmp_path / "mood").write_text

    return play


def outcome(folder: Path, *arguments: object) -> tuple[int, str, str]:
    result = called(["verify", *map(str, arguments)], folder)
    return result.returncode, result.stdout, result.stderr


MORE_DAMAGE = {
    "none": lambda lines: lines,
    "many changed": lambda lines: [line.replace(b'"places":[1,2]', b'"places":[2,1]') for line in lines],
}
FORMATS = {
    "round-robin": {"deals": "12"},
    "swiss": {"format": '"swiss"', "rounds": "3", "bots": '["random", "first", "steady", "seer"]'},
    "disqualified": {"deals": "12", "extra": '[[bot]]\nname = "bad"\nuse = "bad.py:Raises"\n[limits]\nmax_faults = 3'},
}


CASES = [f"{form}: {damage}" for form in FORMATS for damage in ("none", "many changed", "two records swapped")]


@pytest.mark.parametrize("case", mostly_slow(CASES, "swiss: two records swapped"))
def test_any_number_of_workers_finds_the_same(write, played, tmp_path, case):
    form, damage = case.split(": ")
    shutil.copy(Path(__file__).parent.parent / "bad" / "bots.py", tmp_path / "bad.py")
    run = played(write(**FORMATS[form]))
    lines = journal(run).splitlines(keepends=True)
    damaged = b"".join({**DAMAGE, **MORE_DAMAGE}[damage](lines))
    sound = b"".join(lines).startswith(damaged)
    (run / "journal.jsonl").write_bytes(damaged)
    alone = called(["verify", str(run), "--workers", "1"], tmp_path)
    assert alone.returncode == (0 if sound else 1)
    several = outcome(tmp_path, run, "--workers", 5 if damage == "none" else 2)
    assert several == (alone.returncode, alone.stdout, alone.stderr)


def test_a_journal_that_is_not_there_is_named(finished, tmp_path):
    (finished / "journal.jsonl").unlink()
    code, printed, told = outcome(tmp_path, finished, "--workers", 2)
    assert (code, printed) == (2, "")
    assert told.startswith(f"tourney: {finished}/journal.jsonl: No such file or directory; ")


MOODS = {
    "good": "moody   does all of it again in 12 matches",
    "other": "moody   differs in",
    "hangs": "now timeout, its match took too long; recorded ",
}
QUICK_MOODS = ("good", "other")


@pytest.mark.parametrize(
    ("host", "mood"),
    [
        *[("inline", mood) for mood in QUICK_MOODS],
        *[pytest.param("inline", mood, marks=pytest.mark.slow) for mood in MOODS if mood not in QUICK_MOODS],
        *[pytest.param("process", mood, marks=pytest.mark.slow) for mood in ("hangs",)],
    ],
)
def test_what_a_bot_does_now_is_the_same_for_any_number_of_workers(moody, tmp_path, mood, host):
    quick = mood in QUICK_MOODS
    change = moody(host, deals="6" if quick else "1")
    change(mood)
    alone = outcome(tmp_path, "run", "--bots", "--workers", 1)
    assert (alone[0], alone[2]) == (0 if mood == "good" else 1, "")
    assert MOODS[mood] in alone[1]
    assert alone[1].startswith(f"{12 if quick else 2} of {12 if quick else 2} records hold\n")
    assert outcome(tmp_path, "run", "--bots", "--workers", 2) == alone


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_it_at_once_with_all_that_it_has_started(moody, tmp_path, workers):
    change = moody(limits="match_s = 600")
    change("waits")
    mark = f"verify-{os.getpid()}-{workers}"
    process = begin(tmp_path, "run", "--bots", "--workers", workers, command="verify", **{MARK: mark})
    wait_for(lambda: len(list(tmp_path.glob("waits-*"))) == workers)
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=WAIT_S)
    assert (process.returncode, printed, told) == (130, "", "tourney: interrupted\n")
    wait_for(lambda: not marked(mark))
