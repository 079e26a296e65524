"""The tracebacks in the logs of a run's bots, `logs/NAME.txt`, among what the bots have written to stderr."""

import re
from contextlib import suppress
from pathlib import Path

from tourney import config
from tourney.base import files as regular_files
from tourney.hosts.faults import BotTraceback
from tourney.journal.folder import LOGS

END = "--- end of the traceback ---"
MOST = 4
"""How many tracebacks of an entrant are shown."""
_HEAD = re.compile(r"--- (error|memory): .* ---")


def add(run: Path, found: BotTraceback) -> None:
    """Appends a traceback to the log of its entrant, unless one of the same fault is there; never fails."""
    file = config.log_file(run / LOGS, found.name)
    fault = found.fault
    head = f"--- {fault.kind}: {fault.detail}, "
    entry = f"{head}decision {fault.decision} of {found.match} ---\n{found.text}\n{END}\n".encode()
    with suppress(OSError):  # a run does not depend on its logs
        file.parent.mkdir(exist_ok=True)
        known = _read(file)
        if f"\n{head}".encode() not in b"\n" + known:
            regular_files.append(file, (b"" if known[-1:] in (b"", b"\n") else b"\n") + entry)


def tracebacks(run: Path, name: str) -> list[str]:
    """The tracebacks in the log of an entrant, each as several lines; none if the log cannot be read."""
    found: list[str] = []
    entry: list[str] = []
    with suppress(OSError):
        for line in _read(config.log_file(run / LOGS, name)).decode(errors="replace").split("\n"):
            if _HEAD.fullmatch(line):
                entry = [line]
            elif entry and line == END:
                found.append("\n".join(entry))
                entry = []
            elif entry:
                entry.append(line)
    return found[:MOST]


def _read(file: Path) -> bytes:
    """The content of a log; empty if there is none yet."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
