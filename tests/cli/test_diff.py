"""`tourney diff`: the first difference of each kind between two runs, or that there is none."""

import pytest

from tests.conftest import tournament_text
from tourney.contracts.match import Match, record_of
from tourney.journal.reader import parse_sealed_record, read_lines


@pytest.fixture
def runs(write, played):
    """Two folders of the same run, A and B."""
    return [played(write(), name) for name in ("A", "B")]


def rewrite(run, number, **keys):
    """Changes a record as if it had been played so; its seal holds."""
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    record = parse_sealed_record(lines[number], "")
    new = {key: keys.get(key, getattr(record, key)) for key in record.__struct_fields__}
    match = Match(new["match"], record.setup, new["block"], int(new["seed"], 16), new["seats"])
    changed = record_of(match, new["actions"], new["scores"], new["places"], new["faults"], [])
    lines[number] = changed.line()
    (run / "journal.jsonl").write_bytes(b"".join(lines))
    return record


def test_two_runs_of_one_tournament_are_the_same(tourney, runs):
    result = tourney("diff", *runs)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "the same")


def test_the_first_differing_decision_is_named_with_the_command_that_shows_it(tourney, runs):
    for number in (7, 9):
        record = parse_sealed_record((runs[1] / "journal.jsonl").read_bytes().splitlines(keepends=True)[number], "")
        actions = record.actions.split(" ")
        rewrite(runs[1], number, actions=" ".join([*actions[:4], "keep", *actions[5:]]))
    first = list(read_lines(runs[0]))[7]
    record = parse_sealed_record(first, "")
    result = tourney("diff", *runs)
    assert result.returncode == 1
    assert f"\nactions: {record.match}, decision 5: seat " in result.stdout
    assert f"\n  A {record.actions.split(' ')[4]}\n  B keep\n" in result.stdout
    assert result.stdout.count("actions: ") == 1
    shown = next(line.split() for line in result.stdout.splitlines() if "tourney replay" in line)
    assert shown[:4] == ["tourney", "replay", str(runs[0]), record.match]
    assert tourney(*shown[1:]).returncode == 0


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"seed": "0" * 31 + "1"}, "deals: "),
        ({"seats": ("first", "steady")}, "seats: "),
        ({"scores": (40, 2)}, "scores: "),
    ],
)
def test_each_kind_of_difference_has_its_line(tourney, runs, keys, says):
    record = rewrite(runs[1], 3, **keys)
    result = tourney("diff", *runs)
    assert result.returncode == 1
    assert f"\n{says}{record.match}\n  A " in result.stdout


def test_another_configuration_and_a_journal_that_ends_earlier_are_told(tourney, tmp_path, finished):
    (tmp_path / "small.toml").write_text(tournament_text("small", deals="3"), encoding="utf-8")
    assert tourney("run", "small.toml", "--out", "B", "--quiet").returncode == 0
    result = tourney("diff", finished, "B")
    assert result.returncode == 1
    assert "configuration: tournament.deals: 4 in A, 3 in B\n" in result.stdout
    assert "matches: B ends after 18, A continues with vole-00009-0\n" in result.stdout


def test_matches_of_other_names_are_not_compared(tourney, runs):
    file = runs[1] / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[1:]))
    result = tourney("diff", *runs)
    assert result.returncode == 1
    told = " ".join(result.stdout.split())
    assert "matches: number 1 is vole-00000-0 in A, vole-00000-1 in B; the rest is not compared" in told
