"""The pool of workers: the order of blocks, the limit on waiting ones, and blocks whose worker dies."""

import os
import shutil
import signal
from itertools import islice
from pathlib import Path

import orjson
import pytest

from tests.cli.runs import alive
from tests.conftest import BAD, tournament_text
from tourney import config
from tourney.base.errors import RunError
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.local import LocalPool
from tourney.schedule.base import schedule

ENDS_ITS_WORKER = """
import os, signal
class Loser:
    def start(self, facts):
        self.seat, self.decisions = facts.seat, 0
        with open(PLAYS, "a") as file:
            file.write(".")
        self.play = os.path.getsize(PLAYS)
    def act(self, view, legal):
        return legal[0] if self.play < 3 else legal[-1]
    def end(self, outcome):
        if outcome.places[self.seat] > 1:
            os.kill(os.getpid(), signal.SIGKILL)
class Elsewhere(Loser):
    def act(self, view, legal):
        self.decisions += 1
        if self.decisions == self.play:
            os._exit(0)
        return legal[0]
"""


def tournament(tmp_path, *bots: str, **keys: str):
    text = tournament_text("local", bots=str(list(bots)).replace("'", '"'), **keys)
    return config.parse(text, tmp_path / "local.toml")


def local_pool(chosen, workers: int, **keys) -> LocalPool:
    """A pool that begins with the first block."""
    return LocalPool(chosen, workers, FaultMonitor(chosen, schedule(chosen).size().matches), **keys)


def records_of(chosen, workers: int = 1) -> list[dict]:
    with local_pool(chosen, workers) as pool:
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
    return [orjson.loads(line) for line in lines.splitlines()]


def test_no_new_blocks_are_handed_out_while_too_many_wait_for_an_earlier_one(tmp_path):
    shutil.copy(BAD, tmp_path)
    bots = '[[bot]]\nname = "waiter"\nuse = "bots.py:WaitsOnce"'
    chosen = tournament(tmp_path, "first", extra=bots, deals="1000000", game='[[game]]\nname = "vole"')
    pulled: list[int] = []
    full: list[int] = []  # how many blocks were taken, whenever none is ready and the pool is full
    blocks = (pulled.append(block.number) or block for block in schedule(chosen).blocks())
    with local_pool(chosen, 2) as pool:
        for done in pool.play(blocks):
            if done is not None and len(full) >= 5:
                break
            if done is None and pool.is_full:
                full.append(len(pulled))
            if len(full) == 5:
                (tmp_path / "go").touch()
    assert len(set(full[:5])) == 1, "blocks were handed out all the same"


def test_leaving_the_pool_ends_all_processes(tmp_path):
    chosen = tournament(tmp_path, "random", "first", deals="1000")
    with Forkserver() as forkserver:
        with local_pool(chosen, 2, starter=forkserver) as pool:
            list(islice(pool.play(schedule(chosen).blocks()), 3))
            workers = [worker.pid for worker in pool.workers]
            os.kill(forkserver.pid, signal.SIGSTOP)  # as a bot may
        assert not any(map(alive, workers))
        os.kill(forkserver.pid, signal.SIGSTOP)


def test_a_worker_ignores_the_signals_that_the_main_process_ignores_and_what_starts_it_all(tmp_path):
    chosen = tournament(tmp_path, "random", "first")
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        with Forkserver() as forkserver, local_pool(chosen, 1, starter=forkserver) as pool:
            next(done for done in pool.play(schedule(chosen).blocks()) if done is not None)
            found = []
            for pid in (forkserver.pid, pool.workers[0].pid):
                mask = int(Path(f"/proc/{pid}/status").read_text().partition("SigIgn:")[2].split()[0], 16)
                found.append([bool(mask & 1 << each - 1) for each in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP)])
    finally:
        signal.signal(signal.SIGUSR1, before)
    is_hung_up = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert found == [[True, True, True], [True, False, is_hung_up]]


def test_workers_that_cannot_start_end_the_run_with_one_line(tmp_path):
    bot = tmp_path / "dies.py"
    bot.write_text("class Dies:\n    def act(self, view, legal): return legal[0]\n")
    chosen = tournament(tmp_path, "random", "dies.py:Dies")
    bot.write_text("import os\nos._exit(3)\n")
    with pytest.raises(RunError, match="workers end while they load"), local_pool(chosen, 1) as pool:
        list(pool.play(schedule(chosen).blocks()))


@pytest.mark.parametrize("host", ["inline", "process"])
@pytest.mark.parametrize(("name", "plays"), [("Loser", 5), ("Elsewhere", 6)])
def test_a_bot_that_ends_its_process_loses_the_match_and_cannot_play_it_in_another_way(name, plays, host, tmp_path):
    (tmp_path / "bot.py").write_text(f"PLAYS = {str(tmp_path / 'plays')!r}\n{ENDS_ITS_WORKER}")

    def played(bot: str) -> dict:
        table = f'[[bot]]\nname = "bad"\nuse = "{bot}"\nhost = "{host}"\n[[bot]]\nname = "good"\nuse = "{BAD}:Good"'
        return records_of(tournament(tmp_path, extra=table, deals="1", seatings='"fixed"'))[0]

    found, calm = played(f"bot.py:{name}"), played("first")
    assert calm["places"] == [2, 1]
    assert [(fault["seat"], fault["kind"]) for fault in found["faults"]] == [(0, "crash")]
    assert (tmp_path / "plays").stat().st_size == (plays if host == "inline" else 1)
    assert (name, host) != ("Loser", "inline") or found["actions"] == calm["actions"]
