"""A run that is resumed as another tournament is refused and stays as it is, unless its matches belong to that."""

import pytest

from tests.cli.runs import journal, one_line
from tests.cli.test_overwrite import files
from tourney.journal import folder

KEYS = {"deals": "2", "bots": '["first", "random"]'}


@pytest.fixture
def run(write, played):
    return played(write(**KEYS))


def test_another_tournament_is_refused_and_changes_nothing(tourney, write, run):
    before = files(run)
    config = write(**KEYS | {"seed": "4"})
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "run: ", "tournament.seed")
    one_line(tourney("run", config, "--out", "run", "--resume", "--force"), 2, "journal.jsonl, line 1: seed is ")
    assert files(run) == before
    assert tourney("standings", "run").returncode == 0


def test_what_begins_with_the_matches_of_the_run_goes_on_by_force(tourney, write, run):
    before = journal(run)
    config = write(**KEYS | {"deals": "3"})
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "deals: 2 became 3", "force")
    assert tourney("run", config, "--out", "run", "--resume", "--force", "--quiet").returncode == 0
    assert journal(run).startswith(before)
    assert tourney("verify", "run").stdout == "6 of 6 records hold\n"


@pytest.mark.parametrize("how", [(), ("--resume",), ("--overwrite",)], ids=" ".join)
def test_a_gate_and_another_run_do_not_take_each_others_place(tourney, write, run, how):
    before = files(run)
    gate = ("gate", "first", "--against", "random", "--game", "vole", "--max-deals", 2)
    one_line(tourney(*gate, "--out", "run", *how), 2, "run: holds ")
    assert files(run) == before
    folder.write_manifest(run, folder.read_manifest(run) | {"gate": {"max_deals": 5}})
    before = files(run)
    one_line(
        tourney("run", write(**KEYS), "--out", "run", *how),
        2,
        "run: holds a gate" if how else "run: holds a run already",
    )
    assert files(run) == before
