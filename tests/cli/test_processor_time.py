"""Limits of processor time on the command line."""

import pytest

from tests.cli.runs import one_line
from tests.cli.test_clocks import BOT, GATE


@pytest.mark.slow
def test_a_gate_refuses_processor_time_for_bots_in_the_worker(tourney, tmp_path):
    (tmp_path / "mine.py").write_text("class Bot:\n    act = lambda self, view, legal: legal[0]\n")
    known = '\n[[bot]]\nname = "other"\nuse = "random"\nhost = "process"\n'
    (tmp_path / "t.toml").write_text('[limits]\ncpu = "1h"\n' + known)
    refused = tourney(*[str(word).format("random") for word in GATE])
    one_line(refused, 2, 'limits.cpu: bot random has host = "inline", which has no such limit; take host = "process"')
    assert tourney(*[str(word).format("other") for word in GATE]).returncode == 3


@pytest.mark.slow
def test_check_takes_limits_of_processor_time(tourney):
    given = ("--cpu-ms", 3_600_000, "--cpu", "1h")
    result = tourney(*BOT, "--host", "process", *given)
    assert (result.returncode, result.stderr) == (0, "")
    one_line(
        tourney(*BOT, *given), 2, "--cpu-ms: --host inline has no such limit; take --host process, or leave it out"
    )
