"""What somebody else does to the processes of bots is no fault of a bot and leaves nothing behind.

The bots have forked helpers, which hold their pipes, so that no end of file says that a process has ended.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.runs import MARK, begin, is_guard, marked, wait_for
from tests.conftest import tournament_text
from tests.helpers import bot
from tests.hosts.play import ROOT, against_good, match_with, opened, process, program
from tests.hosts.test_outcomes import played
from tests.standings.left_out import PORTABLE
from tourney.hosts import linux
from tourney.hosts.base import BotSpec
from tourney.hosts.process import bot as portable_process
from tourney.hosts.process import spawner_client
from tourney.hosts.retries import SAME_ENDS

pytestmark = pytest.mark.slow

GOOD = "class Bot:\n    def act(self, view, legal): return legal[-1]\n"
RAISES_WITHOUT_SPAWNER = """
import os, signal

class Bot:
    def act(self, view, legal):
        if not os.path.exists("done"):
            open("done", "x").close()
            os.kill(os.getppid(), signal.SIGSTOP)
            raise OSError("nobody reads the log")
        return legal[-1]
"""
HELPER = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\n"
WIRE = """
import json, os, signal, sys, time
for number, line in enumerate(sys.stdin):
    message = json.loads(line)
    if number == 0 and os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    if number == 3 and not os.path.exists("done"):
        open("done", "x").close()
        os.kill(os.getppid() if sys.argv[1] == "spawner" else os.getpid(), signal.Signals[sys.argv[2]])
        time.sleep(600)
    answer = {"type": message["type"], "protocol": 1}
    if message["type"] == "act":
        answer |= {"decision": message["decision"], "action": message["legal"][-1]}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch, tmp_path):
    """Adopts orphans, as a worker does; no process of a bot may be left in the end.

    The portable way has nobody to adopt them: there helpers stay in the group of their bot, and a guard is left.
    """
    mark = f"outside-{tmp_path}"
    monkeypatch.setenv(MARK, mark)
    if PORTABLE:
        monkeypatch.setenv("STAY", "yes")
    linux.adopt_orphans()
    yield
    linux.adopt_orphans(False)
    monkeypatch.delenv(MARK)
    wait_for(lambda: all(map(is_guard, marked(mark))))


@contextmanager
def from_module(folder: Path, text: str):
    """The process host of the bot `Bot` in a module with that text."""
    (folder / "bot.py").write_text(text, encoding="utf-8")
    with opened(BotSpec("bot", "process", "bot.py:Bot", {}, (), folder, ("vole",)), None) as host:
        yield host


SIGNALS = ("SIGKILL", "SIGSTOP", "SIGHUP")
MOMENTS = ("make", "start", "act", "end")
HITS = [
    (("spawner", "bot")[(i + j) % 2], moment, sign)
    for i, moment in enumerate(MOMENTS)
    for j, sign in enumerate(SIGNALS)
]
"""Every signal at every moment, each of the two processes with every signal and at every moment."""


@pytest.mark.parametrize(("victim", "moment", "sign"), HITS)
def test_a_bot_is_not_charged_for_a_signal_from_outside(victim, moment, sign, tmp_path, monkeypatch):
    """The match is played again, to the same record."""
    done = tmp_path / "done"
    for name, value in {"VICTIM": victim, "MOMENT": moment, "SIGNAL": sign, "DONE": str(done)}.items():
        monkeypatch.setenv(name, value)
    with process("HitFromOutside", match_s=60) as host:
        record = against_good(host)
        if PORTABLE:
            wait_for(lambda: all(map(is_guard, marked(os.environ[MARK]))))
        else:
            assert len(marked(os.environ[MARK])) == 1, "the spawner alone"
    assert done.exists()
    assert record == against_good(bot("Good"))


@pytest.mark.parametrize("sign", ["SIGKILL", "SIGSTOP"])
@pytest.mark.parametrize("victim", ["spawner", "program"])
def test_a_program_is_not_charged_for_a_signal_from_outside(victim, sign, tmp_path):
    (tmp_path / "program.py").write_text(WIRE, encoding="utf-8")
    command = ["env", "-C", tmp_path, sys.executable, "program.py", victim, sign]
    with program(*command, match_s=60) as host:
        record = against_good(host)
    assert (tmp_path / "done").exists()
    assert record == against_good(bot("Good"))


def test_a_bot_is_not_charged_for_what_it_raises_as_its_spawner_is_ended(tmp_path, monkeypatch):
    """The spawner's files are closed before the system ends the bot as well: what the bot prints may raise."""
    monkeypatch.chdir(tmp_path)
    with from_module(tmp_path, RAISES_WITHOUT_SPAWNER) as host:
        record = against_good(host)
    assert (tmp_path / "done").exists()
    assert record == against_good(bot("Good"))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_signal_between_two_matches_costs_nothing_although_a_helper_holds_the_socket(tmp_path, sign):
    with from_module(tmp_path, HELPER + GOOD) as host:
        good = against_good(bot("Good"))
        assert against_good(host) == good
        for pid in marked(os.environ[MARK]):
            os.kill(pid, sign)
        assert against_good(host) == good


@pytest.mark.parametrize("sign", ["SIGKILL", "SIGSTOP"])
def test_a_bot_is_not_charged_for_signals_while_it_is_loaded(tmp_path, sign):
    """More of them than would count in a match, since all of them come to the same record."""
    hits = f"""
import os, signal
loads = len([name for name in os.listdir({str(tmp_path)!r}) if name.startswith("load-")])
open(os.path.join({str(tmp_path)!r}, f"load-{{loads}}"), "x").close()
if loads <= {SAME_ENDS}:
    os.kill(os.getpid(), signal.{sign})
"""
    with from_module(tmp_path, HELPER + hits + GOOD) as host:
        record = against_good(host)
    assert len(list(tmp_path.glob("load-*"))) > SAME_ENDS
    assert record == against_good(bot("Good"))


def test_a_bot_that_kills_itself_whenever_it_is_loaded_is_charged(tmp_path, monkeypatch):
    most = SAME_ENDS + 2  # each attempt starts a spawner
    monkeypatch.setattr(portable_process if PORTABLE else spawner_client, "MOST_ATTEMPTS", most)
    text = f"import os, signal\nopen({str(tmp_path / 'loads')!r}, 'a').write('x')\nos.kill(os.getpid(), signal.SIGKILL)"
    with from_module(tmp_path, text) as host:
        (fault,) = against_good(host).faults
    assert (fault.kind, fault.detail) == ("crash", "its process died while it was loaded")
    assert len((tmp_path / "loads").read_text()) == most


@pytest.mark.parametrize(
    ("name", "detail"),
    [("StopsItself", "its process was stopped"), ("StopsItsParent", "the process that started it was stopped")],
    ids=["StopsItself", "StopsItsParent"],
)
def test_a_bot_that_stops_its_processes_each_time_is_charged(name, detail):
    with process(name) as host:
        (fault,) = against_good(host).faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "crash", detail)


def test_a_worker_that_a_bot_stops_goes_on():
    undisturbed = [record["actions"] for record in played("inline", ["Good"], "Good")]
    records = played("process", ["StopsItsWorker"], "Good")
    assert [record["actions"] for record in records] == undisturbed
    assert not any([record["faults"] for record in records])


def test_a_bot_that_is_late_because_its_helper_was_stopped_gets_another_chance(tmp_path):
    waits = f"""
import os, signal, time
class Bot:
    def act(self, view, legal):
        try:
            open({str(tmp_path / "done")!r}, "x").close()
        except FileExistsError:
            return legal[-1]
        helper = os.fork()
        if helper == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(0)
        os.waitpid(helper, 0)
        return legal[-1]
"""
    (tmp_path / "bot.py").write_text(waits, encoding="utf-8")
    with opened(BotSpec("bot", "process", "bot.py:Bot", {}, (), tmp_path, ("vole",)), None, move_ms=3000) as host:
        assert against_good(host) == against_good(bot("Good"))


def test_what_bots_in_this_process_have_started_is_spared_when_a_spawner_is_ended(tmp_path, monkeypatch):
    for name, value in {"VICTIM": "spawner", "MOMENT": "act", "SIGNAL": "SIGKILL", "DONE": str(tmp_path / "x")}.items():
        monkeypatch.setenv(name, value)
    with subprocess.Popen(["sleep", "600"]) as helper:
        with process("HitFromOutside") as host:
            match_with(host, bot("Good"))
        assert helper.poll() is None
        helper.kill()


def test_a_spawner_ends_with_its_worker_although_a_helper_of_the_worker_holds_the_socket():
    worker = """
import os, time
from tests.helpers import bot
from tests.hosts.play import match_with, process
with process("LeavesChild") as host:
    match_with(host, bot("Good"))
    helper = os.fork()
    if helper:
        print(helper, flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", worker], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        helper = int(process.stdout.readline())
        assert len(marked(os.environ[MARK])) == 3, "the worker, its helper, and the spawner or guard"
        process.kill()
    wait_for(lambda: marked(os.environ[MARK]) == [helper])
    os.kill(helper, signal.SIGKILL)
    with suppress(ChildProcessError):  # this process has not adopted it, the portable way
        os.waitpid(helper, 0)


WAITS = """
import os, time


class Bot:
    def act(self, view, legal):
        with open("parents", "a") as file:
            file.write(f"{os.getppid()}\\n")
        while not os.path.exists("go on"):
            time.sleep(0.01)
        return legal[-1]
"""


def test_a_bot_is_not_charged_for_workers_that_are_killed_at_the_same_decision_again_and_again(tmp_path):
    """A worker waits long at the start of a bot, so whoever kills it at random may well hit that each time."""
    with begun_with(WAITS, tmp_path) as process:
        for hit in range(SAME_ENDS + 2):
            wait_for(lambda: len(lines(tmp_path / "parents")) > hit)  # noqa: B023 - called at once
            parent = int(lines(tmp_path / "parents")[hit])
            os.kill(parent if PORTABLE else family(parent)[0], signal.SIGKILL)
        (tmp_path / "go on").touch()
        assert process.wait() == 0
    assert [record["faults"] for record in map(json.loads, lines(tmp_path / "run" / "journal.jsonl"))] == [[], []]


LEAVES_HELPER = """
import os, time


class Bot:
    def act(self, view, legal):
        if not os.path.exists("bot"):
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            with open("writing", "w") as file:
                file.write(str(os.getpid()))
            os.rename("writing", "bot")
            time.sleep(600)
        return legal[-1]
"""


def test_nothing_is_left_where_all_that_see_to_a_bot_are_killed_together(tmp_path):
    """The main process is all that is left of the bot's ancestors."""
    with begun_with(LEAVES_HELPER, tmp_path) as process:
        wait_for(lambda: (tmp_path / "bot").exists())
        spawner, _ = family(int((tmp_path / "bot").read_text()))
        worker, _ = family(spawner)
        forkserver, _ = family(worker)
        for pid in (forkserver, spawner, worker):
            os.kill(pid, signal.SIGKILL)
        assert process.wait() == 4
        assert not marked(os.environ[MARK])


def begun_with(text: str, folder: Path):
    """A run that has begun, of `random` against the bot `Bot` in a module with that text, in a process of its own."""
    (folder / "bot.py").write_text(text, encoding="utf-8")
    bots = '["random"]\n[[bot]]\nname = "own"\nuse = "bot.py:Bot"\nhost = "process"'
    (folder / "t.toml").write_text(tournament_text("t", deals="1", bots=bots), encoding="utf-8")
    return begin(folder, "t.toml", "--out", "run", "--workers", 1, **{MARK: os.environ[MARK]})


def family(pid: int) -> tuple[int, int]:
    """The parent and the process group of a process."""
    parent, group = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1:3]
    return int(parent), int(group)


def lines(path: Path) -> list[str]:
    """The lines of a file; none if there is no file."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
