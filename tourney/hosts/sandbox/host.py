"""The sandbox host: each bot in its own process, for bots that you do not trust."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import orjson

from tourney.contracts.game import Options
from tourney.hosts.base import BotSpec, host_options
from tourney.hosts.process.host import ExternalHost, executable, python_bot
from tourney.hosts.sandbox import launcher
from tourney.plugins.bot_imports import packages_of
from tourney.plugins.entry_points import EXPORTED

PYTHON_RESERVES_MB = 1024  # of address space, beyond the memory that it uses; other runtimes need more

Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]


class SandboxOptions(Options, frozen=True):
    """A bot's limits besides time and memory; see `launcher.SandboxLimits`."""

    threads: Count = 64
    open_files: Count = 256
    file_mb: Count = 16
    scratch_mb: Count = 64
    thread_joins: bool = False


class SandboxHost(ExternalHost):
    """Runs each bot in its own process that sees only its own files, without network and other processes."""

    name = "sandbox"
    Options = SandboxOptions
    sandboxed = True
    env = launcher.ENV

    @classmethod
    def command(cls, spec: BotSpec, *more: str) -> list[str]:
        limits = launcher.SandboxLimits(spec.limits.memory_mb, **msgspec.structs.asdict(host_options(cls, spec)))
        sites = [Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        packages = [*sites, *packages_of(*EXPORTED)]
        if not spec.use:
            program = executable(spec, launcher.PATH)
            files = [word for word in spec.command if word and os.path.isfile(spec.folder / word)]  # a word may be long
            words = [os.path.abspath(spec.folder / word) if word in files else word for word in spec.command[1:]]
            reads = [Path(program), *spec.sources]
            return launcher.sandboxed([program, *words], reads, _hides(spec, reads, packages), limits)
        hides, limits = _hides(spec, spec.sources, packages), limits._replace(reserved_mb=PYTHON_RESERVES_MB)
        arguments = [orjson.dumps(python_bot(spec)).decode(), *more]
        return launcher.sandboxed_python(arguments, [*packages, *spec.sources], hides, limits)

    @classmethod
    def scratch_mb(cls, spec: BotSpec) -> int:
        options = host_options(cls, spec)
        assert isinstance(options, SandboxOptions), "they are read as such"
        return options.scratch_mb

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the games that the bot plays; a `SandboxError` if this machine has no sandbox."""
        launcher.check()
        if not spec.use:
            executable(spec, launcher.PATH)
            return None
        return super().examine(spec)


def _hides(spec: BotSpec, own: Sequence[Path], packages: Sequence[Path]) -> list[Path]:
    """Returns the paths hidden from the bot, the run's and other entrants', save those of the system that all need."""
    mine = {path.resolve() for path in own}
    common = [Path(path).resolve() for path in (*launcher.COMMON, *packages)]
    folder = spec.folder.resolve()

    def is_common(path: Path) -> bool:
        around = [place for place in common if path.is_relative_to(place)]
        if path.is_relative_to(folder):  # a tournament may lie in /usr/local
            around = [place for place in around if not folder.is_relative_to(place)]
        return bool(around)

    whole = {path: path.resolve() for path in spec.hides}
    mine -= {path.resolve() for path in spec.secret}
    return [path for path in whole if path == spec.run or not (whole[path] in mine or is_common(whole[path]))]
