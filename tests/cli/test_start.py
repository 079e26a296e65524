"""What the command imports: what it does not need would only make it slow to start."""

import signal
import subprocess
import sys

from tests.cli.runs import begin, wait_for
from tests.conftest import tournament_text

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


def test_the_help_imports_no_command():
    modules = imported("--help")
    assert "tourney.cli.main" in modules, "the list of modules is not what it should be"
    assert not any(name.startswith("tourney.cli.commands") for name in modules)
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


def struck(folder, text, name, host):
    """The text of a tournament with a bot to whose process something happens when it is loaded."""
    (folder / "struck.py").write_text(text.format(mark=str(folder / "mark"), signal=name), encoding="utf-8")
    return f'[[bot]]\nname = "struck"\nuse = "struck.py:Struck"\nhost = "{host}"'


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
