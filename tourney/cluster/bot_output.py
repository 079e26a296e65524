"""What bots write to stderr on a worker of a cluster, which goes to the machine of the run with the results.

There it is treated as in a run on one machine: what bots in processes of their own write goes into their logs, and what
others print, each line under the name of its bot, to stderr. Both have an end.
"""

import os
import re
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tourney import config, regular_files
from tourney.config import Tournament
from tourney.hosts.bot_log import LOG_BYTES
from tourney.hosts.bot_prints import LINES

MOST_BYTES = 1 << 16
"""How much is held of what was written to stderr since the last task, in bytes; the rest is lost."""


class BotOutput:
    """Collects what the bots of this process, and of those that it starts, write to stderr."""

    def __init__(self) -> None:
        """Takes the place of stderr; to be made before other processes are started."""
        self._source, target = os.pipe()
        os.dup2(target, 2)
        os.close(target)
        self._held = bytearray()
        self._lock = threading.Lock()
        self._logs: Path | None = None
        self._sent: dict[Path, int] = {}  # how much of each log was taken, in bytes

    def collect(self, folder: Path, tournament: Tournament) -> Path | None:
        """Starts to collect, and returns the folder for the logs, which is made there; None if no bot needs one."""
        threading.Thread(target=self._drain, daemon=True).start()
        if not tournament.in_worker:
            self._logs = folder / ".tourney" / "logs"
            self._logs.mkdir(parents=True)
            self._sent = {config.log_file(self._logs, entrant.name): 0 for entrant in tournament.entrants}
        return self._logs

    def _drain(self) -> None:
        """Reads what is written to stderr, so that nobody has to wait who does."""
        while data := os.read(self._source, MOST_BYTES):
            with self._lock:
                self._held += data[: MOST_BYTES - len(self._held)]

    def take_prints(self) -> str:
        """Returns what was written to stderr since the last call."""
        with self._lock:
            held, self._held = self._held, bytearray()
        return held.decode(errors="replace")

    def take_logs(self) -> dict[str, str]:
        """Returns what was added to the logs since the last call, by the name of the entrant."""
        found = {}
        for path, start in self._sent.items():
            with suppress(OSError), regular_files.open_binary(path) as log:  # the logs are a help
                log.seek(start)
                if data := log.read(LOG_BYTES):
                    self._sent[path] = start + len(data)
                    found[path.stem] = data.decode(errors="replace")
        return found


class PrintLimit:
    """Bounds what is shown of the prints of each bot, however many workers it plays in."""

    def __init__(self) -> None:
        """Nothing was shown yet."""
        self._shown: Counter[str] = Counter()  # how many lines, by the name that they begin with

    def limited(self, prints: str) -> str:
        """Returns the lines that are still to be shown."""
        found = []
        for line in prints.splitlines(keepends=True):
            name = head[0] if (head := re.match(r"\[[^]]*\] ", line)) else ""
            self._shown[name] += 1
            if self._shown[name] <= LINES:
                found.append(line)
            elif self._shown[name] == LINES + 1:
                found.append(f"{name}... what is printed from here on is not shown\n")
        return "".join(found)


def add_to_logs(logs: Path, found: Mapping[str, str]) -> None:
    """Appends to the logs of entrants, as far as there is room; never fails."""
    for name, text in found.items():
        file = config.log_file(logs, name)
        with suppress(OSError):  # the logs are a help, and no part of what was played
            size = file.stat().st_size if file.exists() else 0
            if data := text.encode()[: max(0, LOG_BYTES - size)]:
                regular_files.append(file, data)
