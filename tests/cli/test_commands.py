"""The commands that look at a run, beyond what `test_golden_output` compares."""

from tourney.contracts.match import Match, record_of
from tourney.journal.reader import parse_sealed_record


def test_the_first_differing_decision_is_named_with_the_command_that_shows_it(tourney, write, played):
    """Some actions of two records were changed as if they had been played so; the seals hold."""
    runs = [played(write(), name) for name in ("A", "B")]
    lines = (runs[1] / "journal.jsonl").read_bytes().splitlines(keepends=True)
    for number in (9, 7):
        record = parse_sealed_record(lines[number], "")
        actions = record.actions.split(" ")
        match = Match(record.match, record.setup, record.block, int(record.seed, 16), record.seats)
        changed = " ".join([*actions[:4], "keep", *actions[5:]])
        lines[number] = record_of(match, changed, record.scores, record.places, record.faults, []).line()
    (runs[1] / "journal.jsonl").write_bytes(b"".join(lines))
    result = tourney("diff", *runs)
    assert result.returncode == 1
    assert f"\nactions: {record.match}, decision 5: seat " in result.stdout
    assert f"\n  A {actions[4]}\n  B keep\n" in result.stdout
    assert result.stdout.count("actions: ") == 1
    shown = next(line.split() for line in result.stdout.splitlines() if "tourney replay" in line)
    assert shown[:4] == ["tourney", "replay", str(runs[0]), record.match]
    assert tourney(*shown[1:]).returncode == 0


def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, finished):
    heads = [tourney("standings", finished, COLUMNS=str(n)).stdout.split("\n")[0].split() for n in (40, 80)]
    assert set(heads[0]) < set(heads[1])
