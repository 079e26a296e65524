"""The logs of bots on a worker of a cluster, which go to the machine of the run with the results."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tourney import config, regular_files
from tourney.config import Tournament
from tourney.hosts.bot_log import LOG_BYTES


class BotLogs:
    """The logs of the bots of this machine."""

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        """Makes the folder for the logs, if a bot needs one."""
        self.folder: Path | None = None
        self._sent: dict[Path, int] = {}  # how much of each log was taken, in bytes
        if not tournament.in_worker:
            self.folder = folder / ".tourney" / "logs"
            self.folder.mkdir(parents=True)
            self._sent = {config.log_file(self.folder, entrant.name): 0 for entrant in tournament.entrants}

    def take(self) -> dict[str, str]:
        """Returns what was added to the logs since the last call, by the name of the entrant."""
        found = {}
        for path, start in self._sent.items():
            with suppress(OSError), path.open("rb") as log:  # the logs are a help
                log.seek(start)
                if data := log.read(LOG_BYTES):
                    self._sent[path] = start + len(data)
                    found[path.stem] = data.decode(errors="replace")
        return found


def add_to_logs(logs: Path, found: Mapping[str, str]) -> None:
    """Appends to the logs of entrants, as far as there is room; never fails."""
    for name, text in found.items():
        file = config.log_file(logs, name)
        with suppress(OSError):  # the logs are a help, and no part of what was played
            size = file.stat().st_size if file.exists() else 0
            if data := text.encode()[: max(0, LOG_BYTES - size)]:
                regular_files.append(file, data)
