"""Measures `parallel`: matches between `steady` and a server that takes its time, beside what they would take at best.
Without options: 200 matches, 64 and 256 at once, 2 s a decision. The server thinks about `--places` decisions at once.
At best, `min(parallel, places)` places take the matches one after another, each for as long as the server has thought
in it, and nothing else takes time.
"""

import argparse
import asyncio
import heapq
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import multiprocess
import orjson

from tests.bench.builds import ROOT

CONFIG = """
name = "slow"
seed = 1
deals = {deals}
parallel = {parallel}
bots = ["steady"]
bot = [{{ name = "slow", url = "{url}" }}]
game = [{{ name = "vole" }}]
"""


async def _serve(sleep_s: float, places: int, tell: "multiprocess.Queue[int]") -> None:
    """A server that plays the first legal action; a GET is answered with the decisions of each match so far."""
    free, decisions = asyncio.Semaphore(places), Counter[str]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            fields = dict([line.lower().split(b": ", 1) for line in head.splitlines()[1:] if line])
            found: object = list(decisions.values())
            if head.startswith(b"POST"):
                message = orjson.loads(await reader.readexactly(int(fields[b"content-length"])))
                found = {"type": message["type"]}
                if message["type"] == "act":
                    decisions[message["match"]] += 1
                    async with free:
                        await asyncio.sleep(sleep_s)
                    found = {**found, "decision": message["decision"], "action": message["legal"][0]}
            body = orjson.dumps(found)
            kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            writer.write(kind + body)
            await writer.drain()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await answer(reader, writer)
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
    tell.put(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def ideal_s(decisions: Sequence[int], sleep_s: float, places: int) -> float:
    """How long matches take that begin in this order, each as soon as a place is free."""
    until = [0.0] * places
    for each in decisions:
        heapq.heapreplace(until, until[0] + each * sleep_s)
    return max(until)


def measure(matches: int, parallel: int, sleep_s: float, places: int) -> tuple[float, ...]:
    """The seconds that a run took, and those that it would take at best."""
    tell: multiprocess.Queue[int] = multiprocess.Queue()
    server = multiprocess.Process(target=lambda: asyncio.run(_serve(sleep_s, places, tell)), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{tell.get()}/"
    with TemporaryDirectory() as folder:
        file, run = Path(folder, "slow.toml"), Path(folder, "run")
        file.write_text(CONFIG.format(deals=matches // 2, parallel=parallel, url=url))
        words = [sys.executable, "-m", "tourney", "run", file, "--out", run, "--quiet", "--workers", "2"]
        began = time.monotonic()
        subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        took_s = time.monotonic() - began
    decisions = orjson.loads(urlopen(url).read())
    server.kill()
    return took_s, ideal_s(decisions, sleep_s, min(parallel, places))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parallel", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--sleep", type=float, default=2.0)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--places", type=int, default=64)
    given = parser.parse_args()
    for parallel in given.parallel:
        took_s, best_s = measure(given.matches, parallel, given.sleep, given.places)
        print(f"parallel = {parallel:3}: {took_s:7.1f} s, {best_s:7.1f} s at best: {took_s / best_s:.2f}", flush=True)


if __name__ == "__main__":
    main()
