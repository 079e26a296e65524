"""A bot with a helper of its own, forked without exec, as a pool of processes has them."""

import os
import signal
import socket
from contextlib import suppress

from tourney.contracts.bot import Bot


class Pool(Bot):
    """Plays at random; a helper, which holds all open that the bot has open, looks its choice up, and is replaced."""

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
