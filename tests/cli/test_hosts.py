"""`tourney run` with bots in other hosts, under limits, as a user runs it."""

import os
import signal
import sys

import orjson
import pytest

from tests.cli.runs import begin, interrupted, journal, journal_started, one_line, wait_for, workers_of
from tests.conftest import BAD, ROOT, mostly_slow, with_code

MIXED = f"""[{{ name = "first" }}, {{ name = "apart", use = "steady", host = "process" }},
    {{ name = "program", command = ["{sys.executable}", "{ROOT / "bots/wire/random_bot.py"}"] }},
    {{ name = "crashes", use = "{BAD}:KillsItselfLater", host = "process" }},
    {{ name = "remembers", use = "{BAD}:Remembers", host = "process" }}]"""


def test_bots_of_all_hosts_together_write_the_same_bytes_with_one_worker_and_with_two(tourney, write, tmp_path):
    config = write(deals="1", bots="", bot=MIXED)
    for workers in (1, 2):
        result = with_code(tourney("run", config, "--out", f"run{workers}", "--workers", workers))
        assert "every match: first; isolated: program (" in " ".join(result.stderr.split())
    assert journal(tmp_path / "run1") == journal(tmp_path / "run2")
    records = [orjson.loads(line) for line in journal(tmp_path / "run1").splitlines()]
    faults = {(each["seats"][it["seat"]], it["kind"], it["detail"]) for each in records for it in each["faults"]}
    assert faults == {("crashes", "crash", "process ended with exit status 3")}
    assert tourney("verify", "run1").returncode == 0
    manifest = orjson.loads((tmp_path / "run1" / "manifest.json").read_bytes())
    assert [bot["host"] for bot in manifest["tournament"]["bots"]] == ["inline", *["process"] * 4]
    logs = {path.name for path in (tmp_path / "run1" / "logs").iterdir()}
    assert logs == {"apart.txt", "crashes.txt", "program.txt", "remembers.txt"}


def test_a_run_whose_spawner_is_killed_ends_with_one_line_and_resumes_to_the_same_bytes(tourney, write, tmp_path):
    hit = f'[{{ name = "bad", use = "{BAD}:HitFromOutside", host = "process" }}]'
    config = write(deals="3", bots='["first"]', bot=hit)
    hit = {"VICTIM": "spawner", "MOMENT": "act", "SIGNAL": "SIGKILL", "DONE": str(tmp_path / "done")}
    one_line(tourney("run", config, "--out", "run", "--quiet", **hit), 4, "--resume")
    assert tourney("run", config, "--out", "run", "--quiet", "--resume", **hit).returncode == 0
    assert tourney("run", config, "--out", "whole", "--quiet", **hit).returncode == 0
    assert journal(tmp_path / "run") == journal(tmp_path / "whole")


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("end", mostly_slow(["ctrl-c", "a worker is killed"], "a worker is killed"))
def test_nothing_is_left_in_the_temporary_folder(write, tmp_path, end):
    (temporary := tmp_path / "temporary").mkdir()
    extra = "".join([f'[[bot]]\nname = "{host}"\nuse = "first"\nhost = "{host}"\n' for host in ("process", "sandbox")])
    process = begin(tmp_path, write(deals="500", bots="[]", extra=extra), "--workers", 1, TMPDIR=str(temporary))
    run = tmp_path / "results" / "small"
    wait_for(lambda: journal_started(run))
    if end == "a worker is killed":
        os.kill(workers_of(process)[0], signal.SIGKILL)
        size = len(journal(run))
        wait_for(lambda: len(journal(run)) > size)
    interrupted(process)
    assert list(temporary.iterdir()) == []


def test_a_bot_for_a_process_is_never_loaded_elsewhere(tourney, write, tmp_path):
    """Code that runs when it is imported must not get at the worker, or at the main process."""
    looks = "import os, sys\nprint('tourney.config' in sys.modules, file=open(os.environ['SEEN'], 'a'), flush=True)\n"
    bot = "class Nosy:\n    def act(self, view, legal): return legal[0]\n"
    (tmp_path / "nosy.py").write_text(looks + bot, encoding="utf-8")
    config = write(deals="1", bots='["first"]', extra='[[bot]]\nname = "nosy"\nuse = "nosy.py:Nosy"\nhost = "process"')
    assert tourney("run", config, "--out", "run", SEEN=str(tmp_path / "seen")).returncode == 0
    assert set((tmp_path / "seen").read_text(encoding="utf-8").split()) == {"False"}
