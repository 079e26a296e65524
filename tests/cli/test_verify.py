"""`tourney verify` by several workers finds what one finds, shows how far it is, and ends at once by Ctrl-C."""

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests import preloaded
from tests.cli.runs import DAMAGE, MARK, WAIT_S, journal, marked, on_a_terminal, wait_for
from tests.cli.terminal import plain
from tests.conftest import TOURNEY, called, mostly_slow

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
            if now == "sleeps in C":
                os.waitstatus_to_exitcode(os.waitpid(child(), 0)[1])
            if now == "exits":
                os._exit(1)
            if now == "raises":
                raise ValueError
            if now == "waits":
                (HERE / f"waits-{os.getpid()}").touch()
                time.sleep(600)
        if mood() == "slow":
            time.sleep(0.005)
        return legal[-1]

def child():
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
    return pid
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
        preloaded.run(["run", config, "--out", "run", "--quiet"], tmp_path).check_returncode()
        return (tmp_path / "mood").write_text

    return play


def outcome(folder: Path, *arguments: object) -> tuple[int, str, str]:
    result = preloaded.run(["verify", *arguments], folder, WAIT_S)
    return result.returncode, result.stdout, result.stderr


MORE_DAMAGE = {
    "none": lambda lines: lines,
    "nothing left": lambda lines: [],
    "a torn line": lambda lines: [*lines[:-1], lines[-1][:-20]],
    "many changed": lambda lines: [line.replace(b'"places":[1,2]', b'"places":[2,1]') for line in lines],
    "another seal": lambda lines: [
        *lines[:10],
        lines[10][:-4] + (b'0"}\n' if lines[10][-4:-3] != b"0" else b'1"}\n'),
        *lines[11:],
    ],
    "two in the middle missing": lambda lines: [*lines[:9], *lines[11:]],
}
FORMATS = {
    "round-robin": {"deals": "12"},
    "swiss": {"format": '"swiss"', "rounds": "3", "bots": '["random", "first", "steady", "seer"]'},
    "disqualified": {"deals": "12", "extra": '[[bot]]\nname = "bad"\nuse = "bad.py:Raises"\n[limits]\nmax_faults = 3'},
}


CASES = [f"swiss: {damage}" for damage in {**DAMAGE, **MORE_DAMAGE}]
CASES += [f"{form}: {damage}" for form in FORMATS if form != "swiss" for damage in ("none", "many changed")]


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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_journal_that_is_not_there_is_named(finished, tmp_path, workers):
    (finished / "journal.jsonl").unlink()
    code, printed, told = outcome(tmp_path, finished, "--workers", workers)
    assert (code, printed) == (2, "")
    assert told.startswith(f"tourney: {finished}/journal.jsonl: No such file or directory; ")


@pytest.mark.slow
def test_a_large_journal_is_verified_by_several_processes(write, tmp_path):
    config = write(deals="2700", bots='["random", "first"]', game='[[game]]\nname = "vole"')
    preloaded.run(["run", config, "--out", "run", "--quiet"], tmp_path).check_returncode()
    assert (tmp_path / "run" / "journal.jsonl").stat().st_size > 1 << 20
    alone = outcome(tmp_path, "run", "--workers", 1)
    assert alone == (0, "5400 of 5400 records hold\n", "")
    assert outcome(tmp_path, "run") == alone


MOODS = {
    "good": "moody   does all of it again in 12 matches",
    "other": "moody   differs in",
    "raises": "now error, ValueError at ",
    "exits": "now crash, its process ",
    "hangs": "now timeout, its match took too long; recorded ",
    "sleeps in C": "now timeout, its match took too long; recorded ",
}
QUICK_MOODS = ("good", "other")


@pytest.mark.parametrize(
    ("host", "mood"),
    [
        *[("inline", mood) for mood in QUICK_MOODS],
        *[pytest.param("inline", mood, marks=pytest.mark.slow) for mood in MOODS if mood not in QUICK_MOODS],
        *[pytest.param("process", mood, marks=pytest.mark.slow) for mood in ("exits", "hangs")],
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
def test_a_bot_that_cannot_be_loaded_any_more_is_named(moody, tmp_path):
    moody()
    (tmp_path / "bots.py").write_text("raise ValueError('gone')")
    code, printed, told = outcome(tmp_path, "run", "--bots", "--workers", 2)
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert "bots.py cannot be loaded: ValueError: gone; " in told


@pytest.mark.slow
def test_more_workers_than_processors_are_refused_where_bots_have_limits_of_time(moody, tmp_path):
    moody(limits="move_ms = 60000")
    workers = len(os.sched_getaffinity(0)) + 1
    code, _, told = outcome(tmp_path, "run", "--bots", "--workers", workers)
    assert (code, "oversubscribe" in told) == (2, True)
    assert outcome(tmp_path, "run", "--workers", workers)[0] == 0
    assert outcome(tmp_path, "run", "--bots", "--workers", workers, "--oversubscribe")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_it_at_once_with_all_that_it_has_started(moody, tmp_path, workers):
    change = moody(limits="match_s = 600")
    change("waits")
    mark = f"verify-{os.getpid()}-{workers}"
    with subprocess.Popen(
        [TOURNEY, "verify", "run", "--bots", "--workers", str(workers)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {MARK: mark},
    ) as process:
        wait_for(lambda: len(list(tmp_path.glob("waits-*"))) == workers)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=WAIT_S)
    assert (process.returncode, printed, told) == (130, "", "tourney: interrupted\n")
    wait_for(lambda: not marked(mark))


@pytest.mark.slow
def test_a_worker_that_somebody_kills_changes_nothing(moody, tmp_path):
    change = moody(limits="match_s = 600")
    alone = outcome(tmp_path, "run", "--bots", "--workers", 1)
    change("waits")
    with subprocess.Popen(
        [TOURNEY, "verify", "run", "--bots", "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for(lambda: len(list(tmp_path.glob("waits-*"))) == 2)
        change("good")
        for waits in tmp_path.glob("waits-*"):
            with suppress(ProcessLookupError):
                os.kill(int(waits.name.partition("-")[2]), signal.SIGKILL)
        printed, told = process.communicate(timeout=WAIT_S)
    assert (process.returncode, printed, told) == alone


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_is_and_stdout_only_what_was_found(moody, tmp_path):
    change = moody(deals="60", limits="match_s = 600")
    change("slow")
    result = on_a_terminal(tmp_path, "verify", "run", "--bots", "--workers", 2)
    assert (result.returncode, result.stdout.splitlines()[0]) == (0, "120 of 120 records hold")
    assert re.search(r"records +\d+", plain(result.stderr))
    assert outcome(tmp_path, "run", "--bots", "--workers", 2)[2] == "", "and it is shown on a terminal only"


def test_a_short_verification_shows_no_bar(finished, tmp_path):
    result = on_a_terminal(tmp_path, "verify", finished)
    assert (result.returncode, result.stderr) == (0, "")
