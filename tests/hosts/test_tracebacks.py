"""What a bot raises leaves a traceback: whole from a process of its own, and from the worker without asking it."""

import os
import time
from pathlib import Path

import pytest

from tests.conftest import BAD, mostly_slow
from tests.helpers import bot
from tests.hosts.play import match_with, written
from tourney.hosts.faults import MAX_BYTES, Tracebacks, outlined

RAISING = """
import os, sys, time
from tourney.contracts.bot import Bot

class Deep(Bot):
    def act(self, view, legal):
        return self.look(view)
    def look(self, view):
        raise ValueError("no card \\x1b[31m here")

class Long(Bot):
    def act(self, view, legal):
        raise ValueError("x" * 1_000_000)

class Recurses(Bot):
    def act(self, view, legal):
        return self.act(view, legal)

class HangsInItsMessage(Bot):
    def act(self, view, legal):
        class SlowError(Exception):
            def __str__(self):
                time.sleep(600)
        raise SlowError

class EndsInItsMessage(Bot):
    def act(self, view, legal):
        class LastError(Exception):
            def __str__(self):
                os._exit(0)
        raise LastError

class EndsInItsMessageAtTheEnd(Bot):
    def act(self, view, legal):
        return legal[-1]
    def end(self, outcome):
        EndsInItsMessage.act(self, None, None)

class Changes(Bot):
    def act(self, view, legal):
        raise (MemoryError if len(legal) % 2 else ValueError)

class Asks(Deep):
    service = True
"""
LIARS = [
    *("RaisesLiar", "RaisesUnderFalseName", "RaisesInFalseFile", "CallsFalseFile", "RaisesInFalseModule"),
    *("RaisesCharge", "RaisesEmptyCharge", "RaisesWhileHandling", "Closes", "Exits", "Interrupts", "OutOfMemory"),
]


@pytest.fixture
def raised(tmp_path):
    """Plays two matches of a bot of the file above and a good one; returns the record, and the tracebacks."""

    def play(name: str, host: str = "process", text: str = RAISING, **limits: object):
        found = Tracebacks()
        with written(text, tmp_path, name, host, **limits) as opened_host:
            opened_host.tracebacks = found
            record = match_with(opened_host, bot("Good"))
            match_with(opened_host, bot("Good"))
        return record, found.take()

    return play


@pytest.mark.parametrize("limits", [{}, pytest.param({"cpu_ms": 5_000}, marks=pytest.mark.slow)])
def test_a_bot_in_a_process_of_its_own_leaves_the_whole_traceback(raised, tmp_path, limits):
    record, (found,) = raised("Deep", **limits)
    assert found.fault == record.faults[0]
    assert (found.match, found.fault.kind, found.fault.detail) == (record.match, "error", "ValueError at own.py:9")
    lines = found.text.split("\n")
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{tmp_path}/own.py", line 7, in act'
    assert lines[-1] == r"ValueError: no card \x1b[31m here"
    assert "process/server" not in found.text


def test_a_bot_in_the_worker_leaves_its_lines_and_the_message(raised, tmp_path):
    _, (found,) = raised("Deep", "inline")
    assert found.text.split("\n") == [
        f'  File "{tmp_path}/own.py", line 7',
        "    return self.look(view)",
        f'  File "{tmp_path}/own.py", line 9',
        '    raise ValueError("no card \\x1b[31m here")',
        r"ValueError: no card \x1b[31m here",
    ]
    _, (of_service,) = raised("Asks", "inline")
    assert of_service.text == found.text


@pytest.mark.parametrize("host", ["inline", "process"])
@pytest.mark.parametrize("name", ["Long", "Recurses"])
def test_a_long_traceback_is_cut(raised, name, host):
    _, (found,) = raised(name, host)
    assert len(found.text.encode()) <= MAX_BYTES
    assert 'own.py", line' in found.text


@pytest.mark.parametrize("name", ["EndsInItsMessage", "EndsInItsMessageAtTheEnd"])
def test_a_process_that_ends_while_its_exception_is_formatted_is_charged_for_the_exception(raised, name):
    record, found = raised(name)
    assert found == ()
    assert [(fault.kind, fault.detail[:9]) for fault in record.faults] == [("error", "LastError")]


@pytest.mark.slow
def test_the_time_for_formatting_is_nobodys(raised):
    """The bot hangs in it for longer than the match may take, and the others go on."""
    started = time.monotonic()
    record, found = raised("HangsInItsMessage", match_s=2.0)
    assert time.monotonic() - started > 2
    assert found == ()
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, "error")]


@pytest.mark.parametrize("host", ["inline", "process"])
def test_the_first_of_each_kind_is_kept(host, raised):
    record, found = raised("Changes", host)
    assert len(found) == 1
    tracebacks = Tracebacks()
    assert tracebacks.lacks("thief", record.faults[0].kind)
    assert not tracebacks.lacks("thief", "crash")


@pytest.mark.parametrize("case", mostly_slow(
    [f"{name} {host}" for name in LIARS for host in ("inline", "process")],
    *[f"{name} inline" for name in LIARS], "RaisesLiar process",
))  # fmt: skip
def test_an_exception_that_lies_stops_nobody(raised, case):
    name, host = case.split()
    record, found = raised(name, host, BAD.read_text(encoding="utf-8"))
    assert [fault.seat for fault in record.faults] == [0]
    assert len(found) == (record.faults[0].kind in ("error", "memory"))
    assert all(line.isprintable() for each in found for line in each.text.split("\n"))


def raised_by(function) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError


@pytest.mark.parametrize("given", [("no card", 3), ("two\nlines",), (Path(),), (10**5000,), ("card", Path()), ()])
def test_the_message_of_an_inline_bot_is_shown_if_its_arguments_are_plain(given):
    def raising():
        raise LookupError(*given)

    last = outlined(raised_by(raising)).rpartition("\n")[2]
    is_plain = given and {*map(type, given)} <= {str, int} and 10**5000 not in given
    assert last == (f"LookupError: {', '.join(map(str, given))}" if is_plain else "LookupError").replace("\n", r"\n")


def test_lines_are_shown_of_ordinary_files_only(tmp_path):
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    for name in (str(pipe), "/proc/kmsg", "/dev/zero", str(tmp_path), "relative.py", "/x" * 5000):
        code = compile("raise ValueError", name, "exec")
        *places, last = outlined(raised_by(lambda code=code: exec(code))).split("\n")
        assert last == "ValueError"
        assert not any(line.startswith("    ") for line in places[4:]), "the source of this file alone"


def test_a_bot_that_can_no_longer_be_loaded_leaves_the_traceback(raised, tmp_path):
    record, (found,) = raised("Bot", text="\n\nraise RuntimeError('no model')\n")
    assert record.faults[0].detail == "cannot be loaded"
    assert f'  File "{tmp_path}/own.py", line 3' in found.text
    assert found.text.endswith("RuntimeError: no model")
