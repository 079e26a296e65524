"""`tourney run` as a user runs it: the same bytes whatever happens, and errors of one clear line."""

import os
import random
import shlex
import signal
import time

import orjson
import pytest

from tests.cli.runs import (
    DAMAGE,
    LARGER,
    WAIT_S,
    alive,
    begin,
    journal,
    journal_started,
    kill_again_and_again,
    one_line,
    same_run,
    wait_for,
    workers_of,
)
from tests.conftest import BAD, mostly_slow


def test_a_run_prints_standings_and_leaves_a_complete_folder(tourney, write, tmp_path):
    config = write()
    result = tourney("run", config)
    assert result.returncode == 0
    folder = tmp_path / "results" / "small"
    assert result.stdout == (folder / "standings.txt").read_text(encoding="utf-8")
    assert result.stdout.splitlines()[0].split() == [
        "#", "bot", "rating", "+-", "pts", "%", "w-d-l", "score", "played", "faults", ">next",
    ]  # fmt: skip
    assert {line.split()[1] for line in result.stdout.splitlines()[2:5]} == {"random", "first", "steady"}
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert (folder / "tournament.toml").read_bytes() == config.read_bytes()
    assert len(journal(folder).splitlines()) == 3 * 4 * 2
    manifest = orjson.loads((folder / "manifest.json").read_bytes())
    assert manifest["tournament"]["deals"] == 4
    assert set(manifest["bots"]) == {"random", "first", "steady"}
    assert set(manifest["games"]) == {"vole"}
    assert all(len(found["sha256"]) == 64 for found in [*manifest["bots"].values(), *manifest["games"].values()])
    assert [row["rank"] for row in orjson.loads((folder / "standings.json").read_bytes())] == [1, 2, 3]
    assert result.stderr.startswith("small: round-robin, 3 bots, vole (2 seats), 24 matches, ")
    assert "tourney replay results/small vole-00000-0\n" in result.stderr


def test_one_worker_three_workers_and_another_hash_seed_write_the_same_bytes(tourney, write, shared_run, tmp_path):
    config = write(**LARGER)
    for out, workers, hashseed in (("A", 1, "0"), ("B", 3, "77")):
        assert tourney("run", config, "--out", out, "--workers", workers, PYTHONHASHSEED=hashseed).returncode == 0
        same_run(tmp_path / out, shared_run(config))


def test_every_group_meets_the_same_deals_in_every_seat(finished):
    records = [orjson.loads(line) for line in journal(finished).splitlines()]
    met: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = {}
    for record in records:
        met.setdefault(tuple(sorted(record["seats"])), []).append((record["seed"], tuple(record["seats"])))
    assert len(met) == 3
    seeds = {group: [seed for seed, _ in played] for group, played in met.items()}
    assert len(set(map(tuple, seeds.values()))) == 1
    for group, played in met.items():
        for seed in set(seeds[group]):
            seatings = [seats for its, seats in played if its == seed]
            assert sorted(seatings) == sorted([group, group[::-1]])


@pytest.mark.slow
def test_a_run_killed_at_random_moments_and_resumed_writes_the_same_bytes(tourney, write, shared_run, tmp_path):
    config = write(**LARGER)
    kill_again_and_again(tmp_path, random.Random(4), 5, config)
    assert tourney("run", config, "--out", "killed", "--resume").returncode == 0
    same_run(tmp_path / "killed", shared_run(config))


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
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, errors
    assert killed
    assert journal(tmp_path / "hit") == journal(shared_run(config))


def test_control_c_stops_the_run_soon_and_prints_the_command_that_resumes_it(tourney, write, tmp_path):
    config = write(**LARGER | {"deals": "2000"})
    process = begin(tmp_path, config, "--out", "stopped", "--workers", 2)
    wait_for(lambda: journal_started(tmp_path / "stopped"))
    children = workers_of(process)
    process.send_signal(signal.SIGINT)
    before = len(journal(tmp_path / "stopped").splitlines())
    _, errors = process.communicate(timeout=WAIT_S)
    assert len(journal(tmp_path / "stopped").splitlines()) < before + 4000, "a third of the matches"
    assert process.returncode == 130
    assert "Traceback" not in errors
    last = errors.splitlines()[-1]
    assert last.startswith("tourney: stopped after ")
    again = shlex.split(last.split("continue with: ")[1])
    assert again == ["tourney", "run", str(config), "--out", "stopped", "--resume"]
    wait_for(lambda: not any(alive(child) for child in children))
    size = len(journal(tmp_path / "stopped"))
    process = begin(tmp_path, *again[2:])
    wait_for(lambda: len(journal(tmp_path / "stopped")) > size)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert tourney("verify", "stopped").returncode == 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("KillsItself", "crash"),
        pytest.param("KillsItselfLater", "crash", marks=pytest.mark.slow),
        pytest.param("Hangs", "timeout", marks=pytest.mark.slow),
    ],
)
def test_only_the_bot_that_brings_its_worker_down_is_charged(tourney, write, tmp_path, name, kind):
    config = write(
        deals="1",
        bots='["first", "random"]',
        extra=f'[[bot]]\nname = "bad"\nuse = "{BAD}:{name}"\n[limits]\nmatch_s = {5 if kind == "timeout" else 120}',
    )
    result = tourney("run", config, "--out", "run", "--workers", 2)
    assert result.returncode == 0, result.stderr
    records = [orjson.loads(line) for line in journal(tmp_path / "run").splitlines()]
    for record in records:
        charged = [(record["seats"][fault["seat"]], fault["kind"]) for fault in record["faults"]]
        assert charged == ([("bad", kind)] if "bad" in record["seats"] else [])
    assert tourney("verify", "run").returncode == 0
    rows = orjson.loads((tmp_path / "run" / "standings.json").read_bytes())
    assert {row["bot"]: row["faults"] for row in rows} == {"bad": 4, "first": 0, "random": 0}
    if kind == "crash":
        assert tourney("run", config, "--out", "again", "--workers", 1).returncode == 0
        assert journal(tmp_path / "run") == journal(tmp_path / "again")


def test_a_torn_last_line_is_cut_off_and_played_again(tourney, write, played, tmp_path):
    config = write()
    played(config)
    whole = journal(tmp_path / "run")
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "run" / "journal.jsonl").write_bytes(whole[:size])
        result = tourney("standings", "run")
        assert result.returncode == 0, result.stderr
        assert "not finished" in result.stderr
        assert tourney("run", config, "--out", "run", "--resume").returncode == 0
        assert journal(tmp_path / "run") == whole


def test_resuming_a_finished_run_plays_nothing_and_prints_the_standings(tourney, write):
    config = write()
    first = tourney("run", config, "--out", "run")
    again = tourney("run", config, "--out", "run", "--resume")
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert "played 0 matches" in again.stderr


@pytest.mark.slow
def test_a_changed_configuration_or_bot_is_not_resumed_unless_forced(tourney, write, tmp_path):
    bot = tmp_path / "mine.py"
    bot.write_text("class Mine:\n    def act(self, view, legal):\n        return legal[0]\n", encoding="utf-8")
    config = write(bots='["random", "first", "mine.py:Mine"]')
    assert tourney("run", config, "--out", "run").returncode == 0
    write(bots='["random", "first", "mine.py:Mine"]', deals="5")
    result = tourney("run", config, "--out", "run", "--resume")
    one_line(result, 2, "tournament.deals: 4 became 5", "force")
    write(bots='["random", "first", "mine.py:Mine"]')
    bot.write_text("class Mine:\n    def act(self, view, legal):\n        return legal[-1]\n", encoding="utf-8")
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "bots.mine.sha256")
    assert tourney("run", config, "--out", "run", "--resume", "--force").returncode == 0
    assert tourney("run", config, "--out", "run", "--resume").returncode == 0


def test_two_processes_cannot_write_to_the_same_run(tourney, write, tmp_path):
    config = write(**LARGER | {"deals": "2000"})
    process = begin(tmp_path, config, "--out", "run")
    try:
        wait_for(lambda: journal_started(tmp_path / "run"))
        one_line(tourney("run", config, "--out", "run", "--resume"), 2, "another process is writing")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("damage", mostly_slow(DAMAGE, "a record missing", "a changed score"))
def test_a_damaged_or_foreign_journal_is_one_line_and_stays_as_it_is(tourney, write, played, damage):
    config = write()
    file = played(config) / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    damaged = b"".join(DAMAGE[damage](lines))
    if damage == "a changed score":
        damaged = b"".join([lines[0].replace(b'"block":0', b'"block":1'), *lines[1:]])
    file.write_bytes(damaged)
    for command in (["standings", "run"], ["matches", "run"], ["run", config, "--out", "run", "--resume"]):
        one_line(tourney(*command), 2, "journal.jsonl, line ")
    assert file.read_bytes() == damaged
    result = tourney("verify", "run")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
