"""The package where it is not Linux: what a system lacks is taken away here (`tests.pretended`)."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_every_module_can_be_imported_where_what_only_linux_has_is_missing(platform):
    command = [sys.executable, "-m", "tests.pretended", platform]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
