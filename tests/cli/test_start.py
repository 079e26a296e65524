"""What the command imports: what it does not need would only make it slow to start."""

import subprocess
import sys

import pytest

from tests.conftest import tournament_text

PROGRAM = """
import sys
from tourney.cli.main import main
main(sys.argv[1:], prog_name="tourney", standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
UNUSED = {
    "--help": "msgspec multiprocess networkx orjson rich subprocess tabulate tomli_w tomllib tourney.contracts",
    "games": "multiprocess networkx rich",
    "run t.toml --quiet": "networkx rich tourney.hosts.process.host tourney.hosts.sandbox.host",
}


@pytest.mark.parametrize("command", UNUSED)
def test_what_a_command_does_not_need_is_not_imported(tmp_path, command):
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1"), encoding="utf-8")
    program = [sys.executable, "-c", PROGRAM, *command.split()]
    modules = set(subprocess.run(program, cwd=tmp_path, check=True, capture_output=True, text=True).stderr.split())
    assert "tourney.cli.main" in modules
    assert not modules & set(UNUSED[command].split())
    assert command != "--help" or not [name for name in modules if name.startswith("tourney.cli.commands")]
