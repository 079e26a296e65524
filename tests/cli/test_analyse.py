"""`tourney analyse` finds the same by any number of workers, keeps it, goes on with it, and says how it was found."""

import os
import re
import shutil
from pathlib import Path

import orjson
import pytest

from tests.cli.runs import MARK, begin, interrupted, marked, one_line, wait_for
from tests.conftest import with_code
from tourney.journal.lines import line_of
from tourney.review.analysis.file import read_analysis

SHORT = '[[game]]\nname = "vole"\noptions = { target = 3 }'  # matches of a round


@pytest.fixture
def run(write, played) -> Path:
    """A run of four short matches between random and steady."""
    return played(write("short", deals="2", bots='["random", "steady"]', game=SHORT))


def kept(run: Path) -> bytes:
    return (run / "analysis.jsonl").read_bytes()


def test_the_same_is_found_by_any_number_of_workers_in_parts_or_at_once(tourney, run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    one = with_code(tourney("analyse", "run", "--playouts", 6, "--workers", 1))
    assert one.stdout.startswith("4 matches, ")
    names = [line.split()[0] for line in tourney("matches", "run", "--sort", "margin").stdout.splitlines()]
    assert list(read_analysis(run)) == names, "the worst first"
    assert tourney("analyse", "other", "vole-0-1", "vole-00000-0", "--playouts", 6, "--workers", 2).returncode == 0
    assert len(kept(other).splitlines()) == 3
    two = tourney("analyse", "other", "--workers", 3)
    assert two.stdout.replace("results/other", "run").replace(" other ", " run ") == one.stdout
    assert sorted(kept(other).splitlines()) == sorted(kept(run).splitlines())
    again = tourney("analyse", "run")
    assert (again.stdout, again.stderr) == (one.stdout, ""), "nothing is left to do"


def test_a_file_of_somebody_else_cannot_name_what_is_run(tourney, run, tmp_path):
    evil = 'from pathlib import Path\n\nPath(__file__).with_name("mark").touch()\n\nclass Evil:\n    pass\n'
    (tmp_path / "evil.py").write_text(evil)
    assert tourney("analyse", "run", "vole-0-0", "--playouts", 4).returncode == 0
    settings, *matches = kept(run).splitlines()
    named = {"substitutes": {"vole": "evil.py:Evil"}, "bots": {"random": "x", "steady": "x"}}
    crafted = line_of(orjson.loads(settings) | named)
    (run / "analysis.jsonl").write_bytes(b"\n".join([crafted[:-1], *matches, b""]))
    one_line(tourney("analyse", "run"), 2, "analysis.jsonl", "overwrite")
    assert not (tmp_path / "mark").exists()


@pytest.mark.slow
def test_ctrl_c_ends_it_says_how_it_goes_on_and_it_does(tourney, run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    assert tourney("analyse", "other", "--playouts", 40).returncode == 0
    mark = f"analyse-{os.getpid()}"
    process = begin(tmp_path, "run", "--playouts", 40, "--workers", 2, command="analyse", **{MARK: mark})
    wait_for(lambda: (run / "analysis.jsonl").exists() and len(kept(run).splitlines()) >= 2)
    printed, told = interrupted(process)
    assert re.match(r"[1-4] match(es)?, \d+ decisions with a choice", printed), "what was found by then"
    assert "costliest decisions" in printed
    assert "\ntourney: stopped after " in told
    assert told.endswith("of 4 matches; continue with: tourney analyse run --playouts 40 --workers 2\n")
    wait_for(lambda: not marked(mark))
    assert kept(other).startswith(kept(run))
    assert tourney("analyse", "run", "--playouts", 40, "--workers", 2).returncode == 0
    assert kept(run) == kept(other)
