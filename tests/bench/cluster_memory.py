"""`python -m tests.bench.cluster_memory`: measures the memory of the main process of a run, on a cluster and without.

Dask's own memory is what a run of few matches takes on a cluster beyond such a run without one. What counts is by how
much the memory grows from there to many matches.
"""

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.bench import options
from tests.bench.builds import TOURNEY, Build, builds
from tests.bench.cluster import cluster
from tests.bench.tables import heading, machine, number, table, write_json
from tests.bench.tournaments import short
from tests.bench.watchers import Peaks

FEW = 200
"""How many matches the short runs have."""
_progress = partial(print, file=sys.stderr, flush=True)


def main() -> None:
    """Measures short and long runs with two workers here, and with two of a cluster."""
    parser = options.parser("tests.bench.cluster_memory", __doc__, "results/bench-cluster-memory.json", "nothing")
    parser.add_argument("--matches", type=options.at_least(2 * FEW), default=1_000_000, help="(%(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        made, missing = builds(Path(name), given.pure)
        build, folder = made[-1], Path(name)
        found: dict[str, dict[str, float]] = {"here": {}, "cluster": {}}
        with cluster(build, 2, folder) as started:
            for matches in (FEW, given.matches):
                _progress(f"{matches:,} matches")
                found["here"][f"{matches:,}"] = peak_mb(build, folder, matches, "--workers", "2")
                found["cluster"][f"{matches:,}"] = peak_mb(build, folder, matches, "--cluster", started.address)
    for each in found.values():
        few, many = each.values()
        each["growth"] = many - few
    rows = [[what, *[number(each[what]) for each in found.values()]] for what in found["here"]]
    print(heading(machine(1), missing), table(["MB, main process", *found], rows), sep="\n\n")
    print(f"\ngrowth on the cluster beyond that without: {found['cluster']['growth'] - found['here']['growth']:.1f} MB")
    write_json(given.json, machine(1) | {"matches": given.matches, "peak_mb": found})
    _progress(f"the numbers are in {given.json}")


def peak_mb(build: Build, folder: Path, matches: int, *arguments: str) -> float:
    """Returns the peak memory of the main process of a run of short matches, in megabytes."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file, peaks = Path(name) / "short.toml", Peaks()
        file.write_text(short(matches), encoding="utf-8")
        command = [TOURNEY, "run", str(file), "--out", str(Path(name) / "run"), "--quiet", *arguments]
        with subprocess.Popen(command, cwd=folder, env=build.environment, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                peaks(process.pid)
                time.sleep(0.02)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        return peaks.main_mb


if __name__ == "__main__":
    main()
