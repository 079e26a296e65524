"""The pool of workers: order, limits, sizes of tasks, blocks whose worker dies, and other work than matches."""

import os
import shutil
import signal
import time
from itertools import islice
from pathlib import Path

import orjson
import pytest

from tests.cli.runs import alive
from tests.conftest import BAD, tournament_text
from tourney import config
from tourney.base.errors import GameError, RunError
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
    with pytest.raises(RunError, match="workers die while loading"), local_pool(chosen, 1) as pool:
        list(pool.play(schedule(chosen).blocks()))


@pytest.mark.parametrize(
    ("name", "plays", "host"), [("Loser", 5, "inline"), ("Elsewhere", 6, "inline"), ("Loser", 1, "process")]
)
def test_a_bot_that_ends_its_process_loses_the_match_and_cannot_play_it_in_another_way(name, plays, host, tmp_path):
    (tmp_path / "bot.py").write_text(f"PLAYS = {str(tmp_path / 'plays')!r}\n{ENDS_ITS_WORKER}")

    def played(bot: str) -> dict:
        table = f'[[bot]]\nname = "bad"\nuse = "{bot}"\nhost = "{host}"\n[[bot]]\nname = "good"\nuse = "{BAD}:Good"'
        return records_of(tournament(tmp_path, extra=table, deals="1", seatings='"fixed"'))[0]

    found, calm = played(f"bot.py:{name}"), played("first")
    assert calm["places"] == [2, 1]
    assert [(fault["seat"], fault["kind"]) for fault in found["faults"]] == [(0, "crash")]
    assert (tmp_path / "plays").stat().st_size == plays
    assert (name, host) != ("Loser", "inline") or found["actions"] == calm["actions"]


class Squares:
    """Squares numbers; it fails at one of them in some way."""

    asks_bots = False

    def __init__(self, number: int = -1, way: str = "", marks: str = "") -> None:
        self._number = number
        self._way = way
        self._marks = marks

    def perform(self, item, makers, player):
        player.report_alive()
        while self._way in ("raise", "exit") and item == 0 and not os.path.exists(self._marks):
            time.sleep(0.01)
        if item == self._number:
            self._fail()
        return b"%d\n" % item**2

    def _fail(self) -> None:
        if self._way in ("raise", "exit"):
            open(self._marks, "wb").close()
        if self._way == "exit":
            os._exit(1)
        if self._way == "exit once" and not os.path.exists(self._marks):
            open(self._marks, "wb").close()
            os._exit(1)
        if self._way == "fork":
            os.fork()
        if self._way == "raise":
            raise ZeroDivisionError

    def game_error(self, item, why):
        return GameError(f"number {item}: {why}", "numbers")


def squares(tmp_path, performer, workers: int = 2, count: int = 300):
    """Yields the squares as they come."""
    chosen = config.parse(tournament_text("numbers"), tmp_path / "numbers.toml")
    with LocalPool(chosen, workers, performer=performer) as pool:
        for done in pool.play(iter(range(count))):
            yield from [] if done is None else map(int, done.lines.split())


@pytest.mark.parametrize(
    ("workers", "way"), [(1, ""), (3, ""), (2, "exit once"), pytest.param(2, "fork", marks=pytest.mark.slow)]
)
def test_what_was_found_comes_in_order_whatever_a_worker_does(tmp_path, workers, way):
    """A worker may die, and a process may go on as a second one, which is not heard."""
    found = squares(tmp_path, Squares(7, way, str(tmp_path / "mark")), workers)
    assert list(found) == [number**2 for number in range(300)]


@pytest.mark.parametrize(
    ("way", "raised", "says"),
    [("exit", GameError, "number 1: its worker ended each time"), ("raise", RuntimeError, "ZeroDivisionError")],
)
def test_an_item_that_ends_every_worker_is_told_and_an_exception_is_a_bug_of_ours(tmp_path, way, raised, says):
    """What comes before it is found, though it takes longer."""
    found = []
    with pytest.raises(raised, match=says):
        found.extend(squares(tmp_path, Squares(1, way, str(tmp_path / "mark"))))
    assert found == [0]
