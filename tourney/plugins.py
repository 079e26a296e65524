"""Games and bots by name: entry points of any distribution, and bots as FILE.py:NAME.

Games are found through the entry point group `tourney.games`, bots through `tourney.bots`; our own are found the same
way. Whatever cannot be found or loaded is a `PluginError`.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tourney import validation
from tourney.errors import PluginError, did_you_mean
from tourney.game import Game, Options

GAMES = "tourney.games"
BOTS = "tourney.bots"


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
    """The names of all games, sorted; a `PluginError` if two plugins share one."""
    return sorted(_found(GAMES))


def bot_names() -> list[str]:
    """The names of all bots, sorted; a `PluginError` if two plugins share one."""
    return sorted(_found(BOTS))


@cache
def load_game(name: str) -> Game:
    """The game of that name."""
    return _load_game(_entry(GAMES, "game", name))


@cache
def game_fingerprint(name: str) -> Fingerprint:
    """Which code the game of that name is."""
    entry = _entry(GAMES, "game", name)
    return Fingerprint(_version(entry), _source_hash(type(_load_game(entry)).__module__))


def load_bot(use: str, base: Path) -> BotPlugin:
    """The bot that `use` names: a plugin's name, or FILE.py:NAME with the file relative to the folder `base`."""
    file, _, attribute = use.rpartition(":")
    if file:
        return _bot_in_file(_bot_file(base, file, use), attribute, use)
    entry = _entry(BOTS, "bot", use)
    return _bot(_loaded(entry, "bot"), f'bot "{use}" of {_origin(entry)}', bot_fingerprint(use, base))


def bot_fingerprint(use: str, base: Path) -> Fingerprint:
    """Which code the bot is that `use` names, without running any of it."""
    file, _, _ = use.rpartition(":")
    if file:
        return Fingerprint("", _hash([_bot_file(base, file, use)]))
    entry = _entry(BOTS, "bot", use)
    return Fingerprint(_version(entry), _source_hash(entry.module))


def bot_source(use: str, base: Path) -> Path:
    """The file or the folder that the bot which `use` names lives in."""
    file, _, _ = use.rpartition(":")
    return _bot_file(base, file, use) if file else _source(_entry(BOTS, "bot", use).module)


def game_source(name: str) -> Path:
    """The file or the folder that the game of that name lives in."""
    return _source(_entry(GAMES, "game", name).module)


def files_fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """Which code files and folders are: a hash over all files in them."""
    found = [
        sorted([file for file in path.rglob("*") if file.is_file()]) if path.is_dir() else [path] for path in paths
    ]
    return Fingerprint("", _hash([file for files in found for file in files]))


@cache
def _found(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name."""
    found: dict[str, EntryPoint] = {}
    for entry in _entry_points().select(group=group):
        other = found.setdefault(entry.name, entry)
        if (_origin(other), other.value) != (_origin(entry), entry.value):
            kind = "games" if group == GAMES else "bots"
            both = " and ".join(sorted([_origin(other), _origin(entry)]))
            raise PluginError(f'two {kind} are named "{entry.name}", in {both}; uninstall or rename one')
    return found


@cache
def _entry_points() -> Any:
    """Those of all distributions, to select from; to look for them takes some time."""
    return entry_points()


def _entry(group: str, kind: str, name: str) -> EntryPoint:
    found = _found(group)
    if name not in found:
        hint = "; a bot in a file is written FILE.py:NAME" if name.endswith(".py") else ""
        raise PluginError(f'no {kind} "{name}"; {did_you_mean(name, found)}{hint}')
    return found[name]


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed distribution"


def _version(entry: EntryPoint) -> str:
    return f"{_origin(entry)} {entry.dist.version}" if entry.dist is not None else ""


def _loaded(entry: EntryPoint, kind: str) -> Any:
    try:
        return entry.load()
    except BaseException as error:  # a plugin may raise anything while it is imported
        raise PluginError(
            f'{kind} "{entry.name}" of {_origin(entry)} cannot be loaded from {entry.value}: {_told(error)}; '
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
        raise PluginError(f"{path} cannot be loaded: {_told(error)}; mend it") from None
    return module


def _bot(target: Any, what: str, fingerprint: Fingerprint) -> BotPlugin:
    if not callable(target) or (isinstance(target, type) and not callable(getattr(target, "act", None))):
        raise PluginError(f"{what} is not a class with a method act(view, legal)")
    options = getattr(target, "Options", None)
    games = getattr(target, "games", None)
    summary = (getattr(target, "__doc__", None) or "").strip().split("\n")[0]
    return BotPlugin(target, options, None if games is None else tuple(games), fingerprint, summary)


def _told(error: BaseException) -> str:
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
