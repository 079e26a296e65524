"""Commands on a pseudo-terminal: what it shows, and what is typed."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import termios
from contextlib import suppress
from pathlib import Path

from tests.cli.runs import WAIT_S
from tests.conftest import TOURNEY


class Terminal:
    """A command on a terminal, by default of 80 columns and 40 lines; an environment variable of None is unset."""

    def __init__(self, folder: Path, *arguments: object, columns: int = 80, lines: int = 40, **environment: str | None):
        names = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": str(lines), "PAGER": "cat"} | environment
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")  # a read may end within a character
        given = {name: value for name, value in (os.environ | names).items() if value is not None}
        self._pid, self._file = pty.fork()
        if self._pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.chdir(folder)
            os.execvpe(TOURNEY, [TOURNEY, *map(str, arguments)], given)

    def until(self, text: str | tuple[str, ...], seconds: float = WAIT_S) -> str:
        """What it prints until this text, or one of several, is on the screen."""
        texts = (text,) if isinstance(text, str) else text
        shown = ""
        while not any(each in shown for each in texts):
            part = self.read(seconds)
            assert part, f"no {text!r} in {shown!r}"
            shown += part
        return shown

    def read(self, seconds: float = WAIT_S) -> str | None:
        """What it prints next; nothing if it has ended, None if it prints nothing for so long."""
        if not select.select([self._file], [], [], seconds)[0]:
            return None
        with suppress(OSError):  # the terminal is gone when the process is
            while data := os.read(self._file, 65536):
                if text := self._decoder.decode(data):
                    return text
        return ""

    def type(self, keys: str) -> None:
        os.write(self._file, keys.encode())

    def interrupt(self, until: str) -> str:
        """Presses Ctrl-C until this is shown; one that comes just before a program waits is heeded at the next key."""
        shown = ""
        for _ in range(WAIT_S // 5):
            self.type("\x03")
            while part := self.read(5):
                shown += part
                if until in shown:
                    return shown
        raise AssertionError(f"Ctrl-C changes nothing after {shown!r}")

    def end(self) -> tuple[str, int]:
        shown = ""
        while part := self.read():
            shown += part
        assert part is not None, f"it does not end after {shown!r}"
        os.close(self._file)
        _, status = os.waitpid(self._pid, 0)
        return shown, os.waitstatus_to_exitcode(status)


def plain(text: str) -> str:
    return re.sub(r"\x1b(\[[?\d;]*[A-Za-z]|[=>])", "", text).replace("\r\n", "\n")
