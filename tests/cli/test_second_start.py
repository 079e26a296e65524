"""A run or gate that is being played is not touched by another start in its folder, whichever way it is asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runs import Held, copy_bots, one_line, same_run
from tourney.journal.times import TIMES

BOTS = f'["first", "random", "{Held.BOT}"]'


def files(folder: Path) -> dict[str, bytes]:
    """Returns the content of every file in a folder; but for the times, which are written as one plays."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != TIMES}


@pytest.fixture
def config(write, tmp_path) -> Callable[..., Path]:
    """Writes a file of a tournament with the bot that waits; whatever the file's name, the tournament's is the same."""
    copy_bots(tmp_path)

    def config(name: str = "small", **keys: str) -> Path:
        return write(name, **{"name": '"small"', "bots": BOTS} | keys)

    return config


def test_no_second_start_changes_a_run_that_is_being_played(tourney, config, tmp_path):
    mine, anchor = config(), '{ bot = "random", rating = 1000 }'
    assert tourney("run", mine, "--out", "whole").returncode == 0
    assert tourney("run", config("fewer", deals="3"), "--out", "earlier").returncode == 0
    others = {
        "the same once more": (mine,),
        "to go on with it": (mine, "--resume"),
        "with another anchor": (config("anchor", anchor=anchor), "--resume"),
        "by force": (config("more", deals="9"), "--resume", "--force"),
        "to begin anew": (mine, "--overwrite"),
        "another tournament": (config("other", seed="77"),),
        "another tournament by force": (config("other", seed="77"), "--resume", "--force"),
        "an extension": (mine, "--extend", "earlier"),
        "an extension that goes on": (mine, "--extend", "earlier", "--resume"),
    }
    held = Held(tmp_path, mine, "--out", "live")
    before = files(tmp_path / "live")
    for how, arguments in others.items():
        result = tourney("run", *arguments, "--out", "live")
        locked = {"--resume", "--overwrite"}.intersection(arguments)
        one_line(result, 2, "another process is writing" if locked else "live: ")
        now = files(tmp_path / "live")
        assert now.pop("journal.jsonl").startswith(before["journal.jsonl"]), how
        assert now == {name: data for name, data in before.items() if name != "journal.jsonl"}, how
    for command in ("standings", "matches", "verify"):
        assert tourney(command, "live").returncode == 0
    assert held.finish().returncode == 0
    same_run(tmp_path / "live", tmp_path / "whole")
    assert tourney("verify", "live").stdout.endswith(" records hold\n")
