"""Bots that do what bots must not, to test games, hosts and tournaments with; and `Good`, for comparison.

Each plays every game. `table.play` takes the class itself as the factory of a seat's bot.
A tournament file names a class after the path of this file, like any bot in a file: `use = ".../bots.py:SaysIllegal"`.

They do as they are named.
"""
# ruff: noqa: D101, D102 - a name such as `RaisesInStart` says it all

import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from tourney.contracts.bot import Bot, Outcome, SeatFacts


class Good(Bot):
    """Plays the last legal action: for comparison."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return legal[-1]


class Raises(Bot):
    """Its message is another one each time."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        raise ValueError(f"no idea {object()}")


class RaisesLater(Bot):
    """Plays three actions first. Line 42 raises, as a golden match has it."""

    count = 0

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.count += 1
        if self.count > 3:
            raise ValueError
        return legal[-1]


class RaisesInStart(Bot):
    def start(self, facts: SeatFacts) -> None:
        raise RuntimeError

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return legal[0]


class RaisesInEnd(Good):
    def end(self, outcome: Outcome) -> None:
        raise RuntimeError


class Exits(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        sys.exit()


class SaysNone(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return None


class SaysText(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return "play:1t"


class SaysIllegal(Bot):
    """Answers with a number that may be an action of the game, but not a legal one."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return next(action for action in range(1000) if action not in legal)


class Prints(Good):
    """Not a fault either."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        sys.stdout.write("I am thinking\n")
        sys.stdout.flush()
        os.write(1, b"aloud\n")
        return legal[-1]


class KillsItself(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs(Bot):
    """Hangs at its third action."""

    count = 0

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.count += 1
        if self.count >= 3:
            wait_for_ever()
        return legal[-1]


class LeavesThread(Good):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        threading.Thread(target=threading.Event().wait, args=(600,), daemon=True).start()
        return legal[-1]


class MutatesWhatItGets(Good):
    """Raises if it can change what it is given."""

    def act(self, view: Any, legal: Any) -> Any:
        for attempt in (
            lambda: setattr(view, "hand", ()),
            lambda: legal.append(0),
            lambda: legal.clear(),  # noqa: PLW0108 - a tuple has no such attribute
            lambda: view.__setitem__(0, 1),
        ):
            try:
                attempt()
            except (AttributeError, TypeError):
                continue
            raise AssertionError("that should not have worked")
        return legal[-1]


def wait_for_ever() -> None:
    """Waits, in a way that Python can interrupt."""
    while True:
        threading.Event().wait(10)
