"""A bot with helpers of its own, forked without exec, as a pool of processes has them."""

import os
import signal
import socket
from contextlib import suppress

from tourney.contracts.bot import Bot

HELPERS = 2


class Pool(Bot):
    """Plays at random, and has helpers look its choice up; one that is gone is replaced.

    The helpers hold everything open that the bot's process had open when they were forked, its wire too.
    """

    def start(self, facts):
        self.rng = facts.rng
        self.helpers = [Helper() for _ in range(HELPERS)]

    def act(self, view, legal):
        number = int(self.rng.random() * len(legal))
        for place in range(HELPERS):
            while (answer := self.helpers[place].ask(number)) is None:
                self.helpers[place].end()
                self.helpers[place] = Helper()
            number = answer
        return legal[number]

    def end(self, outcome):
        for helper in self.helpers:
            helper.end()


class Helper:
    """A process that answers a number by the same number."""

    def __init__(self):
        self.wire, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.wire.close()
                while data := theirs.recv(16):
                    theirs.send(data)
            finally:
                os._exit(0)
        theirs.close()

    def ask(self, number):
        """Returns the answer, or None if the process is gone."""
        try:
            self.wire.send(b"%d" % number)
            answer = self.wire.recv(16)
        except OSError:
            return None
        return int(answer) if answer else None

    def end(self):
        """Ends the process, with nothing left of it."""
        self.wire.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
