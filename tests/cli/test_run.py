"""`tourney run` as a user runs it: the same bytes whatever happens, and errors of one clear line."""

import os
import shlex
import signal
import time

from tests.cli.runs import LARGER, alive, begin, interrupted, journal, journal_started, same_run, wait_for, workers_of
from tests.conftest import with_code

COUNTED = """
import time
class Counted:
    def start(self, facts):
        with open("seated.txt", "a") as file:
            print(facts.game.name, file=file)
    def act(self, view, legal):
        time.sleep(0.05)
        raise ValueError
"""


def test_one_worker_three_workers_and_another_hash_seed_write_the_same_bytes(tourney, write, shared_run, tmp_path):
    config = write(**LARGER)
    assert tourney("run", config, "--out", "A", "--workers", 1).returncode == 0
    assert tourney("run", config, "--out", "B", "--workers", 3, PYTHONHASHSEED="77").returncode == 0
    for out in ("A", "B"):
        same_run(tmp_path / out, shared_run(config))


def test_a_killed_worker_does_not_change_the_journal(write, shared_run, tmp_path):
    config = write(**LARGER)
    process = begin(tmp_path, config, "--out", "hit", "--workers", 2)
    killed = 0
    while process.poll() is None and killed < 3:
        for worker in workers_of(process)[:1]:
            if journal_started(tmp_path / "hit"):
                os.kill(worker, signal.SIGKILL)
                killed += 1
        time.sleep(0.1)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert killed
    assert journal(tmp_path / "hit") == journal(shared_run(config))


def test_control_c_stops_the_run_soon_and_prints_the_command_that_resumes_it(tourney, write, tmp_path):
    config = write(**LARGER | {"deals": "2000"})
    process = begin(tmp_path, config, "--out", "stopped", "--workers", 2)
    wait_for(lambda: journal_started(tmp_path / "stopped"))
    children = workers_of(process)
    before = len(journal(tmp_path / "stopped").splitlines())
    _, errors = interrupted(process)
    assert len(journal(tmp_path / "stopped").splitlines()) < before + 4000, "a third of the matches"
    assert "Traceback" not in errors
    last = errors.splitlines()[-1]
    assert last.startswith("tourney: stopped after ")
    again = shlex.split(last.split("continue with: ")[1])
    assert again == ["tourney", "run", str(config), "--out", "stopped", "--workers", "2", "--resume"]
    wait_for(lambda: not any(alive(child) for child in children))
    size = len(journal(tmp_path / "stopped"))
    process = begin(tmp_path, *again[2:])
    wait_for(lambda: len(journal(tmp_path / "stopped")) > size)
    interrupted(process, signal.SIGTERM)
    assert tourney("verify", "stopped").returncode == 0


def test_a_torn_last_line_is_cut_off_and_played_again(tourney, write, played, tmp_path):
    config = write()
    played(config)
    whole = journal(tmp_path / "run")
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "run" / "journal.jsonl").write_bytes(whole[:size])
        assert "incomplete" in with_code(tourney("standings", "run")).stderr
        assert tourney("run", config, "--out", "run", "--resume").returncode == 0
        assert journal(tmp_path / "run") == whole


def test_a_dry_run_plays_two_matches_of_every_bot_in_each_game_and_leaves_no_run(tourney, write, tmp_path):
    (tmp_path / "counted.py").write_text(COUNTED)
    leon = '[[game]]\nname = "vole"\n[[game]]\nname = "leon"\nseats = 3'
    config = write(deals="50", game=leon, bots='["random", "first", "counted.py:Counted", "steady"]')
    result = with_code(tourney("run", config, "--dry-run", "--workers", 1))
    assert not (tmp_path / "results").exists()
    seated = (tmp_path / "seated.txt").read_text().split()
    assert seated.count("vole") == 2 <= seated.count("leon") <= 3
    assert f" {50 * (6 * 2 + 4 * 3)} matches, about 0:" in result.stdout
    assert f"counted: {len(seated)} faults, the first: error at decision " in result.stdout
    told = [line.partition(",")[0] for line in result.stdout.splitlines()[2:]]
    assert told[:-1] == ["slowest bot: counted", f"counted: {len(seated)} faults"]
