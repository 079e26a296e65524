"""What the command imports: what it does not need would only make it slow to start."""

import signal
import subprocess
import sys

import pytest

from tests.cli.runs import begin, wait_for
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
    done = subprocess.run(program, cwd=tmp_path, check=True, capture_output=True, text=True)
    modules = set(done.stderr.split())
    assert "tourney.cli.main" in modules
    assert not modules & set(UNUSED[command].split())
    assert command != "--help" or not [name for name in modules if name.startswith("tourney.cli.commands")]


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
