"""The process host, and the base of all hosts that give each bot its own process."""

import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import orjson

from tourney.base import files as regular_files
from tourney.base.errors import ConfigError, named_limit, system_limit
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import FaultKind
from tourney.hosts import awake, linux
from tourney.hosts.base import BotHost, BotSpec
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import ChargedError, sandbox_cause
from tourney.hosts.process.bot import BotProcess, ExternalBot, TimedExternalBot
from tourney.hosts.process.spawner_client import LOAD_S, SpawnerClient
from tourney.plugins import entry_points
from tourney.plugins.bot_imports import search_path

MAX_OPTIONS = 50_000  # bytes of a Python bot's options as JSON, which are one word of a command
SHOWN = 1000  # characters of a bot's last words
SAID_BYTES = 1 << 16  # kept of an examined bot's output: as much as a pipe holds
LOOK_MS = 20


class ExternalHost(BotHost):
    """Runs each bot in its own process, a new one for every match, unless it is kept.

    A subclass defines in `command` how such a process is started. Idle spawners wait for the next match. So do kept
    processes; these are suspended in the meantime.
    """

    runs_programs = True
    keeps = True
    sandboxed: ClassVar[bool] = False
    """Whether bots run in a sandbox, which bounds their memory itself, and reports its set-up (`init.restrict`)."""
    env: ClassVar[Mapping[str, str] | None] = None  # the environment of the processes; None for this process's

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        self._spec = spec
        self.limits = spec.limits
        self._log = None if log is None else log.absolute()
        is_forked = bool(spec.use) and not spec.keep and not self.sandboxed  # for each match
        self._order = {
            "name": spec.name,
            "python": python_bot(spec) if is_forked else None,
            "memory_mb": spec.limits.memory_mb,
            "scratch_mb": self.scratch_mb(spec),
            "sandboxed": self.sandboxed,
            "env": self._environment(spec),
            "folder": self._folder(spec),
        }
        self._keeps_on = spec.keep
        self._kept: list[BotProcess] = []
        self._idle: list[SpawnerClient] = []

    @classmethod
    def command(cls, spec: BotSpec, *more: str) -> list[str]:
        """Returns the words that start a process; `more` are arguments for a Python bot's process."""
        raise NotImplementedError

    @classmethod
    def _folder(cls, spec: BotSpec) -> str:
        return "/" if cls.sandboxed else os.getcwd() if spec.use else str(spec.folder)

    @classmethod
    def _environment(cls, spec: BotSpec) -> Mapping[str, str] | None:
        """The environment of the processes; a program finds the packages that it is made of there before others."""
        if spec.use:
            return cls.env
        given = {name: value for name, value in (cls.env or os.environ).items() if name != "PYTHONPATH"}
        own = search_path(spec.sources)
        return given | ({"PYTHONPATH": os.pathsep.join(own)} if own else {})

    @classmethod
    def scratch_mb(cls, spec: BotSpec) -> int:  # noqa: ARG003 - for subclasses
        """Returns how many megabytes of files in memory the bot may hold besides its own memory."""
        return 0

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the games that the bot plays, as a process that loads a Python bot reports them."""
        if not spec.use:
            executable(spec)
            return None
        if len(orjson.dumps(spec.options)) > MAX_OPTIONS:
            raise ConfigError(
                f"bot {spec.name}: options: at most {MAX_OPTIONS} bytes for a bot in its own process; "
                "put long values into a file"
            )
        memory_mb = None if cls.sandboxed else spec.limits.memory_mb
        ended = _run(spec, cls.command(spec, "examine"), cls.env, cls._folder(spec), memory_mb)
        try:
            answer: Any = orjson.loads(ended.stdout)
        except orjson.JSONDecodeError:
            answer = None
        match answer:
            case {"error": str(text)}:
                raise ConfigError(_printable(text))
            case {"games": None}:
                return None
            case {"games": list(games)} if all([isinstance(game, str) for game in games]):
                return tuple(games)
        said = ended.stderr.decode(errors="replace").strip().splitlines()
        if said and (limit := named_limit(said[-1], _cannot(spec))):
            raise limit  # reported by bubblewrap
        if by := linux.ending_signal(ended.returncode):
            raise _not_loaded(spec, f"process killed by {linux.signal_name(by)}")
        why = f" ({_printable(said[-1])})" if said else ""
        raise _not_loaded(spec, f"process ended with exit status {ended.returncode}{why}")

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> ExternalBot:
        """Starts a new process, or takes a kept one, and tells the bot the facts."""
        assert clock is not None, "the time of a bot outside the worker is always measured"
        bot = self._kept_bot(facts, clock) or self._bot(self._new_process(), facts, clock)
        try:
            bot.start(rng_seed)
        except BaseException:
            bot.close()
            raise
        return bot

    def _bot(self, process: BotProcess, facts: SeatFacts, clock: SeatClock) -> ExternalBot:
        kind = TimedExternalBot if self.limits.bounds_decisions else ExternalBot
        return kind(process, facts, clock, self._take_back, self._wants_traceback, self._explained)

    def _kept_bot(self, facts: SeatFacts, clock: SeatClock) -> ExternalBot | None:
        while self._kept:
            bot = self._bot(self._kept.pop(), facts, clock)
            try:
                bot.reset()
            except ChargedError as error:
                bot.close()
                if error.kind not in ("crash", "memory"):
                    self._keep_no_more(error)
            else:
                return bot
        return None

    def _keep_no_more(self, error: ChargedError) -> None:
        self._keeps_on = False
        self._end_kept()
        text = f"[reset was not answered ({error.detail}); a new process is started for every match from now on]\n"
        with suppress(OSError):  # a full disk is reported where the journal is written
            if self._log is None:
                os.write(2, text.encode())
            else:
                regular_files.append(self._log, text.encode())

    def _new_process(self) -> BotProcess:
        words = self._words()
        if self._idle:
            spawner = self._idle.pop()
        else:
            spawner = SpawnerClient(self._spec.name, self._order, self._log)
            spawner.load()
        return BotProcess(spawner, words, self._spec.keep, not self._spec.use)

    def _words(self) -> list[str]:
        return self.command(self._spec)

    def _take_back(self, process: BotProcess, reusable: bool) -> None:
        if reusable and self._keeps_on:
            process.tree.suspend()
            process.spawner.flush_log()
            self._kept.append(process)
        else:
            self._end(process)

    def _end(self, process: BotProcess) -> None:
        spawner = process.close()
        if spawner.alive:
            self._idle.append(spawner)

    def _end_kept(self) -> None:
        while self._kept:
            self._end(self._kept.pop())

    def _wants_traceback(self, kind: FaultKind) -> bool:
        return self.tracebacks is not None and self.tracebacks.lacks(self._spec.name, kind)

    def _explained(self, traceback: str) -> str:
        cause = sandbox_cause(traceback) if self.sandboxed else ""
        return f"{traceback}\n{cause}" if cause else traceback

    def close(self) -> None:
        self._end_kept()
        while self._idle:
            self._idle.pop().kill()


class ProcessHost(ExternalHost):
    """Runs each bot in its own process; a Python bot is loaded once for each worker, and forked for each match."""

    name = "process"

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        """Starts no process yet; a `ConfigError` if a program is missing."""
        super().__init__(spec, log)
        self._command = self.command(spec)

    def _words(self) -> list[str]:
        return self._command  # the same for all matches

    @classmethod
    def command(cls, spec: BotSpec, *more: str) -> list[str]:
        if not spec.use:
            return [executable(spec), *spec.command[1:]]
        main = "from tourney.hosts.process.server import main; main()"
        return [sys.executable, "-P", "-c", main, orjson.dumps(python_bot(spec)).decode(), *more]


def python_bot(spec: BotSpec) -> dict[str, Any]:
    """Returns a Python bot as plain data for `server.load`."""
    return {
        "use": spec.use,
        "folder": str(spec.folder),
        "options": spec.options,
        "games": spec.games,
        "path": sys.path,
        "entry_points": entry_points.exported(),
        "where": f"bot {spec.name}: options",
    }


def executable(spec: BotSpec, path: str | None = None) -> str:
    """Returns the full path of the file that a program's command starts.

    The first word is a path relative to the spec's folder, or a name that is looked up first in `path`, if given, and
    then in PATH.
    """
    word = spec.command[0]
    if "/" not in word:
        program = (shutil.which(word, path=path) if path is not None else None) or shutil.which(word)
        if program is None:
            raise ConfigError(f"bot {spec.name}: command not found: {word}; install it, or give its path")
        return program
    file = spec.folder / word
    if not os.path.isfile(file):  # the word may be too long for the name of a file
        raise ConfigError(f"bot {spec.name}: command: no such file: {file} (paths are relative to this file)")
    if not os.access(file, os.X_OK):
        raise ConfigError(f"bot {spec.name}: {file} is not executable; run chmod +x {file}")
    return os.path.abspath(file)


def _run(
    spec: BotSpec, words: Sequence[str], env: Mapping[str, str] | None, folder: str, memory_mb: int | None
) -> "subprocess.CompletedProcess[bytes]":
    try:
        process = subprocess.Popen(  # noqa: S603 - the user asks for the bot's command
            words,
            env=env,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=partial(linux.begin_trial, os.getpid(), memory_mb),  # noqa: PLW1509 - it takes no lock
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise system_limit(error, _cannot(spec)) or error from None
    with process:
        try:
            stdout, stderr = _last_words(process)
        except subprocess.TimeoutExpired:
            raise _not_loaded(spec, f"took longer than {LOAD_S:.0f} seconds") from None
        finally:
            linux.kill_group(process.pid)
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def _last_words(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """Returns the end of a process's stdout and stderr.

    Its children may hold both open, and keep writing.

    Raises:
        subprocess.TimeoutExpired: It takes longer than `LOAD_S`.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    said = {process.stdout.fileno(): b"", process.stderr.fileno(): b""}
    poll = select.poll()
    for file in said:
        poll.register(file, select.POLLIN)
    until = awake.begin() + LOAD_S
    has_ended, still_open = False, set(said)
    while still_open and not has_ended:
        if awake.look(LOOK_MS / 1000) > until:
            raise subprocess.TimeoutExpired(process.args, LOAD_S)
        has_ended = process.poll() is not None  # looked at first: by then its output is complete
        for file, _ in poll.poll(0 if has_ended else LOOK_MS):
            if not (data := os.read(file, SAID_BYTES)):
                poll.unregister(file)
                still_open.remove(file)
            said[file] = (said[file] + data)[-SAID_BYTES:]
    process.wait(max(0.0, until - awake.now()))
    stdout, stderr = said.values()
    return stdout, stderr


def _cannot(spec: BotSpec) -> str:
    return f"bot {spec.name} cannot be loaded"


def _not_loaded(spec: BotSpec, why: str) -> ConfigError:
    return ConfigError(f"bot {spec.name}: {spec.use} cannot be loaded: {why}; try it with Python alone")


def _printable(text: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", text)[:SHOWN]
