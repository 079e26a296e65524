"""`tourney diff`: the first difference of each kind between two runs, or that there is none."""

import pytest

from tourney.contracts.match import Match, record_of
from tourney.journal.reader import parse_sealed_record


@pytest.fixture
def runs(write, played):
    """Two folders of the same run, A and B."""
    return [played(write(), name) for name in ("A", "B")]


def rewrite(run, number, actions):
    """Changes the actions of a record as if it had been played so; its seal holds. Returns it as it was."""
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    old = parse_sealed_record(lines[number], "")
    match = Match(old.match, old.setup, old.block, int(old.seed, 16), old.seats)
    lines[number] = record_of(match, actions(old.actions.split(" ")), old.scores, old.places, old.faults, []).line()
    (run / "journal.jsonl").write_bytes(b"".join(lines))
    return old


def test_two_runs_of_one_tournament_are_the_same(tourney, runs):
    result = tourney("diff", *runs)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "the same")


def test_the_first_differing_decision_is_named_with_the_command_that_shows_it(tourney, runs):
    for number in (9, 7):
        record = rewrite(runs[1], number, lambda actions: " ".join([*actions[:4], "keep", *actions[5:]]))
    result = tourney("diff", *runs)
    assert result.returncode == 1
    assert f"\nactions: {record.match}, decision 5: seat " in result.stdout
    assert f"\n  A {record.actions.split(' ')[4]}\n  B keep\n" in result.stdout
    assert result.stdout.count("actions: ") == 1
    shown = next(line.split() for line in result.stdout.splitlines() if "tourney replay" in line)
    assert shown[:4] == ["tourney", "replay", str(runs[0]), record.match]
    assert tourney(*shown[1:]).returncode == 0


def test_matches_of_other_names_are_not_compared(tourney, runs):
    file = runs[1] / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[1:]))
    result = tourney("diff", *runs)
    assert result.returncode == 1
    told = " ".join(result.stdout.split())
    assert "matches: number 1 is vole-00000-0 in A, vole-00000-1 in B; the rest is not compared" in told
