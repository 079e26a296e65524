"""A journal or manifest that another program changes in mid-run ends the run with one line, and nothing is lost."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runs import Held, copy_bots, journal, one_line, same_run, wait_for
from tourney.journal import folder

GATE = ("gate", Held.BOT, "--against", "random", "--game", "vole", "--option", "vole.target=6", "--inline")
CAP = ("--max-deals", 20, "--elo0", -3, "--elo1", 3)


def add(data: bytes) -> Callable[[Path], None]:
    return lambda file: file.open("ab").write(data)


def cut(share: float) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, int(file.stat().st_size * share))


def overwrite(file: Path) -> None:
    """Changes a byte in the middle, in place."""
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 2)
        opened.write(b"#")


def replace(file: Path) -> None:
    """Puts a copy into the place of the file."""
    shutil.copy(file, file.with_suffix(".copy"))
    file.with_suffix(".copy").rename(file)


@pytest.fixture
def held(write, tourney, tmp_path) -> Callable[[], tuple[Held, list[object]]]:
    """Starts a run that waits after some records; returns it, and the command that goes on with it."""
    copy_bots(tmp_path)
    file = write(bots=f'["first", "random", "{Held.BOT}"]')
    assert tourney("run", file, "--out", "whole", "--quiet").returncode == 0

    def held() -> tuple[Held, list[object]]:
        started = Held(tmp_path, "run", file, "--out", "run")
        wait_for(lambda: journal(tmp_path / "run"))  # the bot that waits does not play in the first matches
        return started, ["run", file, "--out", "run", "--resume", "--quiet"]

    return held


def cut_as_told(told: str, file: Path) -> None:
    """Does what the error says."""
    if size := re.search(r"cut it to its first (\d+) bytes", told):
        os.truncate(file, int(size[1]))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (add(b"junk"), "another program added 4 bytes; cut it to its first "),
        pytest.param(
            add(b'{"match":1}\n' * 99), "another program added 1188 bytes; cut it to its first ", marks=pytest.mark.slow
        ),
        pytest.param(cut(0), "was cut by another program to 0 of ", marks=pytest.mark.slow),
        (cut(0.6), "was cut by another program to "),
    ],
)
def test_a_journal_that_grows_or_shrinks_ends_the_run_which_goes_on_as_told(tourney, held, tmp_path, change, says):
    run, again = held()
    change(tmp_path / "run" / "journal.jsonl")
    result = run.finish()
    one_line(result, 4, "run/journal.jsonl: ", says, "continue with: tourney run ", "--resume")
    assert tourney("standings", "run").returncode in (0, 2)
    cut_as_told(result.stderr, tmp_path / "run" / "journal.jsonl")
    assert tourney(*again).returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.slow
def test_a_journal_that_is_replaced_ends_the_run(tourney, held, tmp_path):
    run, again = held()
    replace(tmp_path / "run" / "journal.jsonl")
    one_line(run.finish(), 4, "journal.jsonl: cannot be written (another file is in its place)", "--resume")
    assert tourney(*again).returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.slow
def test_a_run_whose_folder_is_moved_ends_and_goes_on_once_it_is_back(tourney, held, tmp_path):
    run, again = held()
    (tmp_path / "run").rename(tmp_path / "moved")
    one_line(run.finish(), 4, "cannot be written (No such file or directory); put back what is missing", "--resume")
    (tmp_path / "moved").rename(tmp_path / "run")
    assert tourney(*again).returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.slow
def test_a_journal_that_is_overwritten_ends_the_run_when_all_is_played(tourney, held, tmp_path):
    run, again = held()
    overwrite(tmp_path / "run" / "journal.jsonl")
    result = run.finish()
    one_line(result, 4, "was changed by another program; cut it before the first line that `tourney verify` finds")
    assert not (tmp_path / "run" / "standings.txt").exists()
    number = int(re.search(r"line (\d+)", tourney("verify", "run").stdout)[1])
    lines = journal(tmp_path / "run").splitlines(keepends=True)
    (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(lines[: number - 1]))
    assert tourney(*again).returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.slow
def test_a_manifest_that_is_changed_ends_the_run_when_all_is_played(tourney, held, tmp_path):
    run, again = held()
    manifest = tmp_path / "run" / "manifest.json"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole.replace(b'"deals": 4', b'"deals": 3'))
    one_line(run.finish(), 2, "manifest.json: was changed after it was written")
    changed = folder.read_manifest(tmp_path / "whole")
    folder.write_manifest(tmp_path / "run", changed | {"tourney": "0"})
    one_line(tourney(*again), 2, "tourney: ")
    manifest.write_bytes(whole)
    assert tourney(*again).returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")


@pytest.mark.slow
def test_a_gate_notices_it_too(tourney, tmp_path):
    copy_bots(tmp_path)
    assert tourney(*GATE, *CAP, "--out", "whole").returncode == 3
    gate = Held(tmp_path, *GATE, *CAP, "--out", "gate")
    add(b"junk")(tmp_path / "gate" / "journal.jsonl")
    result = gate.finish()
    one_line(result, 4, "another program added 4 bytes", "continue with: tourney gate ", "--resume")
    cut_as_told(result.stderr, tmp_path / "gate" / "journal.jsonl")
    assert tourney(*GATE, *CAP, "--out", "gate", "--resume").returncode == 3
    same_run(tmp_path / "gate", tmp_path / "whole")
