"""A tournament in the sandbox writes the same bytes with each backend."""

import json
import shutil

import pytest

from tests.hosts import machine
from tourney.hosts.sandbox import launcher
from tourney.plugins import bot_names

EATER = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "act":
        kept = [bytes([n % 255 + 1]) * (1 << 20) for n in range(10_000)]
    answer = {"type": message["type"]} | ({"protocol": message["protocol"]} if message["type"] == "hello" else {})
    print(json.dumps(answer), flush=True)
"""
LOOKER = """
import os

class Looker:
    def act(self, view, legal):
        for look in (lambda: os.listdir(RUN), lambda: open(f"{RUN}/journal.jsonl"), lambda: open(OTHER)):
            try:
                look()
            except OSError:
                continue
            raise LookupError
        return legal[0]
"""
TOURNAMENT = """
name = "locked"
seed = 1
deals = 1
bots = ["random"]
[[bot]]
name = "looker"
use = "looker.py:Looker"
host = "sandbox"
[[bot]]
name = "eater"
command = ["/usr/bin/env", "python3", "eater.py"]
host = "sandbox"
[[game]]
name = "vole"
options = { target = 6 }
[limits]
memory_mb = 100
"""


@pytest.mark.slow
def test_a_run_is_the_same_with_both_backends_and_its_bots_see_nothing_of_it(tmp_path, tourney, monkeypatch):
    journals = []
    (tmp_path / "eater.py").write_text(EATER, encoding="utf-8")
    paths = f"RUN, OTHER = {str(tmp_path / 'run')!r}, {str(tmp_path / 'eater.py')!r}\n"
    (tmp_path / "looker.py").write_text(paths + LOOKER, encoding="utf-8")
    (tmp_path / "locked.toml").write_text(TOURNAMENT, encoding="utf-8")
    for backend in machine.BACKENDS:
        machine.need(backend)
        monkeypatch.setenv(launcher.VARIABLE, backend)
        done = tourney("run", "locked.toml", "--out", "run")
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("sandbox: ")]
        assert line.startswith(f"sandbox: by {backend}")
        assert ("which is weaker than others" in line) == (backend != "bubblewrap")
        journals.append((tmp_path / "run" / "journal.jsonl").read_bytes())
        shutil.rmtree(tmp_path / "run")
    assert len(set(journals)) == 1
    faults = [
        (record["seats"][fault["seat"]], fault["kind"])
        for record in map(json.loads, journals[0].splitlines())
        for fault in record["faults"]
    ]
    assert set(faults) == {("eater", "crash")}


@pytest.mark.slow
def test_all_bots_play_the_same_in_the_sandbox_as_inline(tmp_path, tourney):
    machine.need_any()
    journals = []
    for host in ("inline", "sandbox"):
        bots = "".join([f'[[bot]]\nname = "{name}"\nuse = "{name}"\nhost = "{host}"\n' for name in bot_names()])
        game = '[[game]]\nname = "vole"\noptions = { target = 6 }\n'
        (tmp_path / "all.toml").write_text(f'name = "all"\nseed = 1\ndeals = 1\n{bots}{game}', encoding="utf-8")
        done = tourney("run", "all.toml", "--out", host, "--quiet")
        assert (done.returncode, done.stderr) == (0, "")
        journals.append((tmp_path / host / "journal.jsonl").read_bytes())
    assert journals[0] == journals[1]


SMALL = """
name = "small"
seed = 1
deals = 1
bots = ["first"]
[[bot]]
name = "locked"
use = "first"
host = "sandbox"
[[game]]
name = "vole"
options = { target = 6 }
"""


def isolation(run):
    return json.loads((run / "manifest.json").read_bytes()).get("isolation")


@pytest.mark.slow
def test_a_run_notes_by_what_its_bots_are_kept_in_and_goes_on_with_another(tmp_path, tourney, monkeypatch):
    backend, other = "bubblewrap", "landlock"
    machine.need(backend)
    machine.need(other)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    monkeypatch.setenv(launcher.VARIABLE, backend)
    done = tourney("run", "small.toml", "--out", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    run = tmp_path / "run"
    assert isolation(run) == {"sandbox": [backend]}
    whole = (run / "journal.jsonl").read_bytes()
    (run / "journal.jsonl").write_bytes(whole[: whole.index(b"\n") + 1])
    monkeypatch.setenv(launcher.VARIABLE, other)
    done = tourney("run", "small.toml", "--out", "run", "--resume", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert isolation(run) == {"sandbox": [backend, other]}
    assert (run / "journal.jsonl").read_bytes() == whole


@pytest.mark.slow
def test_where_no_bot_is_in_the_sandbox_nothing_is_said_of_it(tmp_path, tourney):
    (tmp_path / "open.toml").write_text(SMALL.replace('"sandbox"', '"process"'), encoding="utf-8")
    done = tourney("run", "open.toml", "--out", "run")
    assert (done.returncode, "sandbox" in done.stderr) == (0, False)
    assert isolation(tmp_path / "run") is None
