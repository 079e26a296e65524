"""Games, bots, formats and hosts by name: entry points of any distribution, and bots as FILE.py:NAME.

Each kind of plugin has an entry-point group: `tourney.games`, `tourney.bots`, `tourney.formats` and `tourney.hosts`.
The plugins of this distribution are found in the same way as those of others. Whatever cannot be found or loaded raises
a `PluginError`.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

from tourney import validation
from tourney.errors import PluginError, did_you_mean
from tourney.game import Game, Options

Kind: TypeAlias = Literal["game", "bot", "format", "host"]

BASES = {"format": "tourney.schedule.base.Schedule", "host": "tourney.hosts.base.BotHost"}
"""The class that every format and every host inherits. By name, since those modules import this one."""


class Fingerprint(NamedTuple):
    """Which code a game or bot is: what must be the same for a run to be resumed."""

    version: str
    """The distribution and its version; empty for a bot that is a file."""
    sha256: str
    """A hash over the source of the package that it lives in, or of its file."""


class BotPlugin(NamedTuple):
    """A bot that was found and loaded, ready to be made."""

    make: Callable[..., Any]
    options: type[Options] | None
    """The type of its options; None if it has none."""
    games: tuple[str, ...] | None
    """The games that it plays; None means every game."""
    fingerprint: Fingerprint
    summary: str
    """The first line of its docstring."""

    def maker(self, given: Mapping[str, Any], where: str) -> Callable[[], Any]:
        """What makes a new bot with these options; a `ConfigError` that starts with `where` if they are refused."""
        if self.options is None:
            validation.read(Options, given, where)
            return self.make
        options = validation.read_options(self.options, given, where)
        make = self.make
        return lambda: make(options)


def game_names() -> list[str]:
    """Returns the names of all games, sorted."""
    return sorted(_entries("game"))


def bot_names() -> list[str]:
    """Returns the names of all bots that are plugins, sorted."""
    return sorted(_entries("bot"))


def format_names() -> list[str]:
    """Returns the names of all formats, sorted."""
    return sorted(_entries("format"))


def host_names() -> list[str]:
    """Returns the names of all hosts, sorted."""
    return sorted(_entries("host"))


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
    """Which code the game of that name is."""
    entry = _entry("game", name)
    return Fingerprint(_version(entry), _source_hash(type(_load_game(entry)).__module__))


def load_bot(use: str, base: Path) -> BotPlugin:
    """The bot that `use` names: a plugin's name, or FILE.py:NAME with the file relative to the folder `base`."""
    file, _, attribute = use.rpartition(":")
    if file:
        return _bot_in_file(_bot_file(base, file, use), attribute, use)
    entry = _entry("bot", use)
    return _bot(_loaded(entry, "bot"), f'bot "{use}" of {_origin(entry)}', bot_fingerprint(use, base))


def bot_fingerprint(use: str, base: Path) -> Fingerprint:
    """Which code the bot is that `use` names, without running any of it."""
    file, _, _ = use.rpartition(":")
    if file:
        return Fingerprint("", _hash([_bot_file(base, file, use)]))
    entry = _entry("bot", use)
    return Fingerprint(_version(entry), _source_hash(entry.module))


def bot_source(use: str, base: Path) -> Path:
    """The file or the folder that the bot which `use` names lives in."""
    file, _, _ = use.rpartition(":")
    return _bot_file(base, file, use) if file else _source(_entry("bot", use).module)


def game_source(name: str) -> Path:
    """The file or the folder that the game of that name lives in."""
    return _source(_entry("game", name).module)


def files_fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """Which code files and folders are: a hash over all files in them."""
    found = [
        sorted([file for file in path.rglob("*") if file.is_file()]) if path.is_dir() else [path] for path in paths
    ]
    return Fingerprint("", _hash([file for files in found for file in files]))


@cache
def _entries(kind: Kind) -> dict[str, list[EntryPoint]]:
    """The entry points of a kind by name; several of one name where different plugins share it."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in _all_entry_points().select(group=f"tourney.{kind}s"):
        same = found.setdefault(entry.name, [])
        if (_origin(entry), entry.value) not in [(_origin(other), other.value) for other in same]:
            same.append(entry)
    return found


@cache
def _all_entry_points() -> Any:
    """The entry points of all distributions, read once: it takes some time."""
    return entry_points()


def _entry(kind: Kind, name: str) -> EntryPoint:
    found = _entries(kind)
    if name not in found:
        hint = "; a bot in a file is written FILE.py:NAME" if kind == "bot" and name.endswith(".py") else ""
        raise PluginError(f'no {kind} "{name}"; {did_you_mean(name, found)}{hint}')
    if len(found[name]) > 1:
        origins = " and ".join(sorted([_origin(entry) for entry in found[name]]))
        raise PluginError(f'two {kind}s are named "{name}", in {origins}; uninstall or rename one')
    return found[name][0]


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed distribution"


def _version(entry: EntryPoint) -> str:
    return f"{_origin(entry)} {entry.dist.version}" if entry.dist is not None else ""


def _loaded(entry: EntryPoint, kind: Kind) -> Any:
    try:
        return entry.load()
    except BaseException as error:  # a plugin may raise anything while it is imported
        raise PluginError(
            f'{kind} "{entry.name}" of {_origin(entry)} cannot be loaded from {entry.value}: {_in_one_line(error)}; '
            "mend or uninstall it"
        ) from None


def _load_game(entry: EntryPoint) -> Game:
    target = _loaded(entry, "game")
    game = target() if isinstance(target, type) else target
    if not isinstance(game, Game) or game.name != entry.name:
        raise PluginError(
            f'game "{entry.name}" of {_origin(entry)}: {entry.value} is not a subclass of tourney.game.Game '
            "with that name"
        )
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
    if not path.is_file():
        raise PluginError(f'no bot "{use}": there is no file {path}; paths are relative to the file that names them')
    return path


def _bot_in_file(path: Path, attribute: str, use: str) -> BotPlugin:
    module = _module_of(path)
    if not hasattr(module, attribute):
        names = [name for name, value in vars(module).items() if hasattr(value, "act")]
        raise PluginError(f'no bot "{use}": {path.name} has no "{attribute}"; {did_you_mean(attribute, names)}')
    return _bot(getattr(module, attribute), f'bot "{use}"', Fingerprint("", _hash([path])))


@cache
def _module_of(path: Path) -> ModuleType:
    """The file as a module, under a name that no other file has."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a Python file; a bot in a file is written FILE.py:NAME")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # a file may raise anything while it is imported
        del sys.modules[name]
        raise PluginError(f"{path} cannot be loaded: {_in_one_line(error)}; mend it") from None
    return module


def _bot(target: Any, what: str, fingerprint: Fingerprint) -> BotPlugin:
    if not callable(target) or (isinstance(target, type) and not callable(getattr(target, "act", None))):
        raise PluginError(f"{what} is not a class with a method act(view, legal)")
    options = getattr(target, "Options", None)
    games = getattr(target, "games", None)
    summary = (getattr(target, "__doc__", None) or "").strip().split("\n")[0]
    return BotPlugin(target, options, None if games is None else tuple(games), fingerprint, summary)


def _in_one_line(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _source_hash(module: str) -> str:
    """A hash over all source files in the folder of the module's package, or over a lone module's file."""
    source = _source(module)
    return _hash(sorted(source.rglob("*.py")) if source.is_dir() else [source])


def _source(module: str) -> Path:
    """The folder of the module's package, or a lone module's file.

    Nothing is imported for it: it is for code that should not run here, too.
    """
    first, *rest = module.split(".")
    spec = importlib.util.find_spec(first)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    if spec is not None and spec.origin is not None and not folders:
        return Path(spec.origin)
    if not folders:
        raise PluginError(f'the source of the module "{module}" cannot be found; install it anew')
    path = Path(folders[0]).joinpath(*rest)
    return path if path.is_dir() else path.parent


def _hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def own_version() -> str:
    """The version of tourney itself."""
    return version("tourney-cards")
