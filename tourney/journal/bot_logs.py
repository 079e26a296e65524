"""The tracebacks in the logs of a run's bots, `logs/NAME.txt`, among what the bots have written to stderr."""

from contextlib import suppress
from pathlib import Path

from tourney import config
from tourney.base import files as regular_files
from tourney.hosts.faults import BotTraceback
from tourney.journal.folder import LOGS

END = "--- end of the traceback ---"


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


def latest(run: Path, name: str) -> str:
    """The latest traceback in the log of an entrant; empty if there is none."""
    try:
        found = _read(config.log_file(run / LOGS, name)).decode(errors="replace")
    except OSError:
        return ""
    before, end, _ = found.rpartition(f"\n{END}\n")
    return before[before.rfind("\n--- ") + 1 :].partition(" ---\n")[2] if end else ""


def _read(file: Path) -> bytes:
    """The content of a log; empty if there is none yet."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
