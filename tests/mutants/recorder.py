"""Notes which functions of the package each test calls, in the process of the tests and in those that it starts.

`python -m tests.mutants` puts this module on the path of its copies, where every process imports it as it starts.
"""

import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

FOLDER = Path(os.environ["TOURNEY_RECORDER"])
ROOT = str(FOLDER.parent.parent / "tourney") + "/"
_seen: dict[int, CodeType] = {}
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
    """Notes each function once more, also after a debugger that has ended the tracing."""
    _now[0] = running()
    _seen.clear()
    sys.settrace(_trace)


def _trace(frame: FrameType, _event: str, _value: object) -> None:
    code = frame.f_code
    if id(code) not in _seen:
        _seen[id(code)] = code
        if _now[0] and str.startswith(code.co_filename, ROOT):
            note("called", _now[0], code.co_filename[len(ROOT) :], code.co_firstlineno)


forget()
os.register_at_fork(after_in_child=forget)
threading.settrace(_trace)
