"""The package where it is not Linux: what a system lacks is taken away here (`tests.pretended`)."""

import os
import subprocess
import sys

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import BAD, ROOT
from tests.hosts.play import against_good, opened
from tourney.hosts import inline
from tourney.hosts.base import BotSpec

APART = f"""
[[bot]]
name = "apart"
use = "steady"
host = "process"
[[bot]]
name = "kept"
use = "random"
host = "process"
keep = true
[[bot]]
name = "raises"
use = "{BAD}:RaisesLiar"
host = "process"
[[bot]]
name = "program"
command = ["{sys.executable}", "{ROOT / "bots" / "wire" / "random_bot.py"}"]
"""
SLOW = """
import time

class Sleepy:
    def act(self, view, legal):
        time.sleep(0.3)
        return legal[0]

class Deaf:
    def act(self, view, legal):
        time.sleep(0.3)
        raise ValueError
"""


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_every_module_can_be_imported_where_what_only_linux_has_is_missing(platform):
    command = [sys.executable, "-m", "tests.pretended", platform]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)


@pytest.mark.slow
@pytest.mark.parametrize("portable", ["1", "0"])
def test_runs_kills_resumes_and_bad_bots_come_to_the_same_the_portable_way(portable):
    tried = subprocess.run(
        [sys.executable, "-m", "tests.elsewhere"],
        cwd=ROOT,
        env=os.environ | {"TOURNEY_PORTABLE": portable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (tried.stderr, tried.returncode) == ("", 0), tried.stdout


def test_both_ways_write_the_same_bytes_with_bots_in_the_worker_and_in_processes_of_their_own(tmp_path, tourney, write):
    config = write(deals="2", bots='["first"]', extra=APART)
    for portable in "01":
        result = tourney("run", config, "--out", f"run{portable}", "--workers", 2, TOURNEY_PORTABLE=portable)
        assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "run0") == journal(tmp_path / "run1")
    assert b'"kind":"error"' in journal(tmp_path / "run0")


def test_a_python_that_was_built_for_an_older_linux_plays_as_others_do(tmp_path, tourney, write):
    lacking = "import os\nfor name in ('memfd_create', 'pidfd_open'): vars(os).pop(name, None)\n"
    (tmp_path / "sitecustomize.py").write_text(lacking, encoding="utf-8")
    config = write(deals="2", bots='["first"]', extra=APART)
    for run, environment in (("own", {}), ("lacking", {"PYTHONPATH": str(tmp_path)})):
        result = tourney("run", config, "--out", run, "--workers", 2, **environment)
        assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "own") == journal(tmp_path / "lacking")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (
            {"extra": '[[bot]]\nname = "seer"\nhost = "sandbox"'},
            'host = "sandbox" needs Linux on x86-64 or arm64; use host = "process"',
        ),
        ({"extra": "[limits]\nmemory_mb = 100"}, "limits.memory_mb: this limit needs Linux; leave it out here"),
        ({"extra": '[[bot]]\nname = "seer"\nhost = "process"\ncpu_ms = 5'}, "bot seer: cpu_ms: this limit needs Linux"),
    ],
)
def test_what_cannot_be_kept_elsewhere_is_refused_in_one_line(keys, told, tourney, write):
    result = tourney("run", write(**keys), "--out", "run", TOURNEY_PORTABLE="1")
    one_line(result, 2, told)


@pytest.mark.parametrize("bots", [["first", "Sleepy"], ["first", "Deaf"]])
def test_bots_are_charged_for_their_time_where_no_timer_can_interrupt_them(bots, tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.setattr(inline, "_call", inline._awaited)
    spec = BotSpec("slow", "inline", f"slow.py:{bots[1]}", {}, (), tmp_path, ("vole",))
    with opened(spec, None, move_ms=100) as host:
        record = against_good(host)
    found = [(fault.seat, fault.kind, fault.detail) for fault in record.faults]
    assert found == [(1, "timeout", "took longer than move_ms")]
