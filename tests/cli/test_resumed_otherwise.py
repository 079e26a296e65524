"""A run that is resumed as another tournament is refused and stays as it is, unless its matches belong to that."""

import pytest

from tests.cli.runs import journal, one_line
from tests.cli.test_overwrite import files
from tourney.journal import folder

NOT_ALL = "some of its matches are not in this tournament"
ANOTHER_KIND = "holds a gate; use another folder"
OTHERS = {
    "another seed": ({"seed": "4"}, "tournament.seed"),
    "fewer deals than were played": ({"deals": "1"}, "tournament.deals: 2 became 1"),
    "another bot": ({"bots": '["first", "steady"]'}, "bots.random"),
    "the seats of another format": ({"seatings": '"fixed"'}, "tournament.seatings"),
}
KEYS = {"deals": "2", "bots": '["first", "random"]'}


@pytest.fixture
def run(write, played):
    return played(write(**KEYS))


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
@pytest.mark.parametrize(("keys", "difference"), OTHERS.values(), ids=OTHERS)
def test_another_tournament_is_refused_and_changes_nothing(tourney, write, run, keys, difference, force):
    before = files(run)
    config = write("other", **KEYS | keys)
    other = config.read_text(encoding="utf-8").replace('name = "other"', 'name = "small"')
    config.write_text(other, encoding="utf-8")
    one_line(tourney("run", config, "--out", "run", "--resume", *force), 2, "run: was begun differently: ", NOT_ALL)
    assert files(run) == before
    assert difference in tourney("run", config, "--out", "run", "--resume", *force).stderr
    assert tourney("standings", "run").returncode == 0


def test_what_begins_with_the_matches_of_the_run_goes_on_by_force(tourney, write, run):
    before = journal(run)
    config = write(**KEYS | {"deals": "3"})
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "deals: 2 became 3", "force resuming it")
    assert tourney("run", config, "--out", "run", "--resume", "--force", "--quiet").returncode == 0
    assert journal(run).startswith(before)
    assert tourney("verify", "run").stdout == "6 of 6 records hold\n"


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_a_damaged_journal_is_called_damaged(tourney, write, run, force):
    lines = journal(run).splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    before = files(run)
    result = tourney("run", write(**KEYS | {"seed": "4"}), "--out", "run", "--resume", *force)
    one_line(result, 2, "journal.jsonl, line 1: ", "the journal is damaged")
    assert files(run) == before


@pytest.mark.parametrize("how", [(), ("--resume",), ("--resume", "--force"), ("--overwrite",)], ids=" ".join)
def test_a_gate_and_another_run_do_not_take_each_others_place(tourney, write, run, how):
    before = files(run)
    if "--force" not in how:
        gate = ("gate", "first", "--against", "random", "--game", "vole", "--max-deals", 2)
        one_line(tourney(*gate, "--out", "run", *how), 2, "run: holds a run that is not a gate")
        assert files(run) == before
    folder.write_manifest(run, folder.read_manifest(run) | {"gate": {"max_deals": 5}})
    before = files(run)
    one_line(tourney("run", write(**KEYS), "--out", "run", *how), 2, f"run: {ANOTHER_KIND}")
    assert files(run) == before
