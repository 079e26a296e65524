"""What is ours: the bare table, whole runs, and playouts, with random inline bots."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import cycle
from pathlib import Path
from random import Random

from tests.bench.timing import Way, one_core, rate
from tourney import config
from tourney.catalog import load_game
from tourney.config import Tournament
from tourney.hosts import linux
from tourney.schedule.formats import schedule
from tourney.store import read_lines
from tourney.table import play

TOURNEY = str(Path(sys.executable).with_name("tourney"))
SEATS = {"leon": 4, "vole": 2, "voleur": 4, "bang": 4, "cold-blooded": 5}
CONFIG = """
name = "bench"
seed = 1
deals = {deals}
{entries}
[[game]]
name = "{game}"
seats = {seats}
"""


def tournament(game: str, deals: int) -> str:
    """A tournament file: the game on so many deals, all seats random."""
    names = [f"random-{seat}" for seat in range(SEATS[game])]
    entries = "\n".join([f'[[bot]]\nname = "{name}"\nuse = "random"' for name in names])
    return CONFIG.format(deals=deals, entries=entries, game=game, seats=SEATS[game])


def ways(folder: Path, seconds: float) -> list[Way]:
    """The bare table and whole runs of every game; a run is as long as the bare table plays in so many seconds."""
    linux.take_in_orphans()  # to know how long all processes of a run have worked
    found = []
    for game in SEATS:
        deals = _deals(game, seconds)
        file = folder / f"{game}.toml"
        file.write_text(tournament(game, deals), encoding="utf-8")
        unit = "decisions/s"
        found.append(Way(f"{game}: bare table", unit, _bare(game, seconds / 3)))
        one, two = WholeRun(file, 1), WholeRun(file, 2)
        found.append(Way(f"{game}: tourney run, 1 worker", unit, one.per_core))
        found.append(Way(f"{game}: 1 worker, by the clock", unit, one.by_clock))
        found.append(Way(f"{game}: tourney run, 2 workers", unit, two.per_core))
        found.append(Way(f"{game}: 2 workers, by the clock", unit, two.by_clock))
    return found


def playouts(seconds: float) -> list[Way]:
    """Copies of the first state of every game, played to their ends at random."""
    return [Way(f"{game}: copy and playout", "playouts/s", _playouts(game, seconds)) for game in SEATS]


def _parsed(game: str, deals: int) -> Tournament:
    return config.parse(tournament(game, deals), Path("bench.toml"))


def _bare(game: str, seconds: float) -> Callable[[], float]:
    """The table alone, in this process: no journal, no other process."""
    whole = _parsed(game, 300)
    makers = config.makers(whole)
    matches = cycle([match for block in schedule(whole).blocks() for match in block.matches()])

    def one() -> int:
        match = next(matches)
        record = play(match, load_game(match.contest.game), [makers[name] for name in match.seats])
        return record.actions.count(" ") + 1

    return lambda: rate(seconds, one)


def _deals(game: str, seconds: float) -> int:
    """So many deals take about so long."""
    whole = _parsed(game, 1)
    makers = config.makers(whole)
    matches = [match for block in schedule(whole).blocks() for match in block.matches()]

    def deal() -> int:
        for match in matches:
            play(match, load_game(match.contest.game), [makers[name] for name in match.seats])
        return 1

    return max(10, int(seconds * rate(0.3, deal)))


class WholeRun:
    """A `tourney run`, from its start to its end, Python's own start included."""

    def __init__(self, file: Path, workers: int) -> None:
        self._file, self._workers = file, workers
        self._by_clock = 0.0

    def per_core(self) -> float:
        """Plays, on one core if there is one worker; decisions a second of work, of all processes together."""
        with tempfile.TemporaryDirectory() as folder, one_core() if self._workers == 1 else nullcontext():
            out = Path(folder) / "run"
            before, begun = _worked_s(), time.perf_counter()
            subprocess.run(
                [TOURNEY, "run", str(self._file), "--out", str(out), "--workers", str(self._workers), "--quiet"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            passed = time.perf_counter() - begun
            with suppress(ChildProcessError):
                while True:  # until what started the workers has ended as well, and is counted
                    os.wait()
            actions = [line.split(b'"actions":"', 1)[1].split(b'"', 1)[0] for line in read_lines(out)]
            decisions = sum([text.count(b" ") + 1 for text in actions])
            self._by_clock = decisions / passed
            return decisions / (_worked_s() - before)

    def by_clock(self) -> float:
        """Decisions a second of that, by the clock on the wall."""
        return self._by_clock


def _worked_s() -> float:
    """How long all processes that were started, and have ended, have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _playouts(name: str, seconds: float) -> Callable[[], float]:
    game = load_game(name)
    first = game.start(SEATS[name], game.options(SEATS[name], {}), 5)
    random = Random(1).random

    def one() -> int:
        state = first.copy()
        while state.seat is not None:
            legal = state.legal()
            state.apply(legal[int(random() * len(legal))])
        return 1

    return lambda: rate(seconds, one)
