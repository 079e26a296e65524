"""A net of 20 MB whose load takes a second or two: in processes of its own, and behind `tourney serve-bot`.

`python -m tests.bench.net` prints how many matches between the net and `steady` are played in a second, each way.
The net is loaded when the bot is made: in processes for every match, and by the server once, before the run.
"""

import argparse
import lzma
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.bench.tables import heading, machine, number, table
from tests.conftest import TOURNEY

SIZES = (512, 1900, 1900, 256)  # of the layers; an encoded view is padded, and not all of the answers are actions
BOT = f"""
import lzma
from itertools import pairwise
import numpy as np
import tourney

VOLE, SIZES = tourney.load_game("vole"), {SIZES}

class Net:
    games = ("vole",)

    def __init__(self):
        left, self.layers = np.frombuffer(lzma.open("net.xz").read(), np.float32), []
        for rows, columns in pairwise(SIZES):
            self.layers.append(left[: rows * columns].reshape(rows, columns))
            left = left[rows * columns :]

    def act(self, view, legal):
        return self.act_many([view], [legal])[0]

    def act_many(self, views, legals):
        values = np.zeros((len(views), SIZES[0]), np.float32)
        for row, view in zip(values, map(VOLE.encode, views)):
            row[: len(view)] = view
        for layer in self.layers:
            values = np.maximum(values, 0) @ layer
        return [max(legal, key=row.__getitem__) for row, legal in zip(values, legals)]
"""
CUP = """
name = "net"
seed = 1
deals = {}
bots = ["steady"]
game = [{{ name = "vole", options = {{ target = 6 }} }}]
bot = [{{ name = "net", {} }}]
{}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.net", description=__doc__)
    parser.add_argument("--deals", type=int, default=20, help="two matches each (%(default)s)")
    parser.add_argument("--parallel", type=int, default=64, help="matches at once where it is served (%(default)s)")
    given, about = parser.parse_args(), machine(1)
    with tempfile.TemporaryDirectory() as name:
        folder, luck = Path(name), np.random.default_rng(1)
        layers = [luck.standard_normal(size, np.float32) / 30 for size in pairwise(SIZES)]
        (folder / "net.xz").write_bytes(lzma.compress(b"".join(map(bytes, layers)), preset=0))
        (folder / "net.py").write_text(BOT)
        in_processes = _matches_a_second(folder, given.deals, 'use = "net.py:Net", host = "process"')
        start, words = time.monotonic(), [TOURNEY, "serve-bot", "net.py:Net", "--port", "0"]
        with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url, load_s = server.stdout.readline().split()[-1], time.monotonic() - start
            served = _matches_a_second(folder, given.deals, f'url = "{url}"', f"parallel = {given.parallel}")
            server.terminate()
    print(heading(about, []))
    lines = [("processes, 2 workers", in_processes), (f"served, {given.parallel} matches at once", served)]
    print(table(["a net of 20 MB", "matches/s"], [[way, number(found)] for way, found in lines]))
    print(f"the server was ready after {load_s:.1f} s")


def _matches_a_second(folder: Path, deals: int, net: str, more: str = "") -> float:
    (folder / "cup.toml").write_text(CUP.format(deals, net, more))
    words = [TOURNEY, "run", "cup.toml", "--out", "run", "--overwrite", "--quiet", "--workers", "2"]
    start = time.monotonic()
    subprocess.run(words, cwd=folder, check=True, stdout=sys.stderr)
    return 2 * deals / (time.monotonic() - start)


if __name__ == "__main__":
    main()
