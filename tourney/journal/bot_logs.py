"""Tracebacks in the logs of a run's bots (`logs/NAME.txt`), which also contain their stderr."""

import re
from contextlib import suppress
from pathlib import Path

from tourney import config
from tourney.base import files as regular_files
from tourney.hosts.faults import BotTraceback
from tourney.journal.folder import LOGS

END = "--- end of the traceback ---"
_ENTRY = re.compile(rf"^--- (\w+: .*), decision [0-9]+ of \S+ ---\n((?s:.*?))\n{END}$", re.MULTILINE)


def add(run: Path, report: BotTraceback) -> None:
    """Appends a traceback to the entrant's log, unless it already has one for the same fault; never fails."""
    file = config.log_file(run / LOGS, report.name)
    fault = report.fault
    head = f"--- {fault.kind}: {fault.detail}, "
    entry = f"{head}decision {fault.decision} of {report.match} ---\n{report.text}\n{END}\n".encode()
    with suppress(OSError):  # a run does not depend on its logs
        file.parent.mkdir(exist_ok=True)
        known = _read(file)
        if f"\n{head}".encode() not in b"\n" + known:
            regular_files.append(file, (b"" if known[-1:] in (b"", b"\n") else b"\n") + entry)


def tracebacks(run: Path, name: str) -> dict[str, str]:
    """The tracebacks in an entrant's log, in order, keyed by fault kind and detail: `error: ValueError`."""
    return dict(_ENTRY.findall(_read(config.log_file(run / LOGS, name)).decode(errors="replace")))


def stderr(run: Path, name: str) -> str:
    """An entrant's log without the tracebacks and final newlines; empty if there is none."""
    return _ENTRY.sub("", _read(config.log_file(run / LOGS, name)).decode(errors="backslashreplace")).rstrip("\n")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
