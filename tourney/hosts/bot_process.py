"""The process of a bot as the worker has it: the wire to it, and the spawner that has started it and ends it."""

import os
import select

from tourney.hosts.spawner_client import BotCommand, BotEnd, SpawnerClient

CHUNK = 1 << 13


class BotProcess:
    """The process of a bot."""

    def __init__(self, spawner: SpawnerClient, command: BotCommand, keep: bool) -> None:
        """Starts the process; `keep` says whether it is for several matches."""
        self.spawner = spawner
        self.keep = keep
        self.tree = spawner.tree
        """The processes of the bot."""
        self.greeted = False
        """Whether the bot has answered the greeting."""
        self.python = False
        """Whether the bot has chosen the Python form of the protocol."""
        self.rest = b""
        """What the bot has sent beyond the last answer."""
        self.input_closed = False
        """Whether the bot has closed its stdin."""
        self.ended: BotEnd | None = None
        """How the process ended, once it was ended."""
        source, theirs = os.pipe()
        ours, target = os.pipe()
        self.source, self.target = source, target
        spawner.start(command, (ours, theirs))
        os.close(theirs)
        os.close(ours)
        os.set_blocking(target, False)
        self.readable = select.poll()
        """Waits until the bot has answered, or nobody is at the other end any more."""
        self.readable.register(source, select.POLLIN)
        self.readable.register(target, 0)
        self.writable = select.poll()
        """Waits until the bot can be sent more."""
        self.writable.register(target, select.POLLOUT)
        for poll in (self.readable, self.writable):
            poll.register(spawner.death_fd, select.POLLIN)  # a process that the bot has forked may hold its pipes

    def read(self) -> bytes:
        """Returns what the bot has sent; empty if it has closed its stdout. Waits until there is something."""
        return os.read(self.source, CHUNK)

    def write(self, line: bytes) -> int:
        """Sends as much of a line as there is room for; returns how many bytes that are.

        Raises:
            BlockingIOError: There is no room.
            BrokenPipeError: The bot has closed its stdin.
        """
        return os.write(self.target, line)

    def note_closed_input(self) -> None:
        """Notes that the bot has closed its stdin."""
        self.input_closed = True
        self.readable.unregister(self.target)

    def end(self, grace_s: float, late: bool = False) -> BotEnd:
        """Ends the process the first time that it is called, and returns how it ended; see `SpawnerClient.end`."""
        if self.ended is None:
            self.ended = self.spawner.end(grace_s, late)
        return self.ended

    def close(self) -> SpawnerClient | None:
        """Ends the process and all that it has started; returns the spawner if it can start another one."""
        self.end(0)
        os.close(self.source)
        os.close(self.target)
        if self.spawner.alive and self.spawner.unchanged:
            return self.spawner
        if self.spawner.alive:
            self.spawner.kill()
        return None
