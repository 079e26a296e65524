"""The sandbox host: each bot in a process of its own, for bots that you do not trust."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import orjson

from tourney.game import Options
from tourney.hosts.base import BotSpec, Isolation
from tourney.hosts.external import ExternalHost, executable, python_bot
from tourney.hosts.factory import host_options
from tourney.hosts.sandbox import launcher
from tourney.hosts.sandbox.init import STARTED
from tourney.hosts.spawner_client import BotCommand
from tourney.plugins import installed_packages

PYTHON_RESERVES_MB = 1024
"""Address space that Python reserves beyond the memory that it uses; other runtimes need more."""

Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]


class SandboxOptions(Options, frozen=True):
    """What a bot may use beside time and memory."""

    threads: Count = 64
    """Threads of the bot's one process."""
    open_files: Count = 256
    """Files that are open at the same time."""
    file_mb: Count = 16
    """The largest file that the bot may write."""
    scratch_mb: Count = 64
    """All files of the bot together, where bubblewrap is the backend."""
    thread_joins: bool = False
    """Whether a thread sleeps while it waits for the end of another, which opens a channel between such bots."""


class SandboxHost(ExternalHost):
    """Runs each bot in a process of its own that sees only what it is made of, without network and other processes."""

    name = "sandbox"
    may_fork = False
    says_set_up = STARTED
    memory_is_reported = False  # bubblewrap hides how much was used; the sandbox itself bounds it

    Options = SandboxOptions

    @classmethod
    def command(cls, spec: BotSpec, memory_mb: int | None, *more: str) -> BotCommand:
        """Returns how a process is started in the sandbox, where it sees the system and what the bot is made of."""
        if spec.use:
            arguments = [orjson.dumps(python_bot(spec)).decode(), *more]
            words = launcher.python_command("tourney.hosts.bot_server", sys.path, arguments)
            packages = [Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
            reads = [*packages, *installed_packages(), *spec.sources]
            reserved_mb = PYTHON_RESERVES_MB
        else:
            words = [
                executable(spec, launcher.PATH),
                *[_full_path(word, spec.folder) for word in spec.command[1:]],
            ]
            reads = [Path(words[0]), *spec.sources]
            reserved_mb = launcher.SandboxLimits.reserved_mb
        options = msgspec.structs.asdict(host_options(cls, spec))
        limits = launcher.SandboxLimits(memory_mb=memory_mb, reserved_mb=reserved_mb, **options)
        launch = launcher.sandboxed(words, reads, spec.hides, limits)
        return BotCommand(launch.argv, launch.env, "/", launch.clear, launch.fork if spec.use else None)

    def spawner_program(self, channel: int) -> tuple[Sequence[str], Mapping[str, str] | None]:
        """Returns the command of a spawner and its environment; what one that is forked knows, bots may know."""
        if not self._order["python"]:
            return super().spawner_program(channel)
        return launcher.python_command("tourney.hosts.spawner", sys.path, [str(channel)]), launcher.BASIC_ENV

    @classmethod
    def scratch_mb(cls, spec: BotSpec) -> int:
        """Returns the size of the scratch folder, which most backends have in memory."""
        return int(msgspec.structs.asdict(host_options(cls, spec))["scratch_mb"])

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the games that the bot plays; a `SandboxError` where this machine has no sandbox."""
        launcher.backend()
        if not spec.use:
            executable(spec, launcher.PATH)
            return None
        return super().examine(spec)

    @classmethod
    def isolation(cls) -> Isolation:
        """Returns the backend that works on this machine."""
        found = launcher.backend()
        return Isolation(found, launcher.BACKENDS[found])


def _full_path(word: str, folder: Path) -> str:
    """Returns the word of a command, as a full path where it names a file: the sandbox starts in another folder."""
    return os.path.abspath(folder / word) if word and os.path.isfile(folder / word) else word  # a word may be long
