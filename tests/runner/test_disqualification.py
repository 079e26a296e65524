"""Faults are compared with the limits of a tournament, whether blocks are counted singly or together."""

import pytest

from tests.conftest import tournament_text
from tourney import config
from tourney.contracts.match import Fault, Record
from tourney.runner.disqualification import FaultMonitor


def tournament(tmp_path, **limits: object):
    values = "\n".join([f"{key} = {value}" for key, value in limits.items()])
    return config.parse(tournament_text("t", extra=f"[limits]\n{values}"), tmp_path / "t.toml")


def record(*seats: str, faults: str = "", out: str = "") -> Record:
    kinds = [*[(name, "error") for name in faults.split()], *[(name, "out") for name in out.split()]]
    charged = tuple([Fault(seats.index(name), kind, 1, None, "") for name, kind in kinds])
    return Record("", "vole", {}, 0, "", seats, "", (), (), charged, "")


def test_faults_in_all_and_in_a_row_disqualify_at_the_end_of_the_block(tmp_path):
    count = FaultMonitor(tournament(tmp_path, max_faults=3, max_faults_in_row=2), 100)
    count.add([record("first", "random", faults="first"), record("random", "first")])
    count.add([record("first", "random", faults="first random"), record("random", "first", faults="random")])
    assert count.out == {"random": "after 2 faults in a row"}
    count.add([record("first", "steady"), record("steady", "first", faults="first")])
    assert count.out == {"random": "after 2 faults in a row", "first": "after 3 faults"}


def test_a_match_that_an_entrant_was_disqualified_from_neither_counts_nor_ends_a_row(tmp_path):
    count = FaultMonitor(tournament(tmp_path, max_faults_in_row=2), 100)
    count.add([record("first", "random", faults="first")])
    count.add([record("first", "random", out="first")])
    assert count.out == {}
    count.add([record("first", "random", faults="first")])
    assert count.out == {"first": "after 2 faults in a row"}


@pytest.mark.parametrize(("matches", "minimum"), [(1000, 20), (200, 20), (100, 10), (12, 2), (5, 1)])
def test_the_fault_rate_is_judged_after_a_minimum_of_matches(tmp_path, matches, minimum):
    count = FaultMonitor(tournament(tmp_path, max_fault_rate=0.1), matches)
    for _ in range(minimum - 1):
        count.add([record("first", "random", faults="first")])
        assert count.stop is None
    count.add([record("first", "random", faults="first")])
    assert count.stop.startswith(f"{minimum} of the first {minimum} matches had faults")


def test_a_fault_rate_that_is_just_allowed_does_not_stop_the_run(tmp_path):
    count = FaultMonitor(tournament(tmp_path, max_fault_rate=0.1), 1000)
    for i in range(300):
        count.add([record("first", "random", faults="first" if i % 10 == 9 else "")])
        assert count.stop is None
    count.add([record("first", "random", faults="first")])
    assert count.stop == "31 of the first 301 matches had faults, and max_fault_rate is 0.1: first (31 faults)"
    for left in range(19, 0, -1):
        count.add([record("a", "b", "c", "d", faults="b c d" if left == 1 else "c d" if left < 4 else "d")])
        assert count.stop is None, "the rate starts afresh when the run goes on"
    count.add([record("a", "b", "c", "d")])
    those = "19 of the last 20 matches had faults, and max_fault_rate is 0.1: d (19 faults), c (3 faults), b (1 fault)"
    assert count.stop == those
    count.add([record("d", "c", "b", "a", faults="a b c d") for _ in range(20)])
    named = ", ".join([f"{name} (20 faults)" for name in "abc"])
    assert count.stop == f"20 of the last 20 matches had faults, and max_fault_rate is 0.1: {named} and 1 more"
