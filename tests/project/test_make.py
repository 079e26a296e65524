"""The targets of the Makefile, and what continuous integration runs."""

import re
import shutil
import subprocess

import pytest

from tests.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_help_lists_every_target():
    shown = subprocess.run(["make", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    targets = re.search(r"(?m)^\.PHONY: (.*)$", MAKEFILE)[1].split()
    assert re.findall(r"(?m)^  make (\S+) ", shown) == targets
    assert set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE)) == set(targets)


@pytest.mark.parametrize(
    ("make", "code", "called"),
    [("true", 0, ["check", "test", "test-all"]), ('test "$1" != check', 1, ["check"])],
    ids=["all", "the first fails"],
)
def test_ci_lints_and_then_tests_and_ends_at_what_fails(tmp_path, make, code, called):
    """In a folder of programs that do nothing, apart from `make`, which prints its target."""
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, line in {"make": f'echo "make $1"; {make}', "bwrap": "true", "chromium": "true"}.items():
        (tmp_path / name).write_text(f"#!{shutil.which('bash')}\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    script = ["bash", ROOT / ".ci" / "run"]
    result = subprocess.run(script, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert result.returncode == code
    targets = [line.removeprefix("make ") for line in result.stdout.splitlines() if line.startswith("make ")]
    assert targets == called


def test_what_installs_without_a_word_of_its_own_is_announced():
    recipes = re.findall(r"(?m)^\$\(VENV\).*:.*\n((?:\t.*\n)+)", MAKEFILE)
    assert len(recipes) == 2
    assert all([0 <= recipe.find("@echo") < recipe.index("pip install --quiet") for recipe in recipes])
