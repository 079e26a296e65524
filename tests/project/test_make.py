"""The targets of the Makefile, and what continuous integration runs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SAY = 'say "$@"'


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_help_lists_every_target():
    shown = subprocess.run(["make", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    targets = re.search(r"(?m)^\.PHONY: (.*)$", MAKEFILE)[1].split()
    assert re.findall(r"(?m)^  make (\S+) ", shown) == targets
    assert set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE)) == set(targets)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_run_installs_the_extra_and_ends_with_the_report(tmp_path):
    planned = ["make", "-C", ROOT, "--no-print-directory", "--dry-run", f"VENV={tmp_path}", "run"]
    lines = subprocess.run(planned, capture_output=True, text=True, check=True).stdout.splitlines()
    assert any("pip install" in line and "'.[report]'" in line for line in lines)
    assert lines[-1] == f"{tmp_path}/bin/tourney report results/quick"


def ci(tmp_path: Path, **commands: str) -> subprocess.CompletedProcess[str]:
    """Runs .ci/run where only these commands exist, each a line of shell; `say` prints how a command was called."""
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, line in commands.items():
        script = tmp_path / name.replace("_", "-")
        script.write_text(f'#!{shutil.which("bash")}\nsay() {{ echo "{script.name} $*"; }}\n{line}\n', encoding="utf-8")
        script.chmod(0o755)
    return subprocess.run(
        ["bash", ROOT / ".ci" / "run"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )


def test_ci_lints_and_then_tests(tmp_path):
    result = ci(tmp_path, make=SAY, bwrap="true", less="true", chromium="true")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-2:] == ["make check", "make test"]
    assert result.stderr == ""


def test_ci_fails_at_the_first_target_that_fails(tmp_path):
    result = ci(tmp_path, make=f'{SAY}; test "$1" != check', bwrap="true", less="true", chromium="true")
    assert result.returncode == 1
    assert "make test" not in result.stdout


def test_ci_installs_the_programs_that_tests_need_where_it_may(tmp_path):
    result = ci(tmp_path, make=SAY, id="echo 1000", sudo='shift; "$@"', apt_get=SAY)
    for package in ("bubblewrap", "less", "chromium"):
        assert f"apt-get install -q -y --no-install-recommends {package}\n" in result.stdout
    assert result.stdout.endswith("make check\nmake test\n")


def test_ci_takes_the_browser_that_is_there(tmp_path):
    result = ci(tmp_path, make=SAY, bwrap="true", less="true", google_chrome="true", apt_get=SAY)
    assert "apt-get" not in result.stdout


@pytest.mark.parametrize("commands", [{}, {"apt_get": "exit 100"}], ids=["no apt-get", "apt-get fails"])
def test_ci_says_so_where_bubblewrap_cannot_be_installed_and_tests_all_the_same(tmp_path, commands):
    result = ci(tmp_path, make=SAY, id="echo 1000", sudo='shift; "$@"', **commands)
    assert "bubblewrap is missing and could not be installed" in result.stderr
    assert result.stdout.endswith("make check\nmake test\n")
    assert result.returncode == 0
