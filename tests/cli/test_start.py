"""What the command imports: what it does not need would only make it slow to start."""

import signal
import subprocess
import sys

import pytest

from tests.cli.runs import begin, journal, one_line, wait_for
from tests.conftest import mostly_slow, tournament_text
from tests.hosts import machine
from tourney.hosts.base import BotSpec
from tourney.hosts.sandbox.host import SandboxHost

PROGRAM = """
import sys
from tourney.cli.main import main
main(sys.argv[1:], prog_name="tourney", standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """The modules that a process of its own has imported when the command is done."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=True, capture_output=True, text=True)
    return set(done.stderr.split())


def test_the_help_imports_the_commands_and_nothing_of_what_they_do():
    modules = imported("--help")
    assert "tourney.cli.commands.run" in modules, "the list of modules is not what it should be"
    ours = {name for name in modules if name.startswith("tourney.") and not name.startswith("tourney.cli")}
    assert ours <= {"tourney.base", "tourney.base.errors", "tourney.base.streams"}
    theirs = {"msgspec", "multiprocess", "networkx", "orjson", "rich", "subprocess", "tabulate", "tomli_w", "tomllib"}
    assert not modules & theirs


def test_what_needs_no_pairing_and_no_terminal_imports_neither():
    modules = imported("games")
    assert "tourney.games.vole" in modules
    assert not modules & {"multiprocess", "networkx", "rich"}


def test_a_run_of_inline_bots_imports_no_other_hosts_and_no_pairing(tmp_path):
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1"), encoding="utf-8")
    modules = imported("run", str(tmp_path / "t.toml"), "--out", str(tmp_path / "run"), "--quiet")
    assert "tourney.hosts.inline" in modules
    assert not modules & {
        "networkx",
        "rich",
        "tourney.hosts.process.host",
        "tourney.hosts.sandbox.host",
    }


ONCE = """
import os, signal, time
try:
    os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
except FileExistsError:
    pass
else:
    os.kill(os.getpid(), signal.{signal})
    time.sleep(600 if signal.{signal} != signal.SIGSTOP else 0)

class Struck:
    def act(self, view, legal):
        return legal[0]
"""
ALWAYS = "import os, signal\nos.kill(os.getpid(), signal.{signal})\n"


def struck(folder, text, name, host):
    """The text of a tournament with a bot to whose process something happens when it is loaded."""
    (folder / "struck.py").write_text(text.format(mark=str(folder / "mark"), signal=name), encoding="utf-8")
    return f'[[bot]]\nname = "struck"\nuse = "struck.py:Struck"\nhost = "{host}"'


@pytest.mark.parametrize("name", mostly_slow(["SIGTERM", "SIGINT", "SIGKILL", "SIGSTOP"], "SIGKILL"))
def test_a_signal_from_outside_while_bots_are_examined_changes_nothing(tourney, write, tmp_path, name):
    config = write(deals="1", bots='["first"]', extra=struck(tmp_path, ONCE, name, "process"))
    result = tourney("run", config, "--out", "run")
    assert (result.returncode, "Traceback" in result.stderr) == (0, False), result.stderr
    assert b'"faults":[]' in journal(tmp_path / "run")


INTERRUPTED = """
import os, signal, sys
if "bot_server" in " ".join(sys.orig_argv):
    open({mark!r}, "w").close()
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_an_interrupt_while_python_starts_to_examine_a_bot_changes_nothing(tourney, write, tmp_path):
    """An interrupted start of Python ends with exit status 1, as if the bot could not be loaded."""
    mark = tmp_path / "mark"
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED.format(mark=str(mark)), encoding="utf-8")
    config = write(deals="1", bots='["first"]', extra='[[bot]]\nname = "b"\nuse = "random"\nhost = "process"')
    result = tourney("run", config, "--out", "run", PYTHONPATH=str(tmp_path))
    assert (result.returncode, mark.exists()) == (0, True), result.stderr
    assert b'"faults":[]' in journal(tmp_path / "run")


@pytest.mark.slow
def test_a_bot_that_is_stopped_while_it_is_examined_in_the_sandbox_is_continued(tmp_path):
    machine.need_sandbox()
    text = ALWAYS.format(signal="SIGSTOP") + "class Struck:\n    def act(self, view, legal): return legal[0]\n"
    (tmp_path / "struck.py").write_text(text, encoding="utf-8")
    spec = BotSpec("struck", "sandbox", "struck.py:Struck", {}, (), tmp_path, ("vole",), sources=(tmp_path,))
    assert SandboxHost.examine(spec) is None


@pytest.mark.parametrize(("name", "times"), [pytest.param("SIGKILL", 30, marks=pytest.mark.slow), ("SIGSEGV", 3)])
def test_a_signal_that_ends_a_bot_whenever_it_is_loaded_is_named(tourney, write, tmp_path, name, times):
    config = write(deals="1", bots='["first"]', extra=struck(tmp_path, ALWAYS, name, "process"))
    one_line(tourney("run", config, "--out", "run"), 2, "bot struck", f"ended by {name}, {times} times")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_signal_without_a_name_of_its_own_is_named_by_its_number(tourney, write, tmp_path):
    number = signal.SIGRTMIN + 1
    config = write(deals="1", bots='["first"]', extra=struck(tmp_path, ALWAYS, "SIGRTMIN + 1", "process"))
    one_line(tourney("run", config, "--out", "run"), 2, "bot struck", f"ended by signal {number}, 30 times")


@pytest.mark.slow
def test_what_a_bot_starts_when_it_is_loaded_does_not_hold_up_the_start(tourney, write, tmp_path):
    text = 'import os, time\nif os.fork() == 0:\n    time.sleep(600)\nassert "{signal}{mark}", "none"\n'
    bot = struck(tmp_path, text + "class Struck:\n    def act(self, view, legal): return legal[0]\n", "", "process")
    assert tourney("run", write(deals="1", bots='["first"]', extra=bot), "--out", "run").returncode == 0


def test_an_interrupt_before_anything_is_played_ends_with_130(write, tmp_path):
    text = f"open({str(tmp_path / 'mark')!r}, 'w').close()\nimport time\ntime.sleep(600)\n"
    (tmp_path / "slow.py").write_text(text, encoding="utf-8")
    bot = '[[bot]]\nname = "slow"\nuse = "slow.py:Slow"\nhost = "process"'
    process = begin(tmp_path, write(bots='["first"]', extra=bot), "--out", "run")
    wait_for((tmp_path / "mark").exists)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (130, "tourney: interrupted\n")
    assert not (tmp_path / "run").exists()
