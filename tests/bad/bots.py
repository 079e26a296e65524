"""Bots that do what bots must not."""

import os
import signal
import sys
import time

from tourney.bot import Bot


class Good(Bot):
    """Plays the last legal action: for comparison."""

    def act(self, view, legal):
        return legal[-1]


class Raises(Bot):
    def act(self, view, legal):
        raise ValueError(f"no idea {object()}")


class RaisesLater(Bot):
    """Plays three actions first."""

    count = 0

    def act(self, view, legal):
        self.count += 1
        if self.count > 3:
            raise ValueError
        return legal[-1]


class RaisesInMake:
    def __init__(self):
        raise RuntimeError

    def act(self, view, legal):
        return legal[0]


class RaisesInStart(Bot):
    def start(self, facts):
        raise RuntimeError

    def act(self, view, legal):
        return legal[0]


class RaisesInEnd(Good):
    def end(self, outcome):
        raise RuntimeError


class Exits(Bot):
    def act(self, view, legal):
        sys.exit()


class Interrupts(Bot):
    def act(self, view, legal):
        raise KeyboardInterrupt


class OutOfMemory(Bot):
    def act(self, view, legal):
        raise MemoryError


class Recurses(Bot):
    def act(self, view, legal):
        return self.act(view, legal)


class SaysNone(Bot):
    def act(self, view, legal):
        return None


class SaysText(Bot):
    def act(self, view, legal):
        return "play:1t"


class SaysTrue(Bot):
    def act(self, view, legal):
        return True


class SaysHuge(Bot):
    def act(self, view, legal):
        return 10**400


class SaysFloat(Bot):
    def act(self, view, legal):
        return float(legal[0])


class SaysIllegal(Bot):
    """An action of the game, but not a legal one."""

    def act(self, view, legal):
        return next(action for action in range(1000) if action not in legal)


class SaysList(Bot):
    def act(self, view, legal):
        return [legal[0]] * 100_000


class Liar:
    """Claims to be an int and to equal everything."""

    __class__ = int

    def __eq__(self, other):
        raise RuntimeError

    def __hash__(self):
        return 1

    def __index__(self):
        raise RuntimeError


class SaysLiar(Bot):
    def act(self, view, legal):
        return Liar()


class SaysNumberLike(Bot):
    """Not a fault: something that can stand for an int, as numbers of numpy do."""

    class Number:
        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

    def act(self, view, legal):
        return self.Number(legal[-1])


class Prints(Good):
    """Not a fault either."""

    def act(self, view, legal):
        print("I am thinking")
        sys.stdout.flush()
        os.write(1, b"aloud\n")
        return legal[-1]


class KillsItself(Bot):
    def act(self, view, legal):
        os.kill(os.getpid(), signal.SIGKILL)


class KillsItselfLater(RaisesLater):
    def act(self, view, legal):
        self.count += 1
        if self.count > 3:
            os._exit(3)
        return legal[-1]


class KillsItselfInStart(Good):
    def start(self, facts):
        os.kill(os.getpid(), signal.SIGSEGV)


class KillsItselfInEnd(Good):
    def end(self, outcome):
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs(Bot):
    """Hangs at its third action."""

    count = 0

    def act(self, view, legal):
        self.count += 1
        while self.count >= 3:
            time.sleep(10)
        return legal[-1]


class LeavesChild(Good):
    """Starts a process that outlives everything, unless somebody sees to it."""

    def start(self, facts):
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)


class MutatesWhatItGets(Good):
    def act(self, view, legal):
        for attempt in (
            lambda: setattr(view, "hand", ()),
            lambda: legal.append(0),
            lambda: legal.clear(),
            lambda: view.__setitem__(0, 1),
        ):
            try:
                attempt()
            except (AttributeError, TypeError):
                continue
            raise AssertionError("that should not have worked")
        return legal[-1]


class SleepsOnce(Good):
    """Sleeps in the first match that it plays at all: the first to make a file beside its own."""

    def start(self, facts):
        try:
            os.close(os.open(os.path.join(os.path.dirname(__file__), "slept"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        time.sleep(4)


class Careless(Bot):
    """Answers at random among all of the game's actions that the rules would settle, legal or not."""

    def start(self, facts):
        self.facts = facts
        self.infraction = facts.game.names.index("leon") if "leon" in facts.game.names else None

    def act(self, view, legal):
        """Now and then the nameless Léon, or a card of its hand that does not follow."""
        names = self.facts.game.names
        cards = [action for action, name in enumerate(names) if name.startswith("play:") and name[5:] in held(view)]
        leon = [self.infraction] if "X" in held(view) else []
        plays = any(names[action].startswith("play:") for action in legal)
        choices = [*legal, *cards, *leon] if plays else list(legal)
        return choices[int(self.facts.rng.random() * len(choices))]


def held(view):
    return [name for name in view.as_dict()["hand"] if name]
