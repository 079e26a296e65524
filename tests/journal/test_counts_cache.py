"""The counts of a finished run are saved, and standings made from them are those of the records."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.runs import same_run
from tests.cli.test_damage import EMPTY
from tests.conftest import BAD, tournament_text
from tourney import config
from tourney.cli.main import main
from tourney.errors import EXIT_BUG, RunError
from tourney.journal import folder, reader
from tourney.journal.counts_cache import COUNTS
from tourney.runner.live_counts import LiveCounts
from tourney.runner.ordered_pool import PlayedBlocks
from tourney.runner.standings import write_standings
from tourney.schedule.base import schedule

GAMES = '[[game]]\nname = "vole"\noptions = { target = 1 }\n[[game]]\nname = "voleur"\nseats = 3'
FAULTS = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"\n[limits]\nmax_faults = 3'
SHOWN = [
    "",
    "--cross",
    "--seats",
    "--by rating",
    "--by won --format json",
    "--format csv",
    "--game vole",
    "--game voleur --by score",
    "--without-faults",
    "--game vole --cross --without-faults",
]


def tourney(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code != EXIT_BUG, result.output
    return result.exit_code, result.output


def standings(path: Path, shown: str = "") -> str:
    code, output = tourney("standings", path, *shown.split())
    assert code == 0, output
    return output.replace(str(path), "RUN")


def play(folder: Path, workers: int = 1, **keys: str) -> Path:
    (folder / "t.toml").write_text(tournament_text("t", **keys), encoding="utf-8")
    code, output = tourney("run", folder / "t.toml", "--out", folder / "run", "--quiet", "--workers", workers)
    assert code == 0, output
    return folder / "run"


@pytest.fixture(scope="module", params=["sound", "faulty"])
def run(request, tmp_path_factory) -> Path:
    """A finished run of two games, without faults or with some; not to be written to."""
    faulty = {"extra": FAULTS} if request.param == "faulty" else {}
    return play(tmp_path_factory.mktemp("kept"), game=GAMES, deals="3", **faulty)


@pytest.fixture
def other(run, tmp_path) -> Path:
    """A copy of the run, for the test alone."""
    return Path(shutil.copytree(run, tmp_path / "other"))


@pytest.mark.parametrize("shown", SHOWN)
def test_standings_are_the_same_without_saved_counts(run, other, shown):
    (other / COUNTS).unlink()
    assert standings(run, shown) == standings(other, shown)


def test_standings_of_a_finished_run_read_no_record(run, monkeypatch):
    table = standings(run)
    monkeypatch.setattr(reader, "read_batches", lambda *_: pytest.fail("the records were read"))
    assert standings(run) == table


@pytest.fixture(scope="module")
def saved(run) -> tuple[bytes, str]:
    return (run / COUNTS).read_bytes(), standings(run)


@given(data=st.data())
def test_saved_counts_that_were_changed_are_not_used(run, saved, data):
    counts, table = saved
    at = data.draw(st.integers(0, len(counts) - 1))
    changed = data.draw(
        st.sampled_from(
            [counts[:at], counts[:at] + bytes([counts[at] ^ 1]) + counts[at + 1 :], counts[:at] + b"9" + counts[at:]]
        )
    )
    try:
        (run / COUNTS).write_bytes(changed)
        assert standings(run) == table
    finally:
        (run / COUNTS).write_bytes(counts)


@pytest.mark.parametrize("damage", EMPTY)
def test_saved_counts_may_be_something_else_than_a_file(run, other, damage):
    EMPTY[damage](other / COUNTS)
    assert standings(other) == standings(run)


def test_saved_counts_of_another_run_are_not_used(run, other, tmp_path):
    shutil.copy(play(tmp_path, deals="1") / COUNTS, other)
    assert standings(other) == standings(run)


def test_a_changed_record_is_reported_although_counts_are_saved(other):
    journal = (other / folder.JOURNAL).read_bytes()
    (other / folder.JOURNAL).write_bytes(journal.replace(b'"scores":[', b'"scores":[1', 1))
    code, output = tourney("standings", other)
    assert code == 2
    assert "line 1: was changed after it was written" in output


def test_records_that_are_added_during_counting_are_not_lost(run, other, monkeypatch):
    journal, read_batches = (other / folder.JOURNAL).read_bytes(), reader.read_batches
    (other / folder.JOURNAL).write_bytes(b"".join(journal.splitlines(keepends=True)[:6]))

    def meanwhile(*arguments):
        yield from read_batches(*arguments)
        (other / folder.JOURNAL).write_bytes(journal)

    monkeypatch.setattr(reader, "read_batches", meanwhile)
    write_standings(other)
    monkeypatch.undo()
    assert standings(other) == standings(run)


def test_records_that_were_cut_off_do_not_count(other):
    lines = (other / folder.JOURNAL).read_bytes().splitlines(keepends=True)
    (other / folder.JOURNAL).write_bytes(b"".join(lines[:6]))
    assert standings(other).startswith(f"not finished: 6 of {len(lines)} matches were played\n")


def test_standings_follow_a_changed_manifest(run, other):
    manifest = (other / folder.MANIFEST).read_bytes()
    (other / folder.MANIFEST).write_bytes(manifest.replace(b'"name": "steady"', b'"name": "stEady"', 1))
    code, output = tourney("standings", other)
    assert (code, "steady" in standings(run)) == (2, True), output


def test_a_resumed_run_counts_its_records_again(run, other):
    journal, counts = (other / folder.JOURNAL).read_bytes(), (other / COUNTS).read_bytes()
    (other / folder.JOURNAL).write_bytes(journal[: len(journal) // 2])
    code, output = tourney("run", run.parent / "t.toml", "--out", other, "--resume", "--quiet", "--workers", 1)
    assert code == 0, output
    assert (other / COUNTS).read_bytes() == counts


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param("", id="sound"),
        pytest.param(FAULTS, id="out", marks=pytest.mark.slow),
        pytest.param(FAULTS.replace("= 3", "= 1000"), id="faulty", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_counts_made_while_matches_are_played_equal_those_of_the_journal(tmp_path, monkeypatch, extra, workers):
    read, read_batches = [], reader.read_batches

    def noted(*arguments):
        for found in read_batches(*arguments):
            read.extend(found.batch.lines)
            yield found

    monkeypatch.setattr(reader, "read_batches", noted)
    run = play(tmp_path, workers, game=GAMES, deals="40", extra=extra)
    again = Path(shutil.copytree(run, tmp_path / "again"))
    for name in (folder.STANDINGS_JSON, folder.STANDINGS_TEXT, COUNTS):
        (again / name).unlink()
    assert not read
    write_standings(again)
    assert b"".join(read) == (run / folder.JOURNAL).read_bytes()
    same_run(again, run)


@pytest.mark.parametrize("scores", [b"[1.5,2]", b"[1]", b'["1","2"]'])
def test_invalid_scores_of_a_game_are_refused_before_they_are_written(run, scores):
    plan = schedule(config.of_manifest(folder.read_manifest(run)))
    block = next(iter(plan.blocks()))
    lines = (run / folder.JOURNAL).read_bytes().splitlines(keepends=True)[: len(block.seatings)]
    wrong = b"".join([re.sub(rb'"scores":\[[^]]*\]', b'"scores":' + scores, line) for line in lines])
    counts = LiveCounts(run, plan)
    with pytest.raises(RunError, match=r"^vole: scores and places must be whole numbers, one for each seat"):
        counts.add_played(PlayedBlocks([block], wrong, 0.0), 0)
    assert counts.matches == 0


@pytest.mark.parametrize("keys", [{"format": '"swiss"', "rounds": "2"}, {"format": '"knockout"'}])
def test_formats_that_rank_by_more_than_counts_save_none(tmp_path, keys):
    run = play(tmp_path, **keys)
    assert not (run / COUNTS).exists()
    assert standings(run) == (run / folder.STANDINGS_TEXT).read_text(encoding="utf-8")
