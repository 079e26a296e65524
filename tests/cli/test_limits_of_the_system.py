"""Where the system allows few open files or processes, a command does its work or says so in one line."""

import resource
import subprocess
import sys

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import BAD, TOURNEY, tournament_text

HOSTS = {
    "inline": 'use = "steady"',
    "process": 'use = "steady"\nhost = "process"',
    "program": f'command = ["python3", "{BAD.parents[2] / "bots" / "wire" / "random_bot.py"}"]',
    "sandbox": 'use = "steady"\nhost = "sandbox"',
}
FILES = {"inline": (8, 12, 64), "process": (10, 14), "program": (12, 64), "sandbox": (8, 10, 14)}
"""How many files may be open, where a bot plays in that host."""
ORDINARY = 64_123
"""A user id that nobody has, whose processes are those of the test alone."""
MAY_READ = "+dac_read_search"
"""The right to read all files, for an ordinary user to find an interpreter in root's home."""


def file_of(folder, host):
    path = folder / f"{host}.toml"
    table = f'[[bot]]\nname = "bot"\n{HOSTS[host]}'
    path.write_text(tournament_text(host, deals="2", bots='["first"]', extra=table), encoding="utf-8")
    return path


def limited(folder, limit, value, *arguments, ordinary=False):
    """Runs the command under a limit of the system."""
    as_user = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    front = [*as_user, f"--inh-caps={MAY_READ}", f"--ambient-caps={MAY_READ}"] if ordinary else []
    program = "import os, resource, sys; resource.setrlimit(int(sys.argv[1]), (int(sys.argv[2]),) * 2); "
    program += "os.execv(sys.argv[3], sys.argv[3:])"
    command = [*front, sys.executable, "-c", program, str(limit), str(value), TOURNEY, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def works_or_says_so(result, says):
    if result.returncode != 0:
        assert result.returncode in (2, 4), result.stderr
        one_line(result, result.returncode, says)


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_with_few_open_files_a_run_works_or_says_so(tourney, tmp_path, host):
    config = file_of(tmp_path, host)
    assert tourney("run", config, "--out", "whole").returncode == 0
    for files in FILES[host]:
        out = tmp_path / f"run{files}"
        result = limited(tmp_path, resource.RLIMIT_NOFILE, files, "run", config, "--out", out, "--workers", 2)
        works_or_says_so(result, "oo many open files")
        resume = ["--resume"] if out.exists() else []
        assert tourney("run", config, "--out", out, *resume).returncode == 0 or result.returncode == 0
        assert journal(out) == journal(tmp_path / "whole"), files


@pytest.mark.parametrize("arguments", [("standings", "done"), ("run", "small.toml", "--out", "new")], ids=" ".join)
def test_without_memory_a_command_says_so(finished, arguments):
    result = limited(finished.parent, resource.RLIMIT_AS, 64 << 20, *arguments)
    one_line(result, 4, "it cannot go on: the system has no memory left; end other programs, or allow more")
