"""Runs that somebody has made up, seals included: what no match can have is refused in one line, or not used."""

import shutil
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from tests.cli.crafted import COUNTS, LINES, RECORDS, deep, lines_of, read_counts, resealed, save_counts, sealed
from tests.conftest import tournament_text
from tourney.cli.main import main
from tourney.errors import EXIT_BUG
from tourney.journal import folder


def tourney(*arguments: object) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code != EXIT_BUG, (arguments, result.output)
    if result.exit_code in (2, 4):
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert len(result.stderr) < 1500
    return result


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("crafted")
    (place / "t.toml").write_text(tournament_text("t", bots='["first", "random"]', deals="2"), encoding="utf-8")
    assert tourney("run", place / "t.toml", "--out", place / "run", "--quiet", "--workers", 1).exit_code == 0
    return place / "run"


@pytest.fixture
def run(original, tmp_path) -> Path:
    shutil.copy(original.parent / "t.toml", tmp_path)
    return Path(shutil.copytree(original, tmp_path / "run"))


def resume(run: Path) -> Result:
    return tourney("run", run.parent / "t.toml", "--out", run, "--resume", "--quiet", "--workers", 1)


@pytest.mark.parametrize("at", [pytest.param(0, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("change", [*RECORDS, *LINES])
def test_a_record_that_no_match_has_is_refused(run, original, change, at):
    lines = lines_of(run)
    if change in RECORDS:
        lines[at] = sealed(RECORDS[change](orjson.loads(lines[at])))
    else:
        lines[at] = resealed(LINES[change](lines[at]))
    (run / folder.JOURNAL).write_bytes(b"".join(lines))
    match = orjson.loads(lines_of(original)[at])["match"]
    assert tourney("verify", run).exit_code == 1
    for command in (["standings"], ["matches"], ["debug", match, 1, "--try", "pass"]):
        assert tourney(command[0], run, *command[1:]).exit_code in (0, 2)
    assert tourney("diff", run, original).exit_code in (1, 2)
    if change in RECORDS:
        assert tourney("replay", run, match).exit_code == 2
        assert tourney("standings", run).exit_code == 2
        assert resume(run).exit_code == 2
    assert (run / folder.JOURNAL).read_bytes() == b"".join(lines)


@pytest.mark.parametrize("change", COUNTS)
def test_counts_that_no_run_has_are_not_used(run, original, change):
    save_counts(run, orjson.dumps(read_counts(run)))
    assert tourney("standings", run).output == tourney("standings", original).output
    save_counts(run, orjson.dumps(COUNTS[change](read_counts(run))))
    for shown in ([], ["--cross"], ["--seats"], ["--by", "rating", "--format", "json"]):
        assert tourney("standings", run, *shown).output == tourney("standings", original, *shown).output


MANIFESTS = {
    "no seats": lambda manifest: manifest["tournament"]["games"][0].update(seats=0),
    "a million seats": lambda manifest: manifest["tournament"]["games"][0].update(seats=10**6),
    "a negative seed": lambda manifest: manifest["tournament"].update(seed="-1"),
    "a long seed": lambda manifest: manifest["tournament"].update(seed=33 * "f"),
    "a seed with marks": lambda manifest: manifest["tournament"].update(seed=f"0x{30 * 'f'}"),
    "a name that leads out": lambda manifest: manifest["tournament"]["bots"][0].update(name="../first"),
    "a name with a line break": lambda manifest: manifest["tournament"]["bots"][0].update(name="a\nb"),
    "two of a name": lambda manifest: manifest["tournament"]["bots"][0].update(name="random"),
    "a NUL": lambda manifest: manifest["tournament"]["bots"][0].update(use="a\0.py:b"),
    "options without end": lambda manifest: manifest["tournament"]["bots"][0].update(options=deep(200)),
    "an endless weight": lambda manifest: manifest["tournament"].update(weights=[1e308, 1e308]),
    "a list of fingerprints": lambda manifest: manifest.update(bots=[]),
    "a fingerprint that is none": lambda manifest: manifest.update(bots={"first": 1}),
    "games that are none": lambda manifest: manifest.update(games="vole"),
    "a gate that is none": lambda manifest: manifest.update(gate={"max_deals": "x"}),
    "matches without time": lambda manifest: manifest["tournament"].update(match_s=-1),
    "more deals than there are": lambda manifest: manifest["tournament"].update(deals=10**15),
    "an unknown host": lambda manifest: manifest["tournament"]["bots"][0].update(host="nowhere"),
}


@pytest.mark.parametrize("change", MANIFESTS)
def test_a_manifest_that_no_run_has_is_refused(run, original, change):
    manifest = folder.read_manifest(run)
    MANIFESTS[change](manifest)
    folder.write_manifest(run, manifest)
    for command in ("standings", "matches", "verify"):
        assert tourney(command, run).exit_code == (0 if change == "an unknown host" else 2), change
    assert tourney("diff", run, original).exit_code in (1, 2)
    assert tourney("replay", run, "vole-00000-0").exit_code in (0, 2)
    assert tourney("debug", run, "vole-00000-0", 1, "--try", "pass").exit_code == 2
    assert resume(run).exit_code == 2
    gate = ["gate", "first", "--against", "random", "--game", "vole", "--out", run, "--resume", "--quiet"]
    assert tourney(*gate).exit_code == 2
