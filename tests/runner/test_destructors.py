"""Objects of a bot that hang, or end the process, when they are destroyed: their own bot is charged, and no other."""

import orjson
import pytest

from tests.conftest import BAD, tournament_text
from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.schedule.base import schedule

KINDS = {"AnswersHanger": "timeout", "DiesWhenLetGo": "crash"}
"""Further ones are among the lines of the table in docs/hosts.md (tests/hosts/test_outcomes.py)."""


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_bot_is_charged_for_what_its_objects_do_when_they_are_destroyed(tmp_path, name):
    bots = "".join([f'[[bot]]\nname = "{each}"\nuse = "{BAD}:{each}"\n' for each in (name, "LeavesGarbage")])
    text = tournament_text("local", bots="", deals="1", extra=f"{bots}[limits]\nmatch_s = 4")
    chosen = config.parse(text, tmp_path / "local.toml")
    with local_pool(chosen, 1) as pool:
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
    records = [orjson.loads(line) for line in lines.splitlines()]
    charged = [[(record["seats"][fault["seat"]], fault["kind"]) for fault in record["faults"]] for record in records]
    assert charged == [[(name, KINDS[name])]] * 2
