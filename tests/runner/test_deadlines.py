"""How long a worker may be silent before it is ended: as long as its bots may think, and not for ever."""

import orjson
import pytest

from tests.conftest import BAD, mostly_slow, tournament_text
from tests.runner.test_local_pool import local_pool
from tourney import config
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
LONGER = {
    "by a limit": (60, {"Quick": "move_ms = 1000\nstart_ms = 1000", "Sleeps": ""}),
    "by a clock": (1, {"Quick": 'clock = "10m"', "Sleeps": 'clock = "60s"', "Other": 'clock = "60s"'}),
}
"""How long a match may last, and limits of bots, of which the second thinks for longer than the others."""
CHARGED = {
    "HangsInC": ("timeout", 1, 'clock = "1s"', "Quick"),
    "GoesOn": ("timeout", 1, "move_ms = 300", "Quick"),
    "HangsInStart": ("timeout", 3, 'clock = "60s"', "Quick"),
    "HangsInEnd": ("timeout", 3, 'host = "process"', "Quick"),
    "AnswersHanger": ("timeout", 4, "", "LeavesGarbage"),
    "DiesWhenLetGo": ("crash", 4, "", "LeavesGarbage"),
}
"""Bots that hang where nothing can interrupt them: as they are asked, made, told the outcome, or as what is theirs is
destroyed; with the fault, the longest match, a limit and the opponent (more in tests/hosts/test_outcomes.py)."""


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
@pytest.mark.parametrize("case", LONGER)
def test_a_bot_may_think_as_long_as_its_own_limit_says_whoever_was_asked_before(tmp_path, case):
    match_s, limits = LONGER[case]
    bots = {name: f'use = "bots.py:{name.replace("Other", "Quick")}"\n{limit}' for name, limit in limits.items()}
    faults, same = played(tmp_path, bots, match_s)
    assert same, "the worker was ended while the bot was asked"
    assert "sleeps" not in dict(faults)


@pytest.mark.parametrize("name", mostly_slow(CHARGED, "HangsInC", "DiesWhenLetGo"))
def test_a_bot_that_hangs_or_ends_its_worker_is_charged_and_no_other(tmp_path, name):
    kind, match_s, limit, opponent = CHARGED[name]
    file = "bots.py" if opponent == "Quick" else BAD
    bots = {name: f'use = "{BAD}:{name}"\n{limit}', opponent: f'use = "{file}:{opponent}"\nmove_ms = 3000'}
    assert played(tmp_path, bots, match_s)[0] == [(name.lower(), kind)] * 2
