"""Messages about an exception that a plugin raises while it is loaded."""

import importlib.util
from pathlib import Path
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
    """Returns an exception as one line."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # its class may be the plugin's own
        text = ""
    if len(text) > MOST_LETTERS:
        text = f"{text[:MOST_LETTERS]}…"
    return f"{type_name(error)}: {text}" if text else type_name(error)


def from_plugin(traceback: TracebackType | None) -> TracebackType | None:
    """Returns the part of a traceback that is in a plugin's own code, without what has loaded it; None if none is."""
    while traceback is not None and str.startswith(traceback.tb_frame.f_code.co_filename, _LOADERS):
        traceback = traceback.tb_next
    return traceback


def place(error: BaseException) -> str:
    """Returns which line of a plugin has raised an exception while it was loaded, as ` (line N of FILE)`, if one has.

    It is the innermost one of the plugin's own modules: those in the folder of the first. No method of the exception is
    called.
    """
    if issubclass(type(error), SyntaxError) and SyntaxError.__dict__["lineno"].__get__(error) is not None:
        return ""  # its text says where
    traceback = from_plugin(BaseException.__dict__["__traceback__"].__get__(error))
    folder = found = ""
    while traceback is not None:
        file = Path(str.__str__(traceback.tb_frame.f_code.co_filename))
        folder = folder or str(file.parent)
        if str(file).startswith(folder):
            found = f" (line {traceback.tb_lineno} of {printable(file.name)})"
        traceback = traceback.tb_next
    return found
