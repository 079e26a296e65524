"""Where the system allows few open files, a run ends with one line and resumes to the same bytes."""

import resource
import subprocess

import pytest

from tests.cli.runs import journal
from tests.conftest import TOURNEY


@pytest.mark.parametrize("files", [8, pytest.param(14, marks=pytest.mark.slow)])
def test_with_few_open_files_a_run_says_so_and_resumes(tourney, write, shared_run, tmp_path, files):
    config = write(deals="2", extra='[[bot]]\nname = "apart"\nuse = "steady"\nhost = "process"')
    done = subprocess.run(
        [TOURNEY, "run", config, "--out", "run", "--workers", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    if done.returncode != 0:
        assert done.returncode in (2, 4), done.stderr
        assert done.stderr.splitlines()[-1].startswith("tourney: ")
    resume = ["--resume"] if (tmp_path / "run" / "manifest.json").exists() else []
    assert tourney("run", config, "--out", "run", *resume).returncode == 0
    assert journal(tmp_path / "run") == journal(shared_run(config))
