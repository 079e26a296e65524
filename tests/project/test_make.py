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


@pytest.mark.parametrize(
    ("make", "code", "called"),
    [(SAY, 0, ["check", "test", "test-all"]), (f'{SAY}; test "$1" != check', 1, ["check"])],
    ids=["all", "the first fails"],
)
def test_ci_lints_and_then_tests_and_ends_at_what_fails(tmp_path, make, code, called):
    result = ci(tmp_path, make=make, bwrap="true", chromium="true")
    assert result.returncode == code
    assert [line for line in result.stdout.splitlines() if line.startswith("make ")] == [
        f"make {each}" for each in called
    ]
