"""What keeps a cluster from playing: wrong addresses, nobody there, no workers."""

import pytest

from tests.conftest import called
from tests.runner.cluster.dask_processes import scheduler
from tourney import config
from tourney.base.errors import ClusterLostError
from tourney.runner.cluster.cluster import Cluster

WRONG = {
    **dict.fromkeys(("foo", "tcp://localhost", "tcp://localhost:0", "http://localhost:80"), "invalid address"),
    **dict.fromkeys(("local:0", "local:many"), "write local:N with a number of workers"),
    "tcp://localhost:8786 --workers 2": "workers is for this machine alone",
}


@pytest.mark.parametrize("address", WRONG)
def test_a_wrong_address_and_workers_of_this_machine_are_refused_in_one_line(write, tmp_path, address):
    done = called(["run", str(write()), "--cluster", *address.split()], tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert WRONG[address] in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "worker"])
def test_an_address_where_nobody_is_ends_in_one_line(tourney, write, command, tmp_path):
    with scheduler(tmp_path) as (address, _):
        pass
    arguments = ["worker", address] if command == "worker" else ["run", write(), "--cluster", address]
    done = tourney(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"tourney: {address}: no scheduler answers (")
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_a_cluster_without_workers_is_given_up_after_a_while(write, tmp_path):
    tournament = config.of_text(write().read_text(), write())
    with scheduler(tmp_path) as (address, _), pytest.raises(ClusterLostError, match=r"no worker was there for 1 s; "):
        Cluster(address, tournament, print, patience_s=1).__enter__()
