"""Measures what each host adds to a match of bots that think, by the clock: what users feel of tourney's own speed.

The bots measure how long they think. The rest of the match is the hosts' and the table's: starting and asking the bots,
the rules, and the record.
"""

import tempfile
import time
from contextlib import redirect_stderr, suppress
from itertools import islice
from pathlib import Path

from tests.bench.timing import cores
from tourney import config
from tourney.base.errors import SandboxError
from tourney.hosts import linux
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.table import play

THINKER = Path(__file__).with_name("thinker.py")
MATCHES = 4
"""How many matches are played in each host, one after the other as a worker does; the best one counts.

The first one starts what the others use again, once for a whole tournament.
"""
HOSTS = {
    "inline": 'host = "inline"',
    "process": 'host = "process"',
    "process, kept": 'host = "process", keep = true',
    "sandbox": 'host = "sandbox"',
    "sandbox, kept": 'host = "sandbox", keep = true',
}
"""The hosts, and the keys of a bot that it is played in them by; a process that is kept plays all matches."""


def overheads() -> dict[str, float]:
    """Returns for each host the share of a match's time, in percent, that is not the bots'; no host that cannot run."""
    found = {}
    for name, keys in HOSTS.items():
        if "sandbox" in name and not linux.AVAILABLE:
            continue
        with tempfile.TemporaryDirectory() as folder, suppress(SandboxError):  # there is none on this machine
            found[name] = _overhead(keys, Path(folder))
    return found


def _overhead(keys: str, folder: Path) -> float:
    """Plays matches in a folder, and returns the percentage of their time that is not the bots', in the best one."""
    logs = folder / "run" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    bots = ", ".join([f'{{ name = "{name}", use = "{THINKER}:Thinker", {keys} }}' for name in ("a", "b")])
    text = f'name = "thinking"\nseed = 1\ndeals = {MATCHES}\nbot = [{bots}]\n[[game]]\nname = "vole"\n'
    tournament = config.parse(text, folder / "thinking.toml")
    factories = config.create_hosts(tournament, logs)
    shares = []
    thought_s = 0.0
    with cores(1), (logs / "inline.txt").open("w", encoding="utf-8", buffering=1) as log, redirect_stderr(log):
        # on one core, as a worker plays together with the processes of its bots
        for number, block in enumerate(islice(schedule(tournament).blocks(), MATCHES), 1):
            match = block.matches()[0]
            game = load_game(match.setup.game)
            start = time.perf_counter()
            play(match, game, [factories[name] for name in match.seats])
            passed_s = time.perf_counter() - start
            while len(thought := _thought(logs)) < number * len(match.seats):
                time.sleep(0.01)  # a process that is kept may still be writing
            shares.append(100 * (1 - (sum(thought) - thought_s) / passed_s))
            thought_s = sum(thought)
        for factory in factories.values():
            factory.close()
    return min(shares)


def _thought(logs: Path) -> list[float]:
    """Returns how long each bot has thought in each match so far, in seconds; whole lines of the logs count."""
    lines = [line for each in logs.iterdir() for line in each.read_text(encoding="utf-8").splitlines(keepends=True)]
    return [float(line) for line in lines if line.endswith("\n")]
