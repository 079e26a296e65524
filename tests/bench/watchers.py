"""Watchers of a running command, for `timing.resource_use`: its memory, and the progress of a run."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MEGABYTE = 1_000_000


class Peaks:
    """Records the peak memory of a process, and the largest peak of its descendants, in megabytes."""

    def __init__(self) -> None:
        self.main_mb = self.others_mb = 0.0

    def __call__(self, pid: int) -> None:
        """Looks at the process and all its descendants."""
        self.main_mb = max(self.main_mb, _peak_mb(pid))
        self.others_mb = max([self.others_mb, *[_peak_mb(other) for other in _descendants(pid)]])


def _peak_mb(pid: int) -> float:
    """Returns the peak memory of a process in megabytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    return 0.0


def _descendants(pid: int) -> list[int]:
    found = []
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, children.read_text(encoding="ascii").split()):
                found += [child, *_descendants(child)]
    return found


class Rounds:
    """Records when each round of a run was complete in its journal."""

    def __init__(self, journal: Path, records: int) -> None:
        self.ends: list[float] = []
        self._journal, self._records = journal, records  # the records of a round
        self._size = self._lines = 0

    def __call__(self, _: int) -> None:
        """Reads what the journal has grown by."""
        with suppress(FileNotFoundError), self._journal.open("rb") as file:
            file.seek(self._size)
            new = file.read()
            self._size += len(new)
            self._lines += new.count(b"\n")
        while self._lines >= self._records * (len(self.ends) + 1):
            self.ends.append(time.perf_counter())


def both(first: Callable[[int], None], second: Callable[[int], None]) -> Callable[[int], None]:
    """Returns a watcher that calls both."""

    def watch(pid: int) -> None:
        first(pid)
        second(pid)

    return watch
