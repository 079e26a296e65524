"""Measures what each host adds to a match of bots that think, by the clock: what users feel of tourney's own speed.

The bots measure how long they think. The rest of the match is the hosts' and the table's: starting and asking the bots,
the rules, and the record.
"""

import tempfile
import time
from contextlib import redirect_stderr, suppress
from pathlib import Path

from tests.bench.timing import cores
from tourney import config
from tourney.errors import SandboxError
from tourney.plugins import load_game
from tourney.schedule.base import schedule
from tourney.table import play

THINKS_MS = 5
"""How long a bot thinks about a decision, in milliseconds."""
MATCHES = 3
"""How many matches are played in each host; the best one counts, since the first one loads what others use again."""
BOT = f"""
import sys
from time import perf_counter, sleep


class Thinker:
    thought_s = 0.0

    def act(self, view, legal):
        start = perf_counter()
        sleep({THINKS_MS / 1000})
        self.thought_s += perf_counter() - start
        return legal[0]

    def end(self, outcome):
        print(self.thought_s, file=sys.stderr)
"""


def overheads() -> dict[str, float]:
    """Returns for each host the share of a match's time, in percent, that is not the bots'; no host that cannot run."""
    found = {}
    for host in ("inline", "process", "sandbox"):
        with tempfile.TemporaryDirectory() as name, suppress(SandboxError):  # there is none on this machine
            found[host] = min([_overhead(host, Path(name)) for _ in range(MATCHES)])
    return found


def _overhead(host: str, folder: Path) -> float:
    """Plays a match in a folder, and returns the percentage of its time that is not the bots'."""
    (folder / "thinker.py").write_text(BOT, encoding="utf-8")
    logs = folder / "run" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    bots = ", ".join([f'{{ name = "{name}", use = "thinker.py:Thinker", host = "{host}" }}' for name in ("a", "b")])
    text = f'name = "thinking"\nseed = 1\ndeals = 1\nbot = [{bots}]\n[[game]]\nname = "vole"\n'
    tournament = config.parse(text, folder / "thinking.toml")
    factories = config.create_hosts(tournament, logs)
    match = next(schedule(tournament).blocks()).matches()[0]
    game = load_game(match.setup.game)
    with cores(1), (logs / "inline.txt").open("w", encoding="utf-8") as log, redirect_stderr(log):
        # on one core, as a worker plays together with the processes of its bots
        start = time.perf_counter()
        play(match, game, [factories[name] for name in match.seats])
        passed_s = time.perf_counter() - start
        for factory in factories.values():
            factory.close()
    thought = [float(line) for each in logs.iterdir() for line in each.read_text(encoding="utf-8").splitlines()]
    assert len(thought) == len(match.seats), thought
    for each in logs.iterdir():
        each.unlink()
    return 100 * (1 - sum(thought) / passed_s)
