"""`python -m tests.bench.intake`: measures what the main process of a run can take in, however many workers play.

What workers send is made beforehand: the lines of one block, played once. The parts of the loop that take it in are
timed apart: making the schedule, writing tasks for workers of a cluster, reading what these send, and putting it in
order; counting; writing the journal. Dask's own work, a task at a time, is not in it.
"""

import argparse
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.bench import options
from tests.bench.tables import machine, number, table, write_json
from tourney import config
from tourney.contracts.match import Block, Record
from tourney.journal.times import Times
from tourney.plugins.registry import load_game
from tourney.runner import run
from tourney.runner.cluster import messages
from tourney.runner.cluster.messages import Played
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import Task, TaskResult
from tourney.runner.run import LiveCounts
from tourney.schedule.base import schedule
from tourney.table.table import play

GAMES = {"vole": 2, "bang": 4}
"""The games whose records are taken in, short and long ones, with the number of seats."""
TASK_S = 1.0
"""How long a worker says that it has played a task; the tasks of a cluster are about as long."""
BLOCKS = 250
"""How many blocks a task has."""


class ReadyPool(OrderedPool):
    """A pool whose workers have played every task at once."""

    def __init__(self, tournament: config.Tournament, records: list[Record]) -> None:
        """Has `records` played for each block."""
        super().__init__(tournament, 2, FaultMonitor(tournament, schedule(tournament).most_matches))
        self._records = records
        self._given: deque[Task] = deque()
        self._replies: dict[int, bytes] = {}

    def _hand_out(self) -> None:
        while len(self._given) < 4 and (task := self._next_task()) is not None:
            self._given.append(task)

    def _receive(self) -> None:
        if self._given:
            task = self._given.popleft()
            messages.encode(messages.plain_task(task, None))
            reply = messages.REPLIES.decode(self._reply(len(task.blocks)))
            assert isinstance(reply, Played)
            self._finish_task(task, reply.result)

    def _reply(self, blocks: int) -> bytes:
        """Returns what a worker sends after a number of blocks; it is made once for each."""
        if blocks not in self._replies:
            seconds = TASK_S * blocks / BLOCKS
            lines = b"".join([record.line() for record in self._records])
            results = [(each.scores, each.places, each.faults) for each in self._records]
            result = TaskResult(blocks, lines * blocks, results * blocks, seconds, Times())
            self._replies[blocks] = messages.encode(Played(result))
        return self._replies[blocks]

    def _is_ready(self) -> bool:
        return True

    def _in_play(self) -> int:
        return len(self._given)


class Timers:
    """How long parts took, in seconds of processor time."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the time of the block to the part of that name."""
        begun = time.process_time()
        yield
        self.parts[name] = self.parts.get(name, 0.0) + time.process_time() - begun


def main() -> None:
    """Takes in ready-made matches of each game, and prints what that costs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.intake", description=__doc__)
    parser.add_argument("--matches", type=options.at_least(2000), default=200_000, help="how many (%(default)s)")
    parser.add_argument("--repeats", type=options.at_least(1), default=3, help="how often, for medians (%(default)s)")
    parser.add_argument("--json", type=Path, default=Path("results/bench-intake.json"), metavar="FILE")
    given = parser.parse_args()
    found = {}
    for game, seats in GAMES.items():
        several = [taken_in(game, seats, given.matches) for _ in range(given.repeats)]
        found[game] = {name: median([each[name] for each in several]) for name in several[0]}
    names = next(iter(found.values()))
    print(table(["a record", *found], [[name, *[number(each[name]) for each in found.values()]] for name in names]))
    write_json(given.json, machine(given.repeats) | {"matches": given.matches, "games": found})
    print(f"the numbers are in {given.json}", file=sys.stderr)


def taken_in(game: str, seats: int, matches: int) -> dict[str, float]:
    """Returns what it costs to take in matches of a game, in microseconds of work a record."""
    bots = ", ".join([f'{{ name = "steady-{seat}", use = "steady" }}' for seat in range(seats)])
    text = f'name = "intake"\nseed = 1\nbot = [{bots}]\ndeals = {matches // seats}\n[[game]]\nname = "{game}"\n'
    with tempfile.TemporaryDirectory() as name:
        tournament = config.parse(f"{text}seats = {seats}\n", Path(name) / "intake.toml")
        plan = schedule(tournament)
        records = _played(tournament, next(iter(plan.blocks())))
        with run.prepare(tournament, text, Path(name) / "run", "new", force=False) as journal:
            timers = Timers()
            counts = LiveCounts(tournament)
            journal.resume(plan, counts.add_found)
            played = ReadyPool(tournament, records).play(plan.blocks())
            synced = time.monotonic()
            while counts.matches < plan.most_matches:
                with timers.timed("schedule, send, receive"):
                    blocks = next(played)
                if blocks is None:
                    continue
                with timers.timed("read results, count"):
                    new = counts.add_played(blocks, 0)
                with timers.timed("write"):
                    journal.append(new)
                if time.monotonic() - synced > 2:
                    with timers.timed("wait for the disk"):
                        journal.sync()
                    synced = time.monotonic()
    each = {part: seconds / counts.matches * 1e6 for part, seconds in timers.parts.items()}
    total = sum(each.values())
    size = sum([len(record.line()) for record in records]) / seats
    return {
        "bytes": size,
        **{f"us: {part}": us for part, us in each.items()},
        "us in all": total,
        "records/s": 1e6 / total,
        "MB/s": size / total,
    }


def _played(tournament: config.Tournament, block: Block) -> list[Record]:
    """Returns the records of a block."""
    makers = config.create_hosts(tournament)
    game = load_game(block.setup.game)
    return [play(each, game, [makers[name] for name in each.seats]) for each in block.matches()]


if __name__ == "__main__":
    main()
