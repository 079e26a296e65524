"""`tourney run` with bots in other hosts, under limits, as a user runs it."""

import os
import random
import signal
import sys
import time
from contextlib import suppress

import orjson
import pytest

from tests.cli.runs import MARK, begin, journal, journal_started, marked, one_line, parent_of, wait_for, workers_of
from tests.conftest import BAD, ROOT, mostly_slow

WIRE = ROOT / "bots" / "wire"
MIXED = f"""
[[bot]]
name = "apart"
use = "steady"
host = "process"
[[bot]]
name = "program"
command = ["{sys.executable}", "{WIRE / "random_bot.py"}"]
[[bot]]
name = "crashes"
use = "{BAD}:KillsItselfLater"
host = "process"
[[bot]]
name = "remembers"
use = "{BAD}:Remembers"
host = "process"
"""


def bad(name: str, **keys: object) -> str:
    """A `[[bot]]` table of a bad bot."""
    lines = [f"{key} = {orjson.dumps(value).decode()}" for key, value in keys.items()]
    return "\n".join(["[[bot]]", 'name = "bad"', f'use = "{BAD}:{name}"', *lines])


def faults(folder) -> list[tuple[str, str, str]]:
    """Who was charged with what, over all matches."""
    records = [orjson.loads(line) for line in journal(folder).splitlines()]
    return [
        (record["seats"][fault["seat"]], fault["kind"], fault["detail"])
        for record in records
        for fault in record["faults"]
    ]


@pytest.mark.slow
def test_bots_of_all_hosts_together_write_the_same_bytes_with_one_worker_and_with_two(tourney, write, tmp_path):
    config = write(deals="2", bots='["first"]', extra=MIXED)
    for workers in (1, 2):
        result = tourney("run", config, "--out", f"run{workers}", "--workers", workers)
        assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "run1") == journal(tmp_path / "run2")
    assert set(faults(tmp_path / "run1")) == {("crashes", "crash", "its process ended with exit status 3")}
    assert tourney("verify", "run1").returncode == 0
    manifest = orjson.loads((tmp_path / "run1" / "manifest.json").read_bytes())
    assert [bot["host"] for bot in manifest["tournament"]["bots"]] == ["inline", *["process"] * 4]
    assert sorted(path.name for path in (tmp_path / "run1" / "logs").iterdir()) == [
        "apart.txt", "crashes.txt", "program.txt", "remembers.txt",
    ]  # fmt: skip


def test_a_bot_plays_the_same_inline_and_in_a_process(tourney, write, tmp_path):
    for host in ("inline", "process"):
        extra = f'[[bot]]\nname = "steady"\nuse = "steady"\nhost = "{host}"'
        config = write(host, deals="2", bots='["random", "first"]', extra=extra)
        assert tourney("run", config, "--out", host).returncode == 0
    assert journal(tmp_path / "inline") == journal(tmp_path / "process")


def test_a_run_whose_spawner_is_killed_ends_with_one_line_and_resumes_to_the_same_bytes(tourney, write, tmp_path):
    config = write(deals="30", bots='["first"]', extra=bad("HitFromOutside", host="process"))
    hit = {"VICTIM": "spawner", "MOMENT": "act", "SIGNAL": "SIGKILL", "DONE": str(tmp_path / "done")}
    one_line(tourney("run", config, "--out", "run", "--quiet", **hit), 4, "--resume")
    assert tourney("run", config, "--out", "run", "--quiet", "--resume", **hit).returncode == 0
    assert tourney("run", config, "--out", "whole", "--quiet", **hit).returncode == 0
    assert journal(tmp_path / "run") == journal(tmp_path / "whole")


@pytest.mark.parametrize("victim", mostly_slow(["main", "worker", "group"], "main"))
@pytest.mark.parametrize("name", mostly_slow(["Forks", "LeavesChild"], "Forks"))
def test_when_the_run_or_a_worker_is_killed_none_of_its_bots_is_left(write, tmp_path, name, victim):
    config = write(deals="500", bots='["first"]', extra=bad(name, host="process"))
    mark = f"end-of-{victim}-{name}"
    process = begin(tmp_path, config, "--out", "run", "--workers", 1, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    worker = workers_of(process)[0]
    bots = []
    for pid in marked(mark):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            bots += [pid] if os.getsid(pid) != os.getsid(process.pid) else []
    assert bots
    if victim == "main":
        process.kill()
    elif victim == "worker":
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: not set(bots) & set(marked(mark)))
        process.kill()
    else:
        os.killpg(worker, signal.SIGKILL)
        process.kill()
    process.communicate()
    wait_for(lambda: not marked(mark))


def test_nothing_is_left_where_a_worker_and_its_watchdog_are_killed_before_the_run(write, tmp_path):
    config = write(deals="500", bots='["first"]', extra=bad("LeavesChild"))
    mark = "end-of-all-three"
    process = begin(tmp_path, config, "--out", "run", "--workers", 1, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    worker = workers_of(process)[0]
    group = []
    for pid in marked(mark):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            group += [pid] if os.getpgid(pid) == worker != pid else []
    watchdogs = [pid for pid in group if parent_of(pid) != worker]
    assert len(group) > len(watchdogs), "there is no child of a bot"
    process.send_signal(signal.SIGSTOP)  # so that it does not see to the group itself
    for pid in (*watchdogs, worker):
        os.kill(pid, signal.SIGKILL)
    process.kill()
    wait_for(lambda: not marked(mark))
    process.communicate()


@pytest.mark.slow
def test_a_bot_that_hangs_in_c_is_charged_inline_as_well(tourney, write, tmp_path):
    """Nothing in Python can interrupt it: its worker is ended."""
    config = write(
        deals="1", bots='["first"]', extra=bad("HangsInC", move_ms=50, match_s=0.5) + "\n[limits]\nmatch_s = 5"
    )
    result = tourney("run", config, "--out", "run")
    assert result.returncode == 0, result.stderr
    assert set(faults(tmp_path / "run")) == {("bad", "timeout", "its match took too long")}


@pytest.mark.slow
def test_a_bot_that_takes_too_much_memory_is_charged_inline_as_well(tourney, write, tmp_path):
    config = write(deals="1", bots='["first"]', extra=bad("Allocates", memory_mb=100))
    result = tourney("run", config, "--out", "run", "--workers", 1)
    assert result.returncode == 0, result.stderr
    ((name, kind, detail),) = set(faults(tmp_path / "run"))
    assert (name, kind) == ("bad", "memory")
    assert detail.startswith("MemoryError at bots.py:")


def test_limits_of_a_bot_go_before_those_of_all(tourney, write, tmp_path):
    extra = bad("HangsAtOnce", host="process", move_ms=100) + "\n[limits]\nmove_ms = 60000"
    assert tourney("run", write(deals="1", bots='["first"]', extra=extra), "--out", "run").returncode == 0
    assert set(faults(tmp_path / "run")) == {("bad", "timeout", "took longer than move_ms")}


@pytest.mark.slow
def test_a_changed_program_is_not_resumed(tourney, write, tmp_path):
    program = tmp_path / "mine"
    program.write_bytes((WIRE / "random_bot.py").read_bytes())
    program.chmod(0o755)
    config = write(deals="1", bots='["first"]', extra='[[bot]]\nname = "mine"\ncommand = ["./mine"]')
    result = tourney("run", config, "--out", "run")
    assert result.returncode == 0, result.stderr
    program.write_bytes(program.read_bytes() + b"# changed\n")
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "bots.mine.sha256")


def test_a_bot_for_a_process_is_never_loaded_elsewhere(tourney, write, tmp_path):
    """Code that runs when it is imported must not get at the worker, or at the main process."""
    (tmp_path / "nosy.py").write_text(
        "import os, sys\n"
        "with open(os.environ['SEEN'], 'a') as seen: print('tourney.config' in sys.modules, file=seen)\n"
        "class Nosy:\n    def act(self, view, legal): return legal[0]\n",
        encoding="utf-8",
    )
    config = write(deals="1", bots='["first"]', extra='[[bot]]\nname = "nosy"\nuse = "nosy.py:Nosy"\nhost = "process"')
    assert tourney("run", config, "--out", "run", SEEN=str(tmp_path / "seen")).returncode == 0
    assert set((tmp_path / "seen").read_text(encoding="utf-8").split()) == {"False"}


@pytest.mark.slow
def test_kills_and_stops_of_bots_spawners_and_workers_change_nothing_and_leave_nothing(tourney, write, tmp_path):
    """One of the bots has forked a process that holds its pipes."""
    extra = MIXED.replace("KillsItselfLater", "Segfaults") + bad("LeavesChild", host="process")
    config = write(deals="8", bots='["first"]', extra=extra)
    assert tourney("run", config, "--out", "whole").returncode == 0
    mark, rng = f"chaos-{tmp_path}", random.Random(5)
    process = begin(tmp_path, config, "--out", "hit", "--workers", 2, **{MARK: mark})
    killed = 0
    while process.poll() is None and killed < 30:
        time.sleep(rng.expovariate(20))
        found = [pid for pid in marked(mark) if pid != process.pid]
        if found and journal_started(tmp_path / "hit"):
            with suppress(ProcessLookupError):
                os.kill(rng.choice(found), rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP)))
                killed += 1
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert killed >= 10
    assert journal(tmp_path / "hit") == journal(tmp_path / "whole")
    wait_for(lambda: not marked(mark))
