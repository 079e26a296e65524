"""A bot with a helper of its own, forked without exec, as a pool of processes has them."""

import os
import signal
import socket
from contextlib import suppress

from tourney.contracts.bot import Bot


class Pool(Bot):
    """Plays at random, and has a helper look its choice up; one that is gone is replaced.

    The helper holds everything open that the bot's process had open when it was forked, its wire too.
    """

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
        """Returns the helper's answer, which is the same number; or None if it is gone."""
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
