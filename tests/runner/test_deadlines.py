"""How long a worker may be silent before it is ended: as long as its bots may think, and not for ever."""

import orjson
import pytest

from tests.conftest import BAD, tournament_text
from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.hosts.clocks import SPARE_S, Timekeeper
from tourney.schedule.base import schedule

BOTS = """
import time

class Quick:
    def act(self, view, legal):
        return legal[-1]

class Sleeps(Quick):
    "Sleeps for four seconds before its first decision."
    slept = False

    def act(self, view, legal):
        if not self.slept:
            self.slept = True
            time.sleep(4)
        return legal[-1]
"""


def played(tmp_path, bots: dict[str, str], match_s: float) -> tuple[list[tuple[str, str]], bool]:
    """Who was charged with what in two matches of each two of the bots; whether one worker has played them all."""
    (tmp_path / "bots.py").write_text(BOTS)
    tables = "".join([f'[[bot]]\nname = "{name.lower()}"\n{lines}\n' for name, lines in bots.items()])
    text = tournament_text("deadlines", bots="", deals="1", extra=f"{tables}[limits]\n{match_s = }")
    chosen = config.parse(text, tmp_path / "deadlines.toml")
    with local_pool(chosen, 1) as pool:
        begun = [worker.pid for worker in pool.workers]
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
        ended = [worker.pid for worker in pool.workers]
    records = [orjson.loads(line) for line in lines.splitlines()]
    faults = [(record["seats"][fault["seat"]], fault["kind"]) for record in records for fault in record["faults"]]
    return faults, begun == ended


@pytest.mark.slow
def test_a_bot_may_think_for_longer_than_the_one_before_it_may(tmp_path):
    bots = {"Quick": 'use = "bots.py:Quick"\nmove_ms = 1000\nstart_ms = 1000', "Sleeps": 'use = "bots.py:Sleeps"'}
    faults, same = played(tmp_path, bots, match_s=60)
    assert same, "the worker was ended while the bot was asked"
    assert "sleeps" not in dict(faults)


@pytest.mark.slow
def test_a_bot_may_think_as_long_as_its_clock_says_after_one_with_a_longer_clock(tmp_path):
    bots = {
        "Quick": 'use = "bots.py:Quick"\nclock = "10m"',
        "Sleeps": 'use = "bots.py:Sleeps"\nclock = "60s"',
        "Other": 'use = "bots.py:Quick"\nclock = "60s"',
    }
    faults, same = played(tmp_path, bots, match_s=1)
    assert same, "the worker was ended while the bot was asked"
    assert not faults


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "limit"),
    [("HangsInC", 'clock = "1s"'), ("GoesOn", "move_ms = 300")],
)
def test_an_inline_bot_that_cannot_be_interrupted_is_ended_and_charged(tmp_path, name, limit):
    bots = {name: f'use = "{BAD}:{name}"\n{limit}', "Quick": f'use = "bots.py:Quick"\n{limit and "move_ms = 3000"}'}
    faults, same = played(tmp_path, bots, match_s=1)
    assert not same
    assert faults == [(name.lower(), "timeout")] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "limit", "host"),
    [
        ("HangsInStart", 'clock = "60s"', "inline"),
        ("HangsInEnd", "", "process"),
    ],
)
def test_a_bot_that_hangs_as_it_is_made_or_hears_the_outcome_is_charged_whatever_its_clock(tmp_path, name, limit, host):
    bots = {
        name: f'use = "{BAD}:{name}"\nhost = "{host}"\n{limit}',
        "Quick": f'use = "bots.py:Quick"\nhost = "{host}"',
    }
    faults, _ = played(tmp_path, bots, match_s=3)
    assert faults == [(name.lower(), "timeout")] * 2


def test_a_worker_may_never_be_silent_for_less_than_without_a_clock():
    told: list[float] = []
    keeper = Timekeeper(told.append, silent_s=100)
    keeper.expect(0.0, 1.0)
    keeper.expect(50.0, 60.0)
    assert told == [100 + SPARE_S]
    keeper.expect(50.0, 170.0)
    keeper.expect(50.5, 170.5)
    assert told == [100 + SPARE_S, 120 + SPARE_S]
