"""Messages about an exception that a plugin raises while it is loaded."""

import importlib.util
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from tourney.base.errors import printable, type_name

MOST_LETTERS = 300
"""The length of the longest text of an exception that is shown."""
_LOADERS = (
    *[str(Path(__file__).with_name(name)) for name in ("registry.py", "entry_points.py", "bot_files.py")],
    "<frozen importlib",
    str(Path(importlib.util.__file__).parent),
)
"""The files whose code loads plugins, by the beginnings of their paths."""


def in_one_line(error: BaseException) -> str:
    """An exception as one line: its type and its text."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # its class may be the plugin's own
        text = ""
    if len(text) > MOST_LETTERS:
        text = f"{text[:MOST_LETTERS]}…"
    return f"{type_name(error)}: {text}" if text else type_name(error)


def from_plugin(traceback: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that is in a plugin's own code, without what has loaded it; None if none is."""
    while traceback is not None and str.startswith(traceback.tb_frame.f_code.co_filename, _LOADERS):
        traceback = traceback.tb_next
    return traceback


def place(error: BaseException) -> str:
    """The innermost line of a plugin's own files that raised an exception, as ` (line N of FILE)`; empty for none."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return ""  # its text says where
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in walk_tb(from_plugin(error.__traceback__))]
    own = [(file, line) for file, line in lines if file.is_relative_to(lines[0][0].parent)]
    return f" (line {own[-1][1]} of {printable(own[-1][0].name)})" if own else ""
