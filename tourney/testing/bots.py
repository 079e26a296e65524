"""Bots that do what bots must not, to see that a game, a host or a tournament stands it; and `Good` ones beside them.

Each plays every game. The table takes the class itself for what makes the bot of a seat, as in `table.play`.
A tournament file names a class behind the path of this file, as any bot in a file: `use = ".../bots.py:SaysIllegal"`.

What their names say is what they do.
"""
# ruff: noqa: D101, D102 - a name such as `RaisesInStart` says it all

import os
import random
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import force_setattr

from tourney.contracts.bot import Bot, Outcome, SeatFacts


class Good(Bot):
    """Plays the last legal action: for comparison."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return legal[-1]


class Raises(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        raise ValueError(f"no idea {object()}")


class RaisesLater(Bot):
    count = 0  # three actions are played first

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.count += 1
        if self.count > 3:
            raise ValueError
        return legal[-1]


class RaisesInMake:
    def __init__(self) -> None:
        raise RuntimeError

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return legal[0]


class RaisesInStart(Bot):
    def start(self, facts: SeatFacts) -> None:
        raise RuntimeError

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return legal[0]


class RaisesInEnd(Good):
    def end(self, outcome: Outcome) -> None:
        raise RuntimeError


class Closes(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        raise GeneratorExit


class Exits(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        sys.exit()


class Interrupts(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        raise KeyboardInterrupt


class OutOfMemory(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        raise MemoryError


class Recurses(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return self.act(view, legal)


class SaysNone(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return None


class SaysText(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return "play:1t"


class SaysTrue(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return True


class SaysHuge(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return 10**400


class SaysFloat(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return float(legal[0])


class SaysIllegal(Bot):
    """Answers with a number that may be an action of the game, but not a legal one."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return next(action for action in range(1000) if action not in legal)


class SaysList(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return [legal[0]] * 100_000


class SaysNumberLike(Bot):
    """Not a fault: something that can stand for an int, as numbers of numpy do."""

    class Number:
        """A number that is no int."""

        def __init__(self, value: int) -> None:
            self.value = value

        def __index__(self) -> int:
            return self.value

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return self.Number(legal[-1])


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


class KillsItselfLater(RaisesLater):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.count += 1
        if self.count > 3:
            os._exit(3)
        return legal[-1]


class KillsItselfInStart(Good):
    def start(self, facts: SeatFacts) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


class KillsItselfInEnd(Good):
    def end(self, outcome: Outcome) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Segfaults(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(Bot):
    """Hangs at its third action."""

    count = 0

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.count += 1
        if self.count >= 3:
            wait_for_ever()
        return legal[-1]


class HangsAtOnce(Bot):
    def act(self, view: Any, legal: Sequence[int]) -> Any:
        wait_for_ever()


class HangsInStart(Good):
    def start(self, facts: SeatFacts) -> None:
        wait_for_ever()


class HangsInEnd(Good):
    def end(self, outcome: Outcome) -> None:
        wait_for_ever()


class Spins(Bot):
    """Python can interrupt it, as it runs Python code."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        while True:
            pass


class GoesOn(Bot):
    """Takes the interruption for something that it can pass over, and never answers."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        while True:
            with suppress(BaseException):
                wait_for_ever()


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


class MutatesByForce(Good):
    """Changes the options that it is given by force, at every chance, and tries to change the game."""

    def start(self, facts: Any) -> None:
        self.facts = facts
        self.force(facts.options)
        with suppress(AttributeError):
            facts.game.names = ("nothing",)
        with suppress(AttributeError):
            facts.game.text = str

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        self.force(getattr(view, "options", None))
        return legal[-1]

    def force(self, options: Any) -> None:
        """Sets every number among the options, and in those that they lead to, to 1."""
        for name in getattr(options, "__struct_fields__", ()):
            value = getattr(options, name)
            if hasattr(value, "__struct_fields__"):
                self.force(value)
            elif type(value) is int:
                force_setattr(options, name, 1)


class MutatesTheWorld(Good):
    """Changes what every bot of a process has in common."""

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        import builtins  # noqa: PLC0415 - nothing else here may seem to need it

        random.seed(1)
        os.chdir("/")
        sys.setrecursionlimit(300)
        setattr(random, "random", lambda: 0.0)  # noqa: B010 - mypy refuses the plain way
        builtins.min = builtins.max
        return legal[-1]


def wait_for_ever() -> None:
    """Waits, in a way that Python can interrupt."""
    while True:
        threading.Event().wait(10)
