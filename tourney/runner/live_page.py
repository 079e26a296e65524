"""A page of a run beside its play: a process of its own renews it, and writes it for the last time when play ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tourney.base.errors import RunError


@contextmanager
def live_page(command: Sequence[str], target: Path | None) -> Iterator[None]:
    """Context in which a command of `tourney` renews the page `target`, if one is wanted.

    At its end the last page is waited for; an exception, such as for Ctrl-C, leaves the page of before. The process
    ends with this one, however that ends: its standard input is closed then.

    Raises:
        RunError: The last page could not be written.
    """
    if target is None:
        yield
        return
    code = f"import sys; sys.path[:] = {sys.path}; from tourney.__main__ import main; main()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    # Ctrl-C in the terminal is for this process alone
    with subprocess.Popen([sys.executable, "-c", code, *command], **pipes, process_group=0) as writer:  # type: ignore[call-overload]  # noqa: S603
        try:
            yield
        except BaseException:
            writer.send_signal(signal.SIGINT)
            raise
        _, said = writer.communicate()
    if writer.returncode:
        lines = said.decode(errors="backslashreplace").strip().splitlines()
        raise RunError(f"{target}: the page was not written ({lines[-1] if lines else 'its process was killed'})")
