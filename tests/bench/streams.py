"""`python -m tests.bench.streams`: how fast a run goes while many watch it, beside how fast while nobody does.

The run goes on all the time; the viewers, in a process of their own that yields to all others, come and go by turns.
"""

import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from urllib.request import urlopen

from tests.conftest import TOURNEY, tournament_text

STREAMS, TURNS, SECONDS = 500, 8, 10.0
RUN = tournament_text("run", deals="1000000", game='[[game]]\nname = "vole"')


def main() -> None:
    """Prints the speed of the run and what the server takes, turn by turn."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.toml").write_text(RUN, encoding="utf-8")
        server = subprocess.Popen([TOURNEY, "serve", folder, "--address", "0"], stdout=subprocess.PIPE, text=True)
        run = subprocess.Popen([TOURNEY, "run", "run.toml", "--out", "run", "--workers", "2", "--quiet"], cwd=folder)
        try:
            address = server.stdout.readline().split()[-1]
            time.sleep(5)
            urlopen(f"{address}/runs/run/").close()  # from now on there are reports
            ratios = [_turn(Path(folder, "run", "journal.jsonl"), server.pid, address) for _ in range(TURNS)]
        finally:
            for process in (run, server):
                process.terminate()
                process.wait()
    print("quartiles: " + ", ".join([f"{ratio:.1%}" for ratio in quantiles(ratios, n=4)]))


def _turn(journal: Path, server: int, address: str) -> float:
    alone, _ = _speed(journal, server)
    command = [sys.executable, "-m", "tests.bench.streams", address.rpartition(":")[2]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as viewers:
        viewers.stdout.readline()  # all are there
        watched, share = _speed(journal, server)
        heard = viewers.communicate()[0].strip()
    print(f"{STREAMS} streams: {watched / alone:.1%} of the speed; server {share:.1%} of a core; {heard}")
    return watched / alone


def _speed(journal: Path, server: int) -> list[float]:
    """The bytes of journal a second, and what share of a processor the server takes."""
    began, size, used = time.monotonic(), journal.stat().st_size, _used_s(server)
    time.sleep(SECONDS)
    return [gained / (time.monotonic() - began) for gained in (journal.stat().st_size - size, _used_s(server) - used)]


def _used_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def view(port: int) -> None:
    """Opens the streams, and reads them until the standard input ends."""
    os.nice(19)
    selector, heard = selectors.DefaultSelector(), 0
    for _ in range(STREAMS):
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(b"GET /runs/run/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        selector.register(stream, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("all are there", flush=True)
    while sys.stdin not in (ready := [key.fileobj for key, _ in selector.select()]):
        heard += sum([stream.recv(1 << 16).count(b"data: ") for stream in ready])
    print(f"{heard / STREAMS:.1f} events a stream")


if __name__ == "__main__":
    view(int(sys.argv[1])) if sys.argv[1:] else main()
