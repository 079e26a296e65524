"""The process host: each bot in a process of its own, with the rights of the user who runs the tournament."""

import os
import sys
from pathlib import Path

import orjson

from tourney.hosts.base import BotSpec
from tourney.hosts.external import ExternalHost, executable, python_bot
from tourney.hosts.limits import Limits
from tourney.hosts.spawner_client import BotCommand


class ProcessHost(ExternalHost):
    """Runs each bot in a process of its own; a Python bot is loaded once for each worker, and forked for each match."""

    name = "process"

    def __init__(self, spec: BotSpec, limits: Limits, log: Path | None) -> None:
        """Starts no process yet; a `ConfigError` where a program is not there."""
        super().__init__(spec, limits, log)
        self._command = self.command(spec, limits.memory_mb)

    def next_command(self) -> BotCommand:
        """Returns how the process of the next match is started, which is the same for all."""
        return self._command

    @classmethod
    def command(cls, spec: BotSpec, memory_mb: int | None, *more: str) -> BotCommand:  # noqa: ARG003 - see below
        """Returns how a process is started; the spawner sets the limit of its memory."""
        if not spec.use:
            return BotCommand([executable(spec), *spec.command[1:]], None, str(spec.folder))
        main = "from tourney.hosts.bot_server import main; main()"
        words = [sys.executable, "-P", "-c", main, orjson.dumps(python_bot(spec)).decode(), *more]
        return BotCommand(words, None, os.getcwd())
