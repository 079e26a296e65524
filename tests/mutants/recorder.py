"""Notes which functions of the package each test calls, and which of their lines it runs, in all processes.

`python -m tests.mutants` puts this module on the path of its copies, where every process imports it as it starts.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

FOLDER = Path(os.environ["TOURNEY_RECORDER"])
ROOT = str(FOLDER.parent.parent / "tourney") + "/"
CALLS = 50
"""The lines of this many calls of a function are noted; to follow every call would take hours."""
_calls: dict[tuple[str, int], int] = {}  # of each function, by its file and first line
_lines: set[tuple[str, int]] = set()
_now = [""]


def note(kind: str, *fields: object) -> None:
    """Adds a line to the notes of this process of tests, at once, as processes may be killed."""
    line = "\t".join(map(str, (kind, *fields))) + "\n"
    file = os.open(FOLDER / f"notes-{os.environ.get('TOURNEY_TESTER', 'main')}", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    os.write(file, line.encode())
    os.close(file)


def begin(what: str) -> str:
    """Says what runs from now on; returns what ran before."""
    before = running()
    (FOLDER / f"now-{os.environ['TOURNEY_TESTER']}").write_text(what)
    forget()
    return before


def running() -> str:
    file = FOLDER / f"now-{os.environ.get('TOURNEY_TESTER', 'main')}"
    return file.read_text() if file.exists() else ""


def forget() -> None:
    """Begins to note anew, also where a debugger has ended the tracing."""
    _now[0] = running()
    _calls.clear()
    _lines.clear()
    sys.settrace(_trace)


def _trace(frame: FrameType, _event: str, _value: object) -> Callable[..., Any] | None:
    code = frame.f_code
    if not _now[0] or not str.startswith(code.co_filename, ROOT):
        return None
    function = code.co_filename, code.co_firstlineno
    calls = _calls[function] = _calls.get(function, 0) + 1
    if calls == 1:
        note("called", _now[0], code.co_filename[len(ROOT) :], code.co_firstlineno)
    return _line if calls <= CALLS and code.co_name != "<module>" else None


def _line(frame: FrameType, event: str, _value: object) -> Callable[..., Any]:
    line = frame.f_code.co_filename, frame.f_lineno
    if event == "line" and line not in _lines:
        _lines.add(line)
        note("ran", _now[0], line[0][len(ROOT) :], line[1])
    return _line


forget()
os.register_at_fork(after_in_child=forget)
threading.settrace(_trace)
