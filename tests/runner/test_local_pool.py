"""The pool of workers: the order of blocks, the limit on waiting ones, and blocks whose worker dies."""

import os
import shutil
import signal
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from tests.cli.runs import wait_for
from tests.conftest import BAD, tournament_text
from tourney import config
from tourney.errors import RunError
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.forkserver import Forkserver
from tourney.runner.local_pool import LocalPool
from tourney.schedule.base import schedule


def tournament(tmp_path, *bots: str, **keys: str):
    text = tournament_text("local", bots=str(list(bots)).replace("'", '"'), **keys)
    return config.parse(text, tmp_path / "local.toml")


def local_pool(chosen, workers: int, **keys) -> LocalPool:
    """A pool that begins with the first block."""
    return LocalPool(chosen, workers, FaultMonitor(chosen, schedule(chosen).size().matches), **keys)


def counted(blocks, pulled: list):
    for block in blocks:
        pulled.append(block.number)
        yield block


def matches_in(done) -> list[bytes]:
    return [line.split(b'"')[3] for line in done.lines.splitlines()]


def test_blocks_are_yielded_complete_and_in_order(tmp_path):
    chosen = tournament(tmp_path, "random", "first", "steady", deals="40")
    with local_pool(chosen, 2) as pool:
        found = [name for done in pool.play(schedule(chosen).blocks()) if done for name in matches_in(done)]
    assert found == [match.id.encode() for block in schedule(chosen).blocks() for match in block.matches()]


def test_no_new_blocks_are_handed_out_while_too_many_wait_for_an_earlier_one(tmp_path):
    shutil.copy(BAD, tmp_path)
    bots = '[[bot]]\nname = "waiter"\nuse = "bots.py:WaitsOnce"'
    chosen = tournament(tmp_path, "first", extra=bots, deals="1000000", game='[[game]]\nname = "vole"')
    pulled: list[int] = []
    full: list[int] = []  # how many blocks were taken, whenever none is ready and the pool is full
    with local_pool(chosen, 2) as pool:
        for done in pool.play(counted(schedule(chosen).blocks(), pulled)):
            if done is not None and len(full) >= 5:
                break
            if done is None and pool.is_full:
                full.append(len(pulled))
            if len(full) == 5:
                (tmp_path / "go").touch()
    assert len(set(full[:5])) == 1, "blocks were handed out all the same"


def test_a_worker_that_is_stopped_goes_on(tmp_path):
    chosen = tournament(tmp_path, "random", "first", deals="150")
    found: list[bytes] = []
    stopped = 0
    with local_pool(chosen, 2) as pool:
        for done in pool.play(schedule(chosen).blocks()):
            if done is not None:
                found += matches_in(done)
                if not stopped and (ready := pool.processes(ready_only=True)):
                    stopped = ready[0].pid
                    os.kill(stopped, signal.SIGSTOP)
        assert stopped in [process.pid for process in pool.processes()], "it was replaced"
    assert found == [match.id.encode() for block in schedule(chosen).blocks() for match in block.matches()]


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, pytest.param(signal.SIGSTOP, marks=pytest.mark.slow)])
def test_workers_are_started_although_the_forkserver_was_killed_or_stopped(tmp_path, sign):
    chosen = tournament(tmp_path, "random", "first", deals="150")
    found, before = [], 0
    with Forkserver() as forkserver, local_pool(chosen, 2, starter=forkserver) as pool:
        for done in pool.play(schedule(chosen).blocks()):
            if done is not None:
                found += matches_in(done)
                if not before:
                    before = forkserver.pid
                    os.kill(before, sign)
                    os.kill(pool.processes()[1].pid, signal.SIGKILL)
        assert (forkserver.pid != before) == (sign == signal.SIGKILL), "only one that is killed is replaced"
    assert found == [match.id.encode() for block in schedule(chosen).blocks() for match in block.matches()]


def test_a_new_forkserver_ends_what_the_workers_of_the_one_before_have_left(tmp_path):
    chosen = tournament(tmp_path, "random", "first")
    with Forkserver() as forkserver:
        first = forkserver.start(chosen, None, 0)
        wait_for(lambda: len(group_of(first.pid)) == 2)
        (watchdog,) = group_of(first.pid) - {first.pid}
        os.kill(forkserver.pid, signal.SIGKILL)
        wait_for(lambda: is_zombie(forkserver.pid))  # stopped before, the watchdog would be continued by the system
        os.kill(watchdog, signal.SIGSTOP)  # or it would end with the worker
        os.kill(first.pid, signal.SIGKILL)
        wait_for(lambda: not first.is_alive())
        second = forkserver.start(chosen, None, 1)
        wait_for(lambda: not group_of(first.pid))
        assert second.is_alive()
        second.kill()


def group_of(group: int) -> set[int]:
    """Returns the processes of a group that have not ended."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, _, its_group = state_of(file)
            if int(its_group) == group and state != "Z":
                found.add(int(file.parent.name))
    return found


def is_zombie(pid: int) -> bool:
    return state_of(Path(f"/proc/{pid}/stat"))[0] == "Z"


def state_of(file: Path) -> list[str]:
    """Returns the state, the parent and the group of a process."""
    return file.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[:3]


def test_leaving_the_pool_ends_all_processes(tmp_path):
    chosen = tournament(tmp_path, "random", "first", deals="1000")
    with local_pool(chosen, 2) as pool:
        list(islice(pool.play(schedule(chosen).blocks()), 3))
        processes = pool.processes()
    assert not any(process.is_alive() for process in processes)


def test_workers_that_cannot_start_end_the_run_with_one_line(tmp_path):
    bot = tmp_path / "dies.py"
    bot.write_text("class Dies:\n    def act(self, view, legal): return legal[0]\n")
    chosen = tournament(tmp_path, "random", "dies.py:Dies")
    bot.write_text("import os\nos._exit(3)\n")
    with pytest.raises(RunError, match="workers end while they load"), local_pool(chosen, 1) as pool:
        list(pool.play(schedule(chosen).blocks()))
