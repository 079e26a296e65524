"""A ladder as a user runs it: the same bytes whatever happens, resumed further, and readable by every command."""

import re
import shutil

import orjson
import pytest

from tests.cli.runs import journal, same_run
from tourney.cli.render import progress

BOTS = "\n".join([f'[[bot]]\nname = "{use}-2"\nuse = "{use}"' for use in ("random", "steady")])
TWO = '[[game]]\nname = "vole"\noptions = { target = 6 }'
THREE = '[[game]]\nname = "bang"\nseats = 3\n[[game]]\nname = "voleur"\nseats = 3\nweight = 2'


@pytest.fixture
def ladder(write):
    """Writes the tournament file of a ladder of five bots."""

    def ladder(name: str = "ladder", game: str = TWO, **keys: str):
        usual = {"format": '"ladder"', "deals": "10", "max_matches": "900", "equal_elo": "40", "extra": BOTS}
        return write(name, game=game, **usual | keys)

    return ladder


def lines_of(folder) -> list[bytes]:
    return journal(folder).splitlines(keepends=True)


@pytest.mark.parametrize("game", [TWO, pytest.param(THREE, marks=pytest.mark.slow)])
def test_one_worker_and_two_write_the_same_bytes_and_every_command_reads_them(
    tourney, ladder, tmp_path, game, monkeypatch
):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    file = ladder(game=game)
    for out, workers in (("A", 1), ("B", 2)):
        result = tourney("run", file, "--out", out, "--workers", workers)
        assert result.returncode == 0, result.stderr
    same_run(tmp_path / "A", tmp_path / "B")
    lines = lines_of(tmp_path / "A")
    assert "(sure 0.99, equal within 40 Elo)" in result.stderr
    assert f"\n{len(lines)} of at most 900 matches: " in result.stderr
    assert re.search(r"\| undecided \d of 4 pairs \|", result.stderr)
    assert tourney("verify", "A").stdout == f"{len(lines)} of {len(lines)} records hold\n"
    assert tourney("standings", "A").stdout == result.stdout
    rows = orjson.loads(tourney("standings", "A", "--format", "json").stdout)
    assert {row["stopped"] for row in rows} <= {"sure", "equal", "max_matches"}
    rounds = orjson.loads(tourney("standings", "A", "--rounds", "--format", "json").stdout)
    assert all(each["finished"] for each in rounds)
    listed = [tourney("matches", "A", "--round", i + 1).stdout.splitlines() for i in range(len(rounds))]
    assert sum(map(len, listed)) == len(lines)
    # an unfinished run, within a block
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:50])
    for command in ("standings", "verify"):
        result = tourney(command, "A")
        assert result.returncode == 0, result.stderr
        assert result.stderr == f"not finished: {len(lines) // 2} of at most 900 matches were played\n"
    assert "plays on: undecided" in tourney("standings", "A").stdout
    assert tourney("run", file, "--out", "A", "--resume", "--quiet").returncode == 0
    same_run(tmp_path / "A", tmp_path / "B")


@pytest.mark.slow
def test_a_larger_max_matches_and_a_stricter_sure_go_on_to_the_same_bytes(tourney, ladder, shared_run, tmp_path):
    steps = [
        {"sure": "0.8", "max_matches": "400"},
        {"sure": "0.95", "max_matches": "1000"},
        {"sure": "0.999", "max_matches": "2000"},
    ]
    shutil.copytree(shared_run(ladder(**steps[0])), tmp_path / "grown")
    for keys in steps[1:]:
        result = tourney("run", ladder(**keys), "--out", "grown", "--resume")
        assert result.returncode == 0, result.stderr
        assert journal(tmp_path / "grown").startswith(journal(shared_run(ladder(**steps[0]))))
    same_run(tmp_path / "grown", shared_run(ladder(**steps[-1])))
    assert len(lines_of(tmp_path / "grown")) > 1000
    # a run that went on and was stopped has no standings of before
    (tmp_path / "grown" / "journal.jsonl").write_bytes(b"".join(lines_of(tmp_path / "grown")[:901]))
    result = tourney("standings", "grown")
    assert result.stderr == "not finished: 901 of at most 2000 matches were played\n"
