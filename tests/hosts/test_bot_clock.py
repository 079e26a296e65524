"""A bot reads its clock, which runs down by what it uses itself and up by the increment, in every host."""

import json
import sys
from itertools import pairwise

import pytest

from tests.helpers import wire_bot
from tests.hosts.play import against_good, program, written

READS = """
import json, sys, time
class Bot:
    def start(self, facts):
        self.clock = clock = facts.clock
        terms = None
        if clock is not None:
            terms = [clock.bank_s, clock.increment_s, clock.move_s, clock.is_processor_time, clock.left_s]
        print("read", json.dumps(terms), file=sys.stderr)
    def act(self, view, legal):
        if self.clock is not None:
            before, begun = self.clock.left_s, time.monotonic()
            time.sleep(0.01)
            took = time.monotonic() - begun
            print("read", json.dumps([before, took, self.clock.left_s]), file=sys.stderr)
        return legal[-1]
    def end(self, outcome):
        if self.clock is not None:
            print("read", json.dumps(self.clock.left_s), file=sys.stderr)
"""


def read(text: str) -> list:
    return [json.loads(line[len("read ") :]) for line in text.splitlines() if line.startswith("read ")]


@pytest.fixture
def readings(tmp_path, capfd):
    def play_and_read(host: str, **limits):
        log = tmp_path / "log.txt"
        with written(READS, tmp_path, host=host, log=None if host == "inline" else log, **limits) as opened_host:
            assert against_good(opened_host).faults == ()
        return read(capfd.readouterr().err if host == "inline" else log.read_text(encoding="utf-8"))

    return play_and_read


@pytest.mark.parametrize("host", ["inline", "process", "sandbox"])
def test_the_bank_goes_down_by_what_was_used_and_up_by_the_increment(host, readings):
    terms, *decisions, last = readings(host, clock="1000s+100s")
    assert terms == [1000, 100, None, False, 1000]
    assert 1000 - 60 < decisions[0][0] <= 1000
    assert len(decisions) > 2
    most = 1000.0  # what is left if nothing but the time that the bot itself has measured was used
    for (before, took, after), (following, *_) in pairwise([*decisions, [last]]):
        assert after <= before - took
        most += 100.001 - took
        assert after + 100 - 60 < following <= most


def test_without_a_limit_there_is_no_clock(readings):
    assert readings("process", start_ms=60_000, match_s=600) == [None]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [({"move_ms": 60_000}, [None, 0, 60, False, 60]), ({"cpu": "1000s", "cpu_ms": 60_000}, [1000, 0, 60, True, 1000])],
)
def test_each_decision_has_the_same_time_and_processor_time_runs_down_only_while_the_bot_computes(
    limits, expected, readings
):
    terms, *decisions, last = readings("process", **limits)
    assert terms == expected
    assert last == 60 or "cpu" in limits
    for before, took, after in decisions:
        assert 0 < before <= expected[-1]
        assert (before - after < took) == ("cpu" in limits), "it has slept"


@pytest.mark.parametrize("limits", [{"clock": "1000s+100s", "move_ms": 60_000}, {}])
def test_a_program_is_told_its_clock_and_what_is_left(tmp_path, limits):
    heard = 'print("read", json.dumps([asked.get("clock"), asked.get("left_ms")]), file=sys.stderr)'
    (tmp_path / "reads.py").write_text(wire_bot('"action": asked["legal"][-1]', heard=heard), encoding="utf-8")
    log = tmp_path / "log.txt"
    with program(sys.executable, tmp_path / "reads.py", log=log, **limits) as host:
        assert against_good(host).faults == ()
    (_, _), (terms, _), *acts, (_, _) = read(log.read_text(encoding="utf-8"))
    if limits:
        assert terms == {"bank_ms": 1_000_000, "increment_ms": 100_000, "move_ms": 60_000, "processor": False}
        lefts = [left for _, left in acts]
        assert lefts[0] == 1_000_000
        assert all(later - earlier <= 100_000 for earlier, later in pairwise(lefts))
    else:
        assert all(left is None for _, left in acts)
        assert terms is None
