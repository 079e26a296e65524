"""What keeps a cluster from playing, what its workers answer, and what they say of an error."""

import errno
import sys

import dask
import pytest

from tests.conftest import called
from tests.runner.cluster.dask_processes import scheduler
from tourney.base.errors import ConfigError, MissingExtraError, RunError, SystemLimitError
from tourney.hosts import linux
from tourney.runner.cluster import messages
from tourney.runner.cluster.messages import REPLIES, Refused, encode
from tourney.runner.cluster.scheduler import nobody_there, require_dask, security_for
from tourney.runner.workers import check_address

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
