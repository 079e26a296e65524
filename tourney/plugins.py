"""Games, bots, formats and hosts by name: entry points of any distribution, and bots as FILE.py:NAME.

Each kind of plugin has an entry-point group: `tourney.games`, `tourney.bots`, `tourney.formats` and `tourney.hosts`.
The plugins of this distribution are found in the same way as those of others. Whatever cannot be found or loaded raises
a `PluginError`.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points, version
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Literal, NamedTuple, TypeAlias

from tourney import fingerprints, validation
from tourney.errors import PluginError, did_you_mean, printable, type_name
from tourney.fingerprints import Fingerprint
from tourney.game import Game, Options

Kind: TypeAlias = Literal["game", "bot", "format", "host"]

MOST_LETTERS = 300
"""The length of the longest text of an exception that is shown."""
_LOADERS = (__file__, "<frozen importlib", str(Path(importlib.util.__file__).parent))
"""What the names of the files begin with whose code loads plugins."""
BASES = {"format": "tourney.schedule.base.Schedule", "host": "tourney.hosts.base.BotHost"}
"""The class that every format and every host inherits. By name, since those modules import this one."""


class BotPlugin(NamedTuple):
    """A bot that was found and loaded."""

    make: Callable[..., Any]
    """Makes a bot; takes its options, if it has any."""
    options: type[Options] | None
    """The type of its options; None if it has none."""
    games: tuple[str, ...] | None
    """The games that it plays; None means every game."""
    summary: str
    """The first line of its docstring."""
    use: str
    """The plugin's name or FILE.py:NAME."""
    folder: Path
    """The folder that FILE.py is relative to."""

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of the bot's source files, which are read for it each time."""
        return bot_fingerprint(self.use, self.folder)

    def maker(self, given: Mapping[str, Any], where: str) -> Callable[[], Any]:
        """Returns a function that makes a new bot with these options.

        Raises:
            ConfigError: The options are refused; the message begins with `where`.
        """
        if self.options is None:
            validation.read(Options, given, where)
            return self.make
        options = validation.read_options(self.options, given, where)
        make = self.make
        return lambda: make(options)


def game_names() -> list[str]:
    """Returns the names of all games, sorted; without those that two games share."""
    return _names("game")


def bot_names() -> list[str]:
    """Returns the names of all bots that are plugins, sorted; without those that two bots share."""
    return _names("bot")


def format_names() -> list[str]:
    """Returns the names of all formats, sorted; without those that two formats share."""
    return _names("format")


def host_names() -> list[str]:
    """Returns the names of all hosts, sorted; without those that two hosts share."""
    return _names("host")


def shared_names(kind: Kind) -> dict[str, str]:
    """Returns the names that two plugins of a kind share, sorted, each with the distributions that they are from."""
    return {name: _origins(found) for name, found in sorted(_entries(kind).items()) if len(found) > 1}


def _names(kind: Kind) -> list[str]:
    return sorted([name for name, found in _entries(kind).items() if len(found) == 1])


@cache
def load_game(name: str) -> Game:
    """Loads the game of that name.

    Raises:
        PluginError: No game has the name, two have it, or the game cannot be loaded.
    """
    return _load_game(_entry("game", name))


@cache
def load_format(name: str) -> type[Any]:
    """Loads the format of that name: a subclass of `tourney.schedule.base.Schedule`.

    Raises:
        PluginError: No format has the name, two have it, or the format cannot be loaded.
    """
    return _load_class("format", name)


@cache
def load_host(name: str) -> type[Any]:
    """Loads the host of that name: a subclass of `tourney.hosts.base.BotHost`.

    Raises:
        PluginError: No host has the name, two have it, or the host cannot be loaded.
    """
    return _load_class("host", name)


@cache
def game_fingerprint(name: str) -> Fingerprint:
    """Returns the fingerprint of the game of that name, without importing the game."""
    entry = _entry("game", name)
    return fingerprints.fingerprint(_version(entry), fingerprints.game_files(entry.module))


def load_bot(use: str, base: Path) -> BotPlugin:
    """Loads a bot: a plugin by its name, or FILE.py:NAME with the file relative to the folder `base`.

    Raises:
        PluginError: There is no such bot, or it cannot be loaded.
    """
    file, _, attribute = use.rpartition(":")
    if file:
        target, what = _in_file(_bot_file(base, file, use), attribute, use), f'bot "{use}"'
    else:
        entry = _entry("bot", use)
        target, what = _loaded(entry, "bot"), f'bot "{use}" of {_origin(entry)}'
    return _bot(target, what, use, base)


def bot_fingerprint(use: str, base: Path) -> Fingerprint:
    """Returns the fingerprint of the bot that `use` names, without importing the bot."""
    file, _, _ = use.rpartition(":")
    if file:
        return fingerprints.fingerprint("", fingerprints.file_and_imports(_bot_file(base, file, use)))
    entry = _entry("bot", use)
    return fingerprints.fingerprint(_version(entry), fingerprints.bot_files(entry.module, entry.attr))


def bot_sources(use: str, base: Path) -> tuple[Path, ...]:
    """Returns the files and folders that the bot which `use` names may need to read: its modules, or its package."""
    file, _, _ = use.rpartition(":")
    if file:
        return tuple(fingerprints.file_and_imports(_bot_file(base, file, use)))
    return (fingerprints.folder_of(_entry("bot", use).module),)


def game_source(name: str) -> Path:
    """Returns the file or the folder that the game of that name lives in."""
    return fingerprints.folder_of(_entry("game", name).module)


@cache
def _entries(kind: Kind) -> dict[str, list[EntryPoint]]:
    """Returns the entry points of a kind by name; several of one name where different plugins share it."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in _all_entry_points().select(group=f"tourney.{kind}s"):
        same = found.setdefault(entry.name, [])
        if (_origin(entry), entry.value) not in [(_origin(other), other.value) for other in same]:
            same.append(entry)
    return found


@cache
def _all_entry_points() -> Any:
    """Returns the entry points of all distributions; cached, since it takes some time."""
    return entry_points()


def _entry(kind: Kind, name: str) -> EntryPoint:
    found = _entries(kind)
    if name not in found:
        hint = "; a bot in a file is written FILE.py:NAME" if kind == "bot" and name.endswith(".py") else ""
        raise PluginError(f'no {kind} "{name}"; {did_you_mean(name, found)}{hint}')
    if len(found[name]) > 1:
        raise PluginError(f'two {kind}s are named "{name}", in {_origins(found[name])}; uninstall or rename one')
    return found[name][0]


def _origins(entries: list[EntryPoint]) -> str:
    return " and ".join(sorted([_origin(entry) for entry in entries]))


def _origin(entry: EntryPoint) -> str:
    return _name_and_version(entry.dist)[0] if entry.dist is not None else "an unnamed distribution"


def _version(entry: EntryPoint) -> str:
    return " ".join(_name_and_version(entry.dist)) if entry.dist is not None else ""


@cache
def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    """Returns the name and the version of a distribution, which parses its metadata each time that it is asked."""
    return distribution.name, distribution.version


def _loaded(entry: EntryPoint, kind: Kind) -> Any:
    try:
        with redirect_stdout(sys.stderr):  # what it prints is no result of a command
            return entry.load()
    except KeyboardInterrupt:  # the user's
        raise
    except BaseException as error:  # a plugin may raise anything while it is imported
        raise PluginError(
            f'{kind} "{entry.name}" of {_origin(entry)} cannot be loaded from {entry.value}: {in_one_line(error)}; '
            f"mend or uninstall it{_place(error)}"
        ) from None


def _load_game(entry: EntryPoint) -> Game:
    target = _loaded(entry, "game")
    what = f'game "{entry.name}" of {_origin(entry)}: {entry.value}'
    try:
        game = target() if isinstance(target, type) else target
    except Exception as error:
        raise PluginError(f"{what} cannot be made: {in_one_line(error)}; mend or uninstall it") from None
    if not isinstance(game, Game) or getattr(game, "name", None) != entry.name:
        raise PluginError(f"{what} is not a subclass of tourney.game.Game with that name")
    for attribute, kind in (("seats", range), ("names", tuple)):
        if not isinstance(getattr(game, attribute, None), kind) or not getattr(game, attribute):
            raise PluginError(f"{what} has no {kind.__name__} {attribute}; mend or uninstall it")
    return game


def _load_class(kind: Kind, name: str) -> type[Any]:
    """Loads a format or a host: a class that inherits from the base of its kind."""
    entry, base = _entry(kind, name), BASES[kind]
    target = _loaded(entry, kind)
    known = isinstance(target, type) and base in [f"{each.__module__}.{each.__qualname__}" for each in target.__mro__]
    if not known or target.name != name:
        raise PluginError(
            f'{kind} "{name}" of {_origin(entry)}: {entry.value} is not a subclass of {base} with that name'
        )
    loaded: type[Any] = target
    return loaded


def _bot_file(base: Path, file: str, use: str) -> Path:
    path = (base / file).resolve()
    try:
        if path.is_file():
            return path
    except OSError as error:
        raise PluginError(f'no bot "{use}": {error.strerror}; give another path') from None
    raise PluginError(f'no bot "{use}": there is no file {path}; paths are relative to the file that names them')


def _in_file(path: Path, attribute: str, use: str) -> Any:
    module = _module_of(path)
    if not hasattr(module, attribute):
        names = [name for name, value in vars(module).items() if hasattr(value, "act")]
        raise PluginError(f'no bot "{use}": {path.name} has no "{attribute}"; {did_you_mean(attribute, names)}')
    return getattr(module, attribute)


@cache
def _module_of(path: Path) -> ModuleType:
    """Imports a file as a module, under a name that no other file has."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a Python file; a bot in a file is written FILE.py:NAME")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except BaseException as error:  # a file may raise anything while it is imported
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        raise PluginError(f"{path} cannot be loaded: {in_one_line(error)}; mend it{_place(error)}") from None
    return module


def _bot(target: Any, what: str, use: str, folder: Path) -> BotPlugin:
    if not callable(target) or (isinstance(target, type) and not callable(getattr(target, "act", None))):
        raise PluginError(f"{what} is not a class with a method act(view, legal)")
    options = getattr(target, "Options", None)
    games = getattr(target, "games", None)
    summary = (getattr(target, "__doc__", None) or "").strip().split("\n")[0]
    return BotPlugin(target, options, None if games is None else tuple(games), summary, use, folder)


def in_one_line(error: BaseException) -> str:
    """Returns an exception as one line."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # its class may be the plugin's own
        text = ""
    if len(text) > MOST_LETTERS:
        text = f"{text[:MOST_LETTERS]}…"
    return f"{type_name(error)}: {text}" if text else type_name(error)


def from_plugin(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback from a plugin's own code on, without what has loaded it; None if there is none of it."""
    while traceback is not None and str.startswith(traceback.tb_frame.f_code.co_filename, _LOADERS):
        traceback = traceback.tb_next
    return traceback


def _place(error: BaseException) -> str:
    """Returns which line of a plugin has raised an exception while it was loaded, as ` (line N of FILE)`, if one has.

    It is the innermost one of the plugin's own modules: those in the folder of the first. No method of the exception is
    called.
    """
    if issubclass(type(error), SyntaxError) and SyntaxError.__dict__["lineno"].__get__(error) is not None:
        return ""  # its text says where
    traceback = from_plugin(BaseException.__dict__["__traceback__"].__get__(error))
    folder = found = ""
    while traceback is not None:
        file = Path(str.__str__(traceback.tb_frame.f_code.co_filename))
        folder = folder or str(file.parent)
        if str(file).startswith(folder):
            found = f" (line {traceback.tb_lineno} of {printable(file.name)})"
        traceback = traceback.tb_next
    return found


def own_version() -> str:
    """Returns the version of tourney itself."""
    return version("tourney-cards")
