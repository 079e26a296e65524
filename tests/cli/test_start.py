"""What the command imports: what it does not need would only make it slow to start."""

import subprocess
import sys

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


def test_the_help_imports_the_commands_and_nothing_of_what_they_do():
    modules = imported("--help")
    assert "tourney.cli.commands.run" in modules, "the list of modules is not what it should be"
    ours = {name for name in modules if name.startswith("tourney.") and not name.startswith("tourney.cli")}
    assert ours <= {"tourney.errors"}
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
        "tourney.hosts.external",
        "tourney.hosts.process",
        "tourney.hosts.sandbox.host",
    }
