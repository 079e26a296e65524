"""What a worker of a cluster does, called in this process: it has a process of ours play, and replaces that one."""

import errno
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import alive, wait_for
from tests.runner.cluster.test_runs import mixed
from tourney import config
from tourney.base.errors import ConfigError, GameError, MissingExtraError, RunError, SystemLimitError
from tourney.hosts import linux
from tourney.runner.cluster import messages, player
from tourney.runner.cluster.messages import REPLIES, Played, Ready, Refused, encode, machine_facts, plain_task
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.worker import Task
from tourney.schedule.base import schedule
from tourney.standings.results import MatchResult


@pytest.fixture
def scratch(tmp_path, monkeypatch) -> Iterator[Path]:
    """The folder in which processes get theirs; the one that waits for another task is ended afterwards."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    assert isinstance(REPLIES.decode(player.prepare(b"")), Refused)
    assert list(path.iterdir()) == []


def asked(name: str, *task) -> Played:
    reply = REPLIES.decode(player.do(name, encode(plain_task(Task(*task), None))))
    assert isinstance(reply, Played), reply
    return reply


def processes() -> set[int]:
    return set(linux.own_children())


def test_tasks_are_played_as_on_one_machine_by_a_process_that_is_replaced_when_it_ends(tmp_path, scratch):
    tournament = config.read(mixed(tmp_path))
    blocks, before = list(schedule(tournament).blocks()), processes()
    packed = messages.pack(tournament)
    name = player.digest(packed)
    assert player.do(name, b"") == player.LOST, "it is not known yet"
    assert REPLIES.decode(player.prepare(packed)) == Ready(machine_facts(tournament))
    began = time.perf_counter()
    replies = [asked(name, 0, blocks[:9]), asked(name, 9, blocks[9:20])]
    results = [reply.result for reply in replies]
    assert 0 < sum([each.seconds for each in results]) < time.perf_counter() - began
    (process,) = processes() - before

    with LocalPool(tournament, 1, None, tmp_path) as pool:
        pool.show_prints = [].append
        here = [done for done in pool.play(iter(blocks[:20])) if done is not None]
    assert b"".join([each.lines for each in results]) == b"".join([each.lines for each in here])
    assert [MatchResult(*one) for each in results for one in each.results] == [
        one for each in here for one in each.results
    ]
    assert [each.blocks for each in results] == [9, 11]
    assert [[found.name for found in each.tracebacks] for each in results] == [["raises"], []], "the first alone"
    printed = [line for each in results for line in each.prints.splitlines()]
    assert [line.startswith("[prints] ") for line in printed] == [True] * 101, "a hundred lines, and a last one"
    for reply in replies:
        decided = sum(reply.result.times.bots["apart"].buckets.values())
        assert {bot: log.count(" legal actions\n") for bot, log in reply.logs.items()} == {"apart": decided}
    assert b'"kind":"out"' in asked(name, 0, blocks[:1], False, (), (), {"first": "for its faults"}).result.lines

    os.kill(next(linux.descendants(process)), signal.SIGKILL)  # the one that starts its workers
    assert player.do(name, encode(plain_task(Task(0, blocks[:9]), None))) == player.LOST
    assert asked(name, 0, blocks[:9]).result.lines == results[0].lines
    (process,) = processes() - before
    os.kill(process, signal.SIGKILL)
    wait_for(lambda: not alive(process))
    assert asked(name, 0, blocks[:9]).result.lines == results[0].lines
    assert "ValidationError" in REPLIES.decode(player.do(name, b"no task")).error().args[0]
    assert len(list(scratch.iterdir())) == 1


def test_a_worker_knows_the_last_few_tournaments_and_has_a_process_for_the_last_one(write, scratch, monkeypatch):
    monkeypatch.setattr(player, "MOST_KEPT", 2)
    before = processes()
    packed = [messages.pack(config.read(write(seed=str(seed)))) for seed in range(3)]
    for each in (0, 1, 0, 2):
        assert isinstance(REPLIES.decode(player.prepare(packed[each])), Ready)
    assert len(processes() - before) == len(list(scratch.iterdir())) == 1
    known = [player.do(player.digest(each), None) != player.LOST for each in packed]
    assert known == [True, False, True]


ERRORS = {
    "ours": (ConfigError("no bot"), ConfigError, "desk: no bot"),
    "with more arguments": (MissingExtraError("A", "b", "c"), RunError, "desk: A needs c; install it by: pip install"),
    "a limit": (OSError(errno.EMFILE, "many files"), SystemLimitError, "desk: it cannot continue"),
    "a bug": (ZeroDivisionError("by zero"), RuntimeError, "a worker on desk failed:\nTraceback"),
    "of no class": (Refused("desk", "annotations", "odd"), RunError, "desk: odd"),
    "of another class": (Refused("desk", "Any", "odd"), RunError, "desk: odd"),
}


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
