"""Python bots in processes of their own: as inline, but what they do stays among themselves; and limits inline."""

import ast
import os
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from tests.conftest import BAD, mostly_slow
from tests.helpers import bot
from tests.hosts.play import PATIENT_MS, ROOT, against_good, charged, match_with, opened, process, spec_of, written
from tests.table.test_table import FAULTY
from tourney.base.errors import ConfigError, TourneyError, WriteError
from tourney.hosts import prints
from tourney.hosts.base import create_host, examine
from tourney.hosts.limits import Limits
from tourney.hosts.process.host import ExternalHost
from tourney.hosts.process.spawner import LOG_BYTES, LOG_END
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import check

ALIKE = [*FAULTY, "SaysNumberLike", "Prints", "MutatesWhatItGets"]


@pytest.mark.parametrize("name", mostly_slow(ALIKE, "Raises", "SaysNone", "Prints", "MutatesWhatItGets"))
def test_a_bot_is_charged_for_the_same_as_inline(name):
    with process(name) as host:
        assert against_good(host) == against_good(bot(name))


SAME = [("process", "steady", game) for game in game_names()]
SAME += [(host, name, game_names()[0]) for host in ("process", "sandbox") for name in ("first", "random", "steady")]


@pytest.mark.parametrize(
    ("host", "name", "game"), [SAME[0], *[pytest.param(*each, marks=pytest.mark.slow) for each in SAME[1:]]]
)
def test_a_bot_plays_the_same_as_inline(host, name, game):
    seats = load_game(game).seats[0]
    others = [bot("random")] * (seats - 1)
    with opened(spec_of(name, name, host, folder=Path(), games=(game,), sources=(ROOT / "bots",)), None) as bots:
        record = match_with(bots, *others, game=game, options={})
        assert record == match_with(bot(name), *others, game=game, options={})
    assert record.faults == ()


DEADLY = {
    "KillsItself": (1, "crash", "process killed by SIGKILL"),
    "KillsItselfLater": (4, "crash", "process ended with exit status 3"),
    "Allocates": (1, "memory", "MemoryError at bots.py:"),
    "HangsAtOnce": (1, "timeout", "took longer than move_ms"),
    "HangsInStart": (1, "timeout", "took longer than start_ms"),
}


def assert_faults_alone(record, kind, detail, tame):
    """The others' records are those of a match in which the tame bot faulted at the same decision."""
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.detail[: len(detail)]) == (1, kind, detail)
    expected = against_good(bot(tame))
    assert (record.actions, record.scores, record.places) == (expected.actions, expected.scores, expected.places)
    assert fault.decision == expected.faults[0].decision
    check(record, load_game("vole"))


@pytest.mark.parametrize("name", DEADLY)
def test_a_bot_that_brings_its_process_down_or_hangs_is_charged_and_nobody_else(name):
    number, kind, detail = DEADLY[name]
    short = {detail.split()[-1]: 300} if kind == "timeout" else {}  # it hangs the first time that it is asked
    with process(name, **{"move_ms": 60_000, "start_ms": 60_000, "memory_mb": 200, **short}) as host:
        record = against_good(host)
        assert against_good(host) == record
    assert_faults_alone(record, kind, detail, "RaisesLater" if number == 4 else "Raises")


@pytest.mark.parametrize(
    ("name", "kind"), [("KillsItselfInEnd", "crash"), pytest.param("HangsInEnd", "timeout", marks=pytest.mark.slow)]
)
def test_what_goes_wrong_at_the_end_is_charged_as_well(name, kind):
    with process(name, move_ms=PATIENT_MS if kind == "timeout" else None) as host:
        record = against_good(host)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.decision) == (1, kind, record.actions.count(" ") + 2)


def test_a_host_can_be_used_for_many_matches_without_leaks():
    with process("first") as host:
        match_with(host, host)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            match_with(host, host)
        assert len(os.listdir("/proc/self/fd")) <= before
    assert len(os.listdir("/proc/self/fd")) == before - 2, "the sockets of two spawners"


def test_what_bots_write_to_stderr_is_in_a_log_that_has_an_end(tmp_path):
    log = tmp_path / "floods.txt"
    with process("FloodsStderr", log) as host:
        match_with(host, bot("Good"), options={"target": 40})
        match_with(host, bot("Good"), options={"target": 40})
    data = log.read_bytes()
    assert data.startswith(b"x" * 99 + b"\n" + b"y" * 99)
    assert len(data) == LOG_BYTES + len(LOG_END)
    assert data.endswith(LOG_END)


PRINTS_IN_PARTS = """
import os

class Bot:
    def start(self, facts):
        self.seat = facts.seat
        os.write(2, b"seat %d " % self.seat)
    def act(self, view, legal):
        return legal[-1]
    def end(self, outcome):
        os.write(2, b"of the same match")
        if self.seat == 0:
            os.write(2, b"\\nand ")
"""


def test_the_lines_of_bots_in_two_seats_are_whole(tmp_path):
    log = tmp_path / "parts.txt"
    with written(PRINTS_IN_PARTS, tmp_path, log=log) as host:
        match_with(host, host)
    text = log.read_text(encoding="utf-8")
    assert "seat 0 of the same match\n" in text
    assert "seat 1 of the same match" in text


def test_what_a_bot_prints_is_in_its_log_which_may_be_a_device(tmp_path):
    for log in (tmp_path / "prints.txt", Path(os.devnull)):
        with process("Prints", log) as host:
            assert against_good(host).faults == ()
    assert (tmp_path / "prints.txt").read_text(encoding="utf-8").startswith("I am thinking\naloud\n")


SHARED = {
    "a thread": "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\nseen = lambda: False",
    "a process": """
ours, theirs = socket.socketpair()
if os.fork() == 0:
    while word := theirs.recv(1):
        theirs.send(b"x" if "heard" in globals() else b"-")
        heard = True
    os._exit(0)
def seen():
    ours.send(b"?")
    return ours.recv(1) == b"x"
""",
    "an open file": """
file = open(__file__, "rb", buffering=0)
def seen():
    return len(file.read(1)) == file.tell() - 1
""",
    "shared memory": """
memory = mmap.mmap(-1, 1)
def seen():
    before, memory[0] = memory[0], 1
    return before == 1
""",
}


@pytest.mark.parametrize("what", SHARED)
def test_a_bot_that_shares_something_with_its_forks_is_started_anew_for_each_match(what, tmp_path):
    """It would remember earlier matches by it, or the forks would lack it."""
    text = f"""
import mmap, os, socket, threading, time
{SHARED[what]}
class Bot:
    def start(self, facts):
        assert not seen()
    def act(self, view, legal):
        return legal[-1]
"""
    with written(text, tmp_path) as host:
        for _ in range(2):
            assert against_good(host) == against_good(bot("Good"))


def test_a_bot_is_given_no_file_of_an_earlier_match(tmp_path):
    text = f"""
import os
class Bot:
    def start(self, facts):
        files = []
        for number in range(256):
            try:
                found = os.fstat(number)
            except OSError:
                continue
            files.append((number, found.st_dev, found.st_ino))
        print(files, file=open({str(tmp_path / "files")!r}, "a"))
    def act(self, view, legal):
        return legal[-1]
"""
    with written(text, tmp_path) as host:
        for _ in range(2):
            against_good(host)
    first, second = [ast.literal_eval(line) for line in (tmp_path / "files").read_text().splitlines()]
    null = os.stat(os.devnull)
    assert len(first) == 5, "the wire, /dev/null in its place, and the log twice"
    assert {file[1:] for file in first} & {file[1:] for file in second} == {(null.st_dev, null.st_ino)}


def test_a_bot_whose_process_dies_while_it_is_loaded_is_charged(tmp_path):
    assert charged(written("import os; os._exit(1)", tmp_path)) == ("crash", "process died while loading")


LOADS = "import os\nclass Bot:\n    games = ('vole',)\n    def act(self, view, legal): pass\n"
NOT_LOADED = {
    "os.kill(os.getpid(), 9)": "bot own: own.py:Bot cannot be loaded: process killed by SIGKILL; try it with",
    "os._exit(3)": "bot own: own.py:Bot cannot be loaded: process ended with exit status 3; try it with",
    "os.write(2, b'Too many open files\\n'); os._exit(3)": "too many open files; allow more",
    "os.write(2, b'why\\nno \\x1b room\\n'); os._exit(3)": "process ended with exit status 3 (no ? room); try",
    "raise ValueError('no \\x1b room')": "own.py",
}


@pytest.mark.parametrize("text", NOT_LOADED)
def test_a_bot_that_cannot_be_loaded_is_refused_with_what_its_process_says(text, tmp_path):
    (tmp_path / "own.py").write_text(LOADS + text, encoding="utf-8")
    spec = spec_of("own", "own.py:Bot", folder=tmp_path)
    with pytest.raises(TourneyError) as refused:
        examine(spec)
    assert NOT_LOADED[text] in str(refused.value)
    assert str(refused.value).isprintable()
    (tmp_path / "own.py").write_text(LOADS, encoding="utf-8")
    assert examine(spec) == ("vole",)
    with pytest.raises(ConfigError, match="bot own: options: "):
        examine(msgspec.structs.replace(spec, options={"depth": 3}))


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_bot_is_examined_under_its_limits_and_no_more_of_its_output_is_kept_than_is_shown(host, tmp_path):
    file = tmp_path / "own.py"
    spec = spec_of("own", "own.py:Bot", host, folder=tmp_path, sources=(file,))
    file.write_text(LOADS + "for _ in range(3000): os.write(2, b'x' * 10_000)", encoding="utf-8")
    tracemalloc.start()
    assert examine(spec) == ("vole",)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    file.write_text(LOADS + "bytearray(300 << 20)", encoding="utf-8")
    assert examine(spec) == ("vole",)
    with pytest.raises(ConfigError, match="MemoryError"):
        examine(msgspec.structs.replace(spec, limits=Limits(memory_mb=200)))


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_program_that_is_not_there_is_refused_before_anything_is_played(host, tmp_path):
    (tmp_path / "text").touch()
    for word, told in (("no-such-program", "not found"), ("./gone", "no such file"), ("./text", "is not executable")):
        with pytest.raises(ConfigError, match=f"bot own: .*{told}"):
            examine(spec_of("own", host=host, command=(word,), folder=tmp_path))


def test_what_goes_wrong_on_our_side_is_no_fault_of_the_bot():
    class Broken(ExternalHost):
        def _words(self):
            raise OSError("no room for a scratch folder")

    spec = spec_of("first", "first", "broken", folder=Path())
    with pytest.raises(OSError, match="no room"):
        against_good(Broken(spec, None))


IDIOMS = """
import codecs, io, sys; sys.stdout.reconfigure(encoding="utf-8")

class Bot:
    def __init__(self):
        sys.stdout.reconfigure(encoding="utf-8")
        sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", write_through=True)
        sys.stderr = codecs.getwriter("utf-8")(sys.stderr.buffer)
    def act(self, view, legal):
        return legal[-1]
    def end(self, outcome):
        print("printed", end=" ")
        sys.stderr.write("last words without a newline")
"""


@pytest.mark.parametrize(("host", "keep"), [("inline", False), ("process", False), ("process", True)])
def test_a_bot_may_set_up_its_output_and_print_without_a_newline(host, keep, tmp_path, capfd):
    log = tmp_path / "idioms.txt"
    with written(IDIOMS, tmp_path, host=host, log=log, keep=keep) as found, prints.redirected():
        for _ in range(2):
            assert against_good(found).faults == ()
    said = capfd.readouterr().err if host == "inline" else log.read_text(encoding="utf-8")
    assert said.count("printed last words without a newline") == 2


def test_a_log_that_cannot_be_opened_is_no_fault_of_the_bot(tmp_path):
    with process("Good", tmp_path) as host, pytest.raises(WriteError, match="cannot be written"):
        against_good(host)


RUNG = """
import os, signal
class Bot:
    def act(self, view, legal):
        os.kill(os.getpid(), signal.SIGALRM)
        return legal[0]
"""


def timed(name: str, **limits):
    spec = spec_of(name, f"{BAD.name}:{name}", "inline", limits=Limits(**limits))
    return create_host(spec, None)


@pytest.mark.parametrize(
    ("name", "limit"), [("HangsAtOnce", "move_ms"), ("SwallowsItsEnd", "move_ms"), ("HangsInStart", "start_ms")]
)
def test_a_bot_that_takes_too_long_is_interrupted_and_charged(name, limit):
    assert_faults_alone(against_good(timed(name, **{limit: 50})), "timeout", f"took longer than {limit}", "Raises")


def test_the_signal_of_the_clock_from_somebody_else_interrupts_and_charges_nobody(tmp_path):
    with written(RUNG, tmp_path, host="inline", move_ms=PATIENT_MS) as host:
        assert not against_good(host).faults


@pytest.mark.slow
def test_the_clock_stands_still_while_the_garbage_of_another_bot_is_collected(monkeypatch):
    monkeypatch.setenv("SLOW_S", str(PATIENT_MS * 1.2 / 1000))
    assert match_with(bot("LeavesSlowGarbage"), timed("CollectsGarbage", move_ms=PATIENT_MS)).faults == ()


def test_what_a_bot_has_forked_is_ended_by_the_signal_that_interrupts_bots_and_does_not_go_on_as_a_worker():
    assert against_good(timed("ForksAndSignals", move_ms=60_000)).faults == ()
