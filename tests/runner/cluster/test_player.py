"""What a worker of a cluster does, called in this process: it keeps tournaments, and says what went wrong."""

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL

import pytest

from tourney import config
from tourney.base.errors import ConfigError, GameError, MissingExtraError, RunError, SystemLimitError
from tourney.hosts import linux
from tourney.runner.cluster import messages, player
from tourney.runner.cluster.messages import REPLIES, Ready, Refused, encode

ERRORS = {
    "ours": (ConfigError("no bot"), ConfigError, "desk: no bot"),
    "with more arguments": (MissingExtraError("A", "b", "c"), RunError, "desk: A needs c; install it by: pip install"),
    "a limit": (OSError(errno.EMFILE, "many files"), SystemLimitError, "desk: it cannot continue"),
    "a bug": (ZeroDivisionError("by zero"), RuntimeError, "a worker on desk failed:\nTraceback"),
    "of no class": (Refused("desk", "annotations", "odd"), RunError, "desk: odd"),
    "of another class": (Refused("desk", "Any", "odd"), RunError, "desk: odd"),
}


@pytest.fixture
def scratch(tmp_path, monkeypatch) -> Iterator[Path]:
    """The folder in which processes get theirs; the one that waits for another task is ended afterwards."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    assert isinstance(REPLIES.decode(player.prepare(b"")), Refused)
    assert list(path.iterdir()) == []


def test_a_worker_knows_the_last_few_tournaments_and_has_a_process_for_the_last_one(write, scratch, monkeypatch):
    monkeypatch.setattr(player, "MOST_KEPT", 2)
    before = set(linux.own_children())
    packed = [messages.pack(config.read(write(seed=str(seed)))) for seed in range(3)]
    for each in (0, 1, 0, 2):
        assert isinstance(REPLIES.decode(player.prepare(packed[each])), Ready)
    assert len(set(linux.own_children()) - before) == len(list(scratch.iterdir())) == 1
    assert REPLIES.decode(player.do(player.digest(packed[2]), b"no task")).kind == "", "a bug"
    assert [player.do(player.digest(each), None) != player.LOST for each in packed] == [True, False, True]


def test_a_process_that_has_died_is_replaced_and_leaves_nothing(write, scratch):
    before, packed = set(linux.own_children()), messages.pack(config.read(write()))
    player.prepare(packed)
    [(child, folder)] = zip(set(linux.own_children()) - before, scratch.iterdir(), strict=True)
    os.kill(child, SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert (player.do(player.digest(packed), b"no task") != player.LOST, folder.exists()) == (True, False)


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_of_a_worker_is_raised_as_what_it_was_with_the_name_of_the_machine(case, monkeypatch):
    monkeypatch.setattr(messages.platform, "node", lambda: "desk")
    error, kind, says = ERRORS[case]
    if isinstance(error, Exception):
        try:
            raise error
        except Exception as raised:
            error = messages.refusal(raised)
    found = REPLIES.decode(encode(error)).error()
    assert (type(found), str(found)[: len(says)]) == (kind, says)


def test_the_error_of_a_game_keeps_its_game_and_report():
    found = REPLIES.decode(encode(messages.refusal(GameError("it fails", "coins", "at coins.py")))).error()
    assert (str(found), found.game, found.report) == ("it fails", "coins", "at coins.py")
