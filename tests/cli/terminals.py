"""Commands on a terminal of a given size, for which nobody has set `COLUMNS`."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.conftest import TOURNEY


class Shown(NamedTuple):
    """What a terminal has shown."""

    text: str
    """All that was printed, stdout and stderr together, with what steers the terminal."""
    code: int
    """The exit code of the command."""

    @property
    def lines(self) -> list[str]:
        """The lines, without what steers the terminal."""
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", self.text).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def on_terminal(folder: Path, columns: int, *arguments: object, rows: int = 24, **environment: str) -> Shown:
    """Runs a command on a terminal with so many columns and rows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    names = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [TOURNEY, *map(str, arguments)],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=names | {"TERM": "xterm"} | environment,
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal is closed when the process ends
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
    return Shown(shown.decode(), process.returncode)
