"""What keeps a cluster from playing, what its workers answer, and what they say of an error."""

import errno
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from signal import SIGKILL

import dask
import pytest

from tests.cli.runs import wait_for
from tests.conftest import called
from tests.runner.cluster.dask_processes import end, scheduler, workers
from tourney import config
from tourney.base.errors import ConfigError, GameError, MissingExtraError, RunError, SystemLimitError
from tourney.hosts import linux
from tourney.runner.cluster import messages, player
from tourney.runner.cluster.messages import REPLIES, Ready, Refused, encode
from tourney.runner.cluster.scheduler import Answer, Connection, nobody_there, require_dask, security_for
from tourney.runner.workers import Frontend, Workers, check_address

WRONG = {
    **dict.fromkeys(("foo", "tcp://localhost", "tcp://localhost:0", "tcp://localhost:65536"), "invalid address"),
    **dict.fromkeys(("local:0", "local:1025", "local:many"), "expected local:N with N from 1"),
}


@pytest.mark.parametrize("address", WRONG)
def test_a_wrong_address_and_workers_of_this_machine_are_refused_in_one_line(write, tmp_path, address):
    done = called(["run", str(write()), "--workers", address], tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert WRONG[address] in done.stderr


def test_the_least_and_the_largest_of_what_an_address_may_say():
    assert [check_address("", f"local:{count}") for count in (1, 1024)] == [1, 1024]
    assert [check_address("", f"{host}:1") for host in ("tcp://localhost", "tls://[::1]")] == [None, None]
    assert check_address("", "tcp://10.0.0.1:65535", local=False) is None
    for address in ("local:2", "http://localhost:80"):
        with pytest.raises(
            ConfigError, match=r": invalid address; expected tcp://HOST:PORT or tls://HOST:PORT, for example "
        ):
            check_address("", address, local=False)


@pytest.mark.parametrize("count", [0, 1025])
def test_the_number_of_workers_has_limits(count):
    with pytest.raises(ConfigError, match=f"workers: {count} must be between 1 and 1024"):
        Workers(Frontend(False, print, nullcontext), count)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "worker"])
def test_an_address_where_nobody_is_ends_in_one_line(tourney, write, command, tmp_path):
    with scheduler(tmp_path) as (address, _):
        pass
    done = tourney(*(["worker", address] if command == "worker" else ["run", write(), "--workers", address]))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"tourney: {address}: no scheduler answers (")
    assert not (tmp_path / "results").exists()


def test_the_first_cause_says_why_nobody_answers():
    error = OSError("outer")
    error.__cause__ = TimeoutError("inner\nmore")
    assert str(nobody_there("tcp://a:1", error)).startswith("tcp://a:1: no scheduler answers (inner); start one there")
    assert "(TimeoutError)" in str(nobody_there("tcp://a:1", TimeoutError()))


def test_certificates_are_those_of_dasks_configuration():
    assert security_for("tcp://a:1") is not None
    with pytest.raises(ConfigError, match="tls://a:1: no certificates configured"):
        security_for("tls://a:1")
    names = {f"distributed.comm.tls.{name}": "/nowhere.pem" for name in ("ca-file", "client.cert", "client.key")}
    with dask.config.set(names), pytest.raises(ConfigError, match="tls://a:1: cannot use the certificates"):
        security_for("tls://a:1")


def test_a_cluster_needs_linux_and_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install 'tourney-cards\[cluster\]'"):
        require_dask()
    monkeypatch.setattr(linux, "AVAILABLE", False)
    with pytest.raises(ConfigError, match="a cluster requires Linux"):
        require_dask()


@pytest.mark.slow
def test_each_question_is_answered_by_the_worker_that_it_is_for_until_the_scheduler_is_gone(tmp_path):
    events: list = []

    def until(is_there) -> None:
        wait_for(lambda: events.extend(connection.events(0.1)) or is_there())

    def answers(*asked: int) -> list[Answer]:
        until(lambda: {event.number for event in events if isinstance(event, Answer)} >= set(asked))
        return [next(event for event in events if event[0] == number) for number in asked]

    with scheduler(tmp_path) as (address, process), workers(tmp_path, address, 2):
        connection = Connection(address)
        until(lambda: any(len(event) == 2 for event in events))
        one, two = events.pop()
        pids = answers(*[connection.ask(each, os.getpid) for each in (one, two, one)])
        assert pids[0].data == pids[2].data != pids[1].data
        (failed,) = answers(connection.ask(one, int, "x"))
        assert (failed.data, type(failed.error)) == (None, ValueError)
        forgotten, later = connection.ask(one, time.sleep, 600), connection.ask(two, bytes.upper, b"later")
        assert answers(later) == [Answer(later, b"LATER")]
        for number in (forgotten, later):
            connection.forget(number)
        assert answers(forgotten) == [Answer(forgotten, None)]
        assert connection.dashboard().startswith("http://127.0.0.1:")
        assert logging.getLogger("distributed").level > logging.CRITICAL, "dask is silent"
        end(process)
        until(lambda: events[-1] is None)
        connection.close()
        wait_for(lambda: "stopped, and so did the workers\n" in (tmp_path / "workers.log").read_text())
    assert (tmp_path / "workers.log").read_text().startswith(f"2 workers for {address}; Ctrl-C stops them\n")


ERRORS = {
    "ours": (ConfigError("no bot"), ConfigError, "desk: no bot"),
    "with more arguments": (
        MissingExtraError("A", "b", "c"),
        RunError,
        "desk: A requires c; install it with: pip install",
    ),
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
