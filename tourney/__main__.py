"""The `tourney` command, also as `python -m tourney`: heeds Ctrl-C before it imports anything."""

import gc
import os
import sys
from _signal import SIGINT, signal  # type: ignore[import-not-found] # loaded; `signal` is not yet

EXIT_BUG, EXIT_INTERRUPTED = 70, 130  # as in `tourney.base.errors`, which is not loaded yet


def main() -> None:
    """Runs the command, and exits with its exit code."""
    gc.disable()  # until the command is loaded: what is loaded stays
    signal(SIGINT, _interrupted)
    try:
        from tourney.cli.main import run  # noqa: PLC0415 - it takes a while

        gc.freeze()
        gc.enable()
        run()
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(EXIT_BUG)


def _interrupted(_number: int, _frame: object) -> None:
    """Exits with one line, until `tourney.cli.interrupt` takes over."""
    try:
        os.write(2, b"\ntourney: interrupted\n" if os.isatty(2) else b"tourney: interrupted\n")
    finally:
        os._exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
