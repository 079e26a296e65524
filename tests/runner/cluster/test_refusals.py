"""What keeps a cluster from playing: wrong addresses, nobody there, no workers."""

import pytest

from tests.conftest import called
from tests.runner.cluster.dask_processes import scheduler
from tourney import config
from tourney.base.errors import ClusterLostError
from tourney.runner.cluster.cluster import Cluster

ADDRESS = "invalid address; write tcp://HOST:PORT, tls://HOST:PORT or local:N, as in tcp://192.168.1.5:8786"
NUMBER = "write local:N with a number of workers from 1 to 1024"
WRONG = {
    "foo": f"cluster: foo: {ADDRESS}",
    "tcp://localhost": f"cluster: tcp://localhost: {ADDRESS}",
    "tcp://localhost:0": f"cluster: tcp://localhost:0: {ADDRESS}",
    "http://localhost:80": f"cluster: http://localhost:80: {ADDRESS}",
    "local:0": f"cluster: local:0: {NUMBER}",
    "local:many": f"cluster: local:many: {NUMBER}",
}


@pytest.mark.parametrize("address", WRONG)
def test_a_wrong_address_is_one_line(write, tmp_path, address):
    done = called(["run", str(write()), "--cluster", address], tmp_path)
    assert (done.returncode, done.stderr) == (2, f"tourney: {WRONG[address]}\n")


def test_options_for_worker_processes_here_are_refused_with_a_cluster(write, tmp_path):
    done = called(["run", str(write()), "--cluster", "tcp://localhost:8786", "--workers", "2"], tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("tourney: workers is for this machine alone; leave it out with cluster")


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
