"""Bots that do what bots must not: those of `tourney.testing.bots`, and more that attack hosts and the machine."""

import builtins
import ctypes
import fcntl
import gc
import mmap
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FunctionType

from msgspec.structs import force_setattr

from tourney.contracts.bot import Bot
from tourney.contracts.game import State
from tourney.contracts.match import Match
from tourney.hosts.faults import ChargedError
from tourney.testing.bots import *  # noqa: F403 - tests name them in this file
from tourney.testing.bots import Good, Raises, RaisesLater, wait_for_ever


def says(answer):
    """The class of bots that answer with what this function makes of the legal actions."""

    class Says(Bot):
        def act(self, view, legal):
            return answer(legal)

    return Says


def does(what, moment="act"):
    """The class of bots that do this at a moment, such as `start` or `end`, and then play on as `Good` does."""

    def at_moment(self, *given):
        what()
        return getattr(Good, moment)(self, *given)

    return type("Does", (Good,), {moment: at_moment})


def once(what):
    """The class of bots that do this, which takes the bot, before their first answer."""

    class Once(Good):
        done = False

        def act(self, view, legal):
            if not self.done:
                self.done = True
                what(self)
            return legal[-1]

    return Once


def throw(error):
    raise error


RaisesInMake = does(lambda: throw(RuntimeError), "__init__")
Closes = does(lambda: throw(GeneratorExit))
Interrupts = does(lambda: throw(KeyboardInterrupt))
OutOfMemory = does(lambda: throw(MemoryError))
Recurses = says(lambda legal: Recurses.act(None, None, legal))
SaysTrue = says(lambda legal: True)
SaysHuge = says(lambda legal: 10**400)
SaysFloat = says(lambda legal: float(legal[0]))
SaysList = says(lambda legal: [legal[0]] * 100_000)
SaysNumberLike = says(lambda legal: type("Number", (), {"__index__": lambda self: legal[-1]})())
"""Not a fault: something that can stand for an int, as numbers of numpy do."""
KillsItselfInStart = does(lambda: os.kill(os.getpid(), signal.SIGSEGV), "start")
KillsItselfInEnd = does(lambda: os.kill(os.getpid(), signal.SIGKILL), "end")
Segfaults = does(lambda: os.kill(os.getpid(), signal.SIGSEGV))
HangsAtOnce = does(wait_for_ever)
HangsInStart = does(wait_for_ever, "start")
HangsInEnd = does(wait_for_ever, "end")
HangsInC = does(
    lambda: (signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()), ctypes.PyDLL(None).sleep(600))
)
"""Python cannot interrupt it: a lock of the C library, with signals shut out."""
StopsItself = does(lambda: os.kill(os.getpid(), signal.SIGSTOP))
Thinks = does(lambda: time.sleep(0.02))
ClosesStdin = does(lambda: os.closerange(0, 1))
ClosesEverything = does(lambda: os.closerange(3, 4096))
CollectsGarbage = does(gc.collect)
LeavesGarbage = does(lambda: [each.append(each) for each in [[] for _ in range(3000)]])
"""Makes so much garbage, which only collection finds, that it is collected at any time."""
FloodsStderr = does(lambda: [os.write(2, text) for text in (b"x" * 99 + b"\n", *[(b"y" * 99 + b"\n") * 10] * 300)])
Allocates = does(lambda: [bytearray(1 << 20) for _ in count()])
LeavesChild = does(lambda: os.fork() or (time.sleep(600), os._exit(0)), "start")
Stalls = once(lambda bot: time.sleep(3.9))  # its match may take four seconds
TakesItsTime = once(lambda bot: time.sleep(bot.facts.clock.left_s - 0.5))
TakesItsBank = TakesItsTime  # and then lives on what each decision adds
OverdrawsItsBank = once(lambda bot: time.sleep(bot.facts.clock.left_s + 600))
DiesWhenLetGo = does(lambda: os._exit(3), "__del__")


class KillsItselfLater(RaisesLater):
    def act(self, view, legal):
        self.count += 1
        if self.count > 3:
            os._exit(3)
        return legal[-1]


class GoesOn(Bot):
    """Takes the interruption for something that it can pass over, and never answers."""

    def act(self, view, legal):
        while True:
            with suppress(BaseException):
                wait_for_ever()


class MutatesByForce(Good):
    """Changes the options that it is given by force, at every chance, and tries to change the game."""

    def start(self, facts):
        self.facts = facts
        self.force(facts.options)
        with suppress(AttributeError):
            facts.game.names = ("nothing",)
        with suppress(AttributeError):
            facts.game.text = str

    def act(self, view, legal):
        self.force(getattr(view, "options", None))
        return legal[-1]

    def force(self, options):
        """Sets every number among the options, and in those that they lead to, to 1."""
        for name in getattr(options, "__struct_fields__", ()):
            value = getattr(options, name)
            if hasattr(value, "__struct_fields__"):
                self.force(value)
            elif type(value) is int:
                force_setattr(options, name, 1)


def mutate_the_world():
    """Changes what every bot of a process has in common."""
    random.seed(1)
    os.chdir("/")
    sys.setrecursionlimit(300)
    random.random = lambda: 0.0
    builtins.min = builtins.max


MutatesTheWorld = does(mutate_the_world)
MindsTheWorld = does(
    lambda: throw(RuntimeError) if min(1, 2) != 1 or sys.getrecursionlimit() == 300 or os.getcwd() == "/" else None
)


class RaisesLiar(Bot):
    """Raises an error that does not say what it is, or where it comes from, but stops the program."""

    def act(self, view, legal):
        class LiarError(Exception):
            @property
            def __class__(self):
                raise KeyboardInterrupt

            __traceback__ = __class__

        raise LiarError


class LyingText(str):
    """A text that stops the program whenever anyone looks at it."""

    def stop(self, *arguments):
        raise KeyboardInterrupt

    __eq__ = __ne__ = __getitem__ = __len__ = __iter__ = __contains__ = __format__ = __str__ = __repr__ = stop
    encode = split = startswith = rpartition = isprintable = stop
    __hash__ = str.__hash__


class RaisesUnderFalseName(Bot):
    """Raises an error of a class whose name lies, in the class and in its class."""

    def act(self, view, legal):
        class Meta(type):
            __name__ = property(LyingText.stop)

        class LiarError(Exception, metaclass=Meta):
            pass

        type.__dict__["__name__"].__set__(LiarError, LyingText("LiarError"))
        raise LiarError


class RaisesInFalseFile(Bot):
    act = FunctionType(Raises.act.__code__.replace(co_filename=LyingText("false.py")), globals())


CallsFalseFile = says(lambda legal: RaisesInFalseFile.act(None, None, legal))
"""Its own code is as it should be, but what it calls is not."""


class RaisesInFalseModule(Bot):
    def act(self, view, legal):
        class Globals(dict):
            get = LyingText.stop

        exec(compile("raise ValueError", "bots.py", "exec"), Globals(__name__=LyingText("tourney.table.table")))


RaisesCharge = does(lambda: throw(ChargedError(LyingText("crash"), LyingText("\ud800"), late=True)))
"""Raises what a host raises, with a fault that there is not."""
RaisesEmptyCharge = does(lambda: throw(ChargedError.__new__(ChargedError)))


class RaisesWhileHandling(RaisesLiar):
    """Raises an error with a cause and a context that lie, in a circle."""

    def act(self, view, legal):
        try:
            super().act(view, legal)
        except Exception as error:
            error.__cause__ = error
            error.add_note(LyingText("note"))
            raise error from error


class Liar:
    """Claims to be an int and to equal everything."""

    __class__ = int

    def __eq__(self, other):
        raise RuntimeError

    def __hash__(self):
        return 1

    def __index__(self):
        raise RuntimeError


SaysLiar = says(lambda legal: Liar())
LIES = ("__eq__", "__hash__", "__index__", "__int__")
SaysLyingNumber = says(lambda legal: type("Number", (int,), dict.fromkeys(LIES, lambda *_: legal[0]))(10**6))
"""A number that is none of the game's, but looks like one."""


class WaitsOnce(Good):
    """In the first match that it plays at all it waits until there is a file `go` beside its own."""

    def start(self, facts):
        folder = os.path.dirname(__file__)
        try:
            os.close(os.open(os.path.join(folder, "waiting"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        while not os.path.exists(os.path.join(folder, "go")):
            time.sleep(0.01)


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
        choices = [*legal, *cards, *leon] if any(names[action].startswith("play:") for action in legal) else list(legal)
        return choices[int(self.facts.rng.random() * len(choices))]


def held(view):
    return [name for name in view.as_dict()["hand"] if name]


class SwallowsItsEnd(Bot):
    """Takes the interruption for something that it can pass over, and answers late."""

    def act(self, view, legal):
        try:
            while True:
                time.sleep(10)
        except BaseException:
            return legal[-1]


class ForksAndSignals(Bot):
    """Sends a process that it has forked the signal that interrupts bots, and answers if that has ended it at once."""

    def act(self, view, legal):
        ready, say = os.pipe()
        forked = os.fork()
        if not forked:
            try:
                os.write(say, b"!")
                for _ in range(600):  # a signal just before it sleeps is noticed afterwards
                    time.sleep(0.1)
            finally:
                os._exit(9)
        os.read(ready, 1)
        os.kill(forked, signal.SIGALRM)
        return None if os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 9 else legal[-1]


def fork_helpers():
    """Starts processes that hold all files of this one; every other leaves its process group and its parent."""
    for number in range(6):
        if os.fork() == 0:
            if number % 2:
                os.setsid()
                if os.fork() != 0:
                    os._exit(0)
            time.sleep(600)
            os._exit(0)


Forks = does(fork_helpers)
ForksAndAnswersTwice = does(os.fork)


class Pool(Bot):
    """Plays at random; a helper, forked without exec as pools of processes do, looks its choice up, and is replaced."""

    def start(self, facts):
        self.rng = facts.rng
        self.fork()

    def act(self, view, legal):
        number = int(self.rng.random() * len(legal))
        while (answer := self.ask(number)) is None:
            self.end(None)
            self.fork()
        return legal[answer]

    def fork(self):
        self.wire, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.helper = os.fork()
        if self.helper == 0:
            try:
                self.wire.close()
                while data := theirs.recv(16):
                    theirs.send(data)
            finally:
                os._exit(0)
        theirs.close()

    def ask(self, number):
        try:
            self.wire.send(b"%d" % number)
            return int(self.wire.recv(16) or b"", 10)
        except (OSError, ValueError):
            return None

    def end(self, outcome):
        self.wire.close()
        with suppress(ProcessLookupError):
            os.kill(self.helper, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.helper, 0)


class Dawdles(Good):
    """Sleeps now and then, so that the bot that was asked before it has time to think on."""

    decisions = 0

    def act(self, view, legal):
        self.decisions += 1
        if self.decisions in (3, 6, 9):
            time.sleep(1)
        return legal[-1]


class ThinksOn(Good):
    """Raises an error when what it has started was at work in the midst of the time that another bot took."""

    TICKS = 50  # how many there are in a second, in each of which it is noted whether there was work

    def start(self, facts):
        self.worked = bytearray(600 * self.TICKS)
        self.began = self.left_off_at = time.monotonic()
        self.begin_thinking()

    def act(self, view, legal):
        gap_s = time.monotonic() - self.left_off_at
        # it takes a moment until a process stops, and until one that goes on is asked
        first, last = (self.tick(self.left_off_at + gap_s * part) for part in (1 / 3, 2 / 3))
        if gap_s > 0.9 and any(self.worked[first:last]):
            raise RuntimeError
        self.left_off_at = time.monotonic()
        return legal[-1]

    def tick(self, when):
        return int((when - self.began) * self.TICKS)

    def think(self):
        parent = os.getppid()
        while (now := self.tick(time.monotonic())) < len(self.worked) and os.getppid() == parent:
            self.worked[now] = 1


class ThinksOnInThread(ThinksOn):
    def begin_thinking(self):
        threading.Thread(target=self.think, daemon=True).start()


class ThinksOnInChild(ThinksOn):
    def begin_thinking(self):
        with suppress(PermissionError):  # where the bot can neither share memory nor start a process
            self.worked = mmap.mmap(-1, len(self.worked))
            if os.fork() == 0:
                os.setsid()
                self.think()
                os._exit(0)


def peek():
    """Looks for the cards of all seats in the process; raises when it has found them."""
    frame = sys._getframe()
    while frame is not None:
        seen(list(frame.f_locals.values()))
        frame = frame.f_back
    seen(gc.get_objects())


def seen(objects):
    for value in objects:
        if isinstance(value, (State, Match)):
            raise RuntimeError("I know it all")


Peeks = does(peek)


class Remembers(Good):
    """Raises in the second match that it plays in a process."""

    played = False

    def start(self, facts):
        if Remembers.played or "PLAYED" in os.environ:
            raise RuntimeError("I have been here before")
        Remembers.played = True
        os.environ["PLAYED"] = "yes"


class Whispers(Good):
    """Leaves its hand wherever another bot of its process can find it."""

    def act(self, view, legal):
        builtins.whisper = os.environ["WHISPER"] = str(held(view))
        return legal[-1]


class LeavesFile(Good):
    def act(self, view, legal):
        whisper().write_text(str(held(view)), encoding="utf-8")
        return legal[-1]


def whisper():
    return Path(tempfile.gettempdir(), "tourney-whisper")


FindsFile = does(lambda: throw(RuntimeError) if whisper().exists() else None)
Listens = does(lambda: throw(RuntimeError) if hasattr(builtins, "whisper") or "WHISPER" in os.environ else None)


class MarksItsStderr(Good):
    """Raises in the second match that it plays with one pipe as stderr."""

    def start(self, facts):
        flags = fcntl.fcntl(2, fcntl.F_GETFL)
        if flags & os.O_APPEND:
            raise RuntimeError("I have been here before")
        fcntl.fcntl(2, fcntl.F_SETFL, flags | os.O_APPEND)


class HitFromOutside(Good):
    """At the `MOMENT` of its first match sends `SIGNAL` to `VICTIM`, itself or its spawner: environment variables."""

    def start(self, facts):
        fork_helpers()
        self.hit("start")

    def act(self, view, legal):
        self.hit("act")
        return legal[-1]

    def hit(self, moment):
        with suppress(FileExistsError):
            if moment == os.environ["MOMENT"]:
                os.close(os.open(os.environ["DONE"], os.O_CREAT | os.O_EXCL))
                victim = os.getppid() if os.environ["VICTIM"] == "spawner" else os.getpid()
                os.kill(victim, signal.Signals[os.environ["SIGNAL"]])
                time.sleep(600)


Hanger = type("Hanger", (), {"__del__": lambda self: wait_for_ever()})
AnswersHanger = says(lambda legal: Hanger())
HangsWhenLetGo = does(wait_for_ever, "__del__")
LeavesHanger = does(lambda: setattr(left := Hanger(), "itself", left))
"""Leaves, in a circle that only garbage collection finds, what hangs when it is destroyed."""
Slow = type("Slow", (), {"__del__": lambda self: time.sleep(float(os.environ["SLOW_S"]))})
LeavesSlowGarbage = once(lambda bot: setattr(left := Slow(), "itself", left))
