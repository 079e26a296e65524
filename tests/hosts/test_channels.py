"""No bot in the sandbox finds the card that another has left, in the same match or in the next one."""

import json
from pathlib import Path

import pytest

from tests.hosts.play import match_with, written

TEXT = Path(__file__).with_name("cards.py").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_card_is_found_in_no_channel_of_the_sandbox_and_in_those_of_a_process(host, tmp_path):
    with written(TEXT, tmp_path, host=host, log=tmp_path / "log.txt") as found:
        for target in (6, 7):
            assert match_with(found, found, options={"target": target}).faults == ()
    leaver, beside, *after = [set(json.loads(line)) for line in (tmp_path / "log.txt").read_text().splitlines()]
    assert leaver == set()
    if host == "sandbox":
        assert [beside, *after] == [set()] * 3
    else:  # what could not be found here would prove nothing there
        assert beside >= {"files", "modes", "locks", "process ids", "process names", "sockets", "localhost"}
        assert not beside & {"memory", "descriptors"}
