"""Programs that speak the wire protocol, and programs that break it."""

import os
import shutil
import sys

import pytest

from tests.conftest import mostly_slow
from tests.helpers import bot, tables
from tests.hosts import play as hosts
from tests.hosts.play import PATIENT_MS, ROOT, WIRE, against_good, bad_wire, charged, match_with, opened, program
from tourney.hosts.faults import ChargedError, Tracebacks
from tourney.hosts.process import bot as external_bot
from tourney.hosts.process.protocol import parse_answer
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay, check

SAMPLES = ROOT / "bots" / "wire"
LARGE = "answer is longer than 1048576 bytes"
NO_TEXT = "action is not a string"

BROKEN = {
    "another version": (1, "protocol", "protocol version 1 not supported"),
    "nonsense": (3, "protocol", "answer is not JSON"),
    "not an object": (3, "protocol", "answer is not a JSON object"),
    "another type": (3, "protocol", 'answer type is not "act"'),
    "another decision": (3, "protocol", "answer has the wrong decision number"),
    "twice": (4, "protocol", "answer has the wrong decision number"),
    "no action": (3, "protocol", "answer has no action"),
    "null": (3, "illegal", NO_TEXT),
    "a number": (3, "illegal", NO_TEXT),
    "no such action": (3, "illegal", "unknown action"),
    "illegal": (3, "illegal", "not a legal action"),
    "a huge answer": (3, "protocol", LARGE),
    "half a line and the end": (3, "crash", "process ended with exit status 0"),
    "exit": (3, "crash", "process ended with exit status 7"),
    "SIGTERM": (3, "crash", "process killed by SIGTERM"),
    "closes its output": (3, "crash", "process closed its output"),
    "closes its input, then answers": (4, "crash", "process closed its input"),
    "closes its input": (4, "crash", "process closed its input"),
    "an own fault": (3, "error", "no?idea " + "x" * 112),
    "a fault that there is not": (3, "protocol", "answer has an unknown fault"),
}
SLOW = {"half a line": 3, "silence": 3, "does not listen": 4}
MUTE = "(read hello, wrote nothing: does it flush stdout?)"
LATE = {
    "its match took too long": lambda: bad_wire("silence", match_s=0.5),
    f"took too long to be loaded {MUTE}": lambda: program("sleep", "600", match_s=0.1),
    f"took longer than start_ms {MUTE}": lambda: program("sleep", "600", start_ms=100),
}
ENDS = [table for table in tables() if not table.marks]  # every game, with the least and with the most seats


def own_decisions(record, seat):
    return [step.decision for step in Replay(record, load_game(record.game)).steps() if step.seat == seat]


@pytest.mark.parametrize("way", BROKEN)
def test_a_program_that_breaks_the_protocol_is_charged_for_it(way):
    number, kind, detail = BROKEN[way]
    with bad_wire(way) as host:
        record = against_good(host)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.detail) == (1, kind, detail)
    assert own_decisions(record, 1).index(fault.decision) + 1 == number
    assert record.places == (1, 2)
    check(record, load_game("vole"))


def test_a_line_that_is_no_answer_is_shown_escaped_and_cut():
    with bad_wire("nonsense") as host:
        host.tracebacks = Tracebacks()
        against_good(host)
    assert [found.text for found in host.tracebacks.take()] == ["received: play something"]
    for line, shown in ((b"\x1b[31mhm\xff", "\\x1b[31mhm\ufffd"), (b"x" * 201, "x" * 200 + " ...")):
        with pytest.raises(ChargedError) as refused:
            parse_answer(line, "act")
        assert refused.value.traceback == f"received: {shown}"


@pytest.mark.parametrize("way", mostly_slow(SLOW, "half a line"))
def test_a_program_that_does_not_answer_in_time_is_charged_for_it(way):
    with bad_wire(way, move_ms=PATIENT_MS) as host:
        record = against_good(host)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "timeout", "took longer than move_ms")
    assert own_decisions(record, 1).index(fault.decision) + 1 == SLOW[way]


@pytest.mark.parametrize("detail", LATE)
def test_a_program_is_charged_for_the_limit_that_it_has_met(detail, monkeypatch):
    monkeypatch.setattr(external_bot, "LOAD_S", 0.5)
    assert charged(LATE[detail]()) == ("timeout", detail)


@pytest.mark.parametrize("way", ["no way at all", "ends by itself"])
def test_a_program_plays_what_the_same_bot_plays_inline_and_may_end_when_it_has_heard_the_outcome(way):
    with bad_wire(way) as host:
        assert against_good(host) == against_good(bot("Good"))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), ENDS)
@pytest.mark.parametrize("sample", ["random_bot.py", pytest.param("first_bot.js", marks=pytest.mark.needs("node"))])
def test_the_samples_play_every_game(sample, game, seats):
    language = sys.executable if sample.endswith(".py") else shutil.which("node")
    with program(language, SAMPLES / sample) as host:
        others = [bot("random")] * (seats - 1)
        record = match_with(host, *others, game=game, options={})
        assert record.faults == ()
        same = host if sample == "random_bot.py" else bot("first")
        assert record == match_with(same, *others, game=game, options={})


@pytest.mark.parametrize("host", ["process", pytest.param("sandbox", marks=pytest.mark.slow)])
def test_a_long_command_reaches_the_program(host):
    words = (os.path.realpath(sys.executable), str(SAMPLES / "random_bot.py"), 90_000 * "x", 300 * "y")
    with opened(hosts.spec_of("long", "", host, words, folder=ROOT, sources=(SAMPLES,)), None) as found:
        assert against_good(found).faults == ()


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("way", mostly_slow(["closes its output", "closes its input"], "closes its input"))
def test_a_program_in_the_sandbox_that_closes_its_wire_and_lives_is_charged_as_elsewhere(way):
    words = (os.path.realpath(sys.executable), "-I", str(WIRE), way)
    spec = hosts.spec_of("closes", "", "sandbox", words, folder=WIRE.parent, sources=(WIRE,))
    assert charged(opened(spec, None)) == BROKEN[way][1:]
