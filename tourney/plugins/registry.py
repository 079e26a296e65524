"""Games, bots, formats, hosts and others by name: entry points of any distribution, and bots in files and folders.

The groups are `tourney.games`, `tourney.bots` and so on; policies have the names of their games. An entry point of the
group `tourney.providers` brings all games and bots whose names start with its own and a colon, such as
`open_spiel:hearts`: a class with methods `game(name)`, `bot(name)` and `fingerprint()`.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from tourney.base import validation
from tourney.base.errors import ConfigError, PluginError, did_you_mean
from tourney.contracts import policies as policy_values
from tourney.contracts.game import Game, Options
from tourney.plugins import bot_files, bot_imports, entry_points, fingerprints
from tourney.plugins.bot_imports import Unit
from tourney.plugins.entry_points import EntryPoint
from tourney.plugins.failures import in_one_line, place
from tourney.plugins.fingerprints import Fingerprint

Kind: TypeAlias = Literal["game", "bot", "format", "host", "policy", "provider", "command"]
T = TypeVar("T")

BY_VALUE = "class "
"""The start of the `use` of a bot whose class is sent to the workers."""
BASES = {
    "format": "tourney.schedule.base.Schedule",
    "host": "tourney.hosts.base.BotHost",
    "policy": "tourney.contracts.policies.Policy",
}
"""The base class of every format, host and policy. By name, because those modules import this one."""


class BotPlugin(NamedTuple):
    """A loaded bot."""

    make: Callable[..., Any]
    """Makes a bot; takes its options, if it has any."""
    options: type[Options] | None
    games: tuple[str, ...] | None
    """The games that it plays; None means every game."""
    summary: str
    use: str
    folder: Path

    @property
    def is_service(self) -> bool:
        """Whether its class declares that it asks a service; see `tourney.Bot.service`."""
        return getattr(self.make, "service", None) is True

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of the bot's files, which are read for it each time."""
        return bot_fingerprint(self.use, self.folder)

    def maker(self, given: Mapping[str, Any], where: str) -> Callable[[], Any]:
        """A function that makes a new bot with these options; a `ConfigError` starts with `where`."""
        options: Any = validation.read_options(self.options or Options, given, where)
        make = self.make
        if hasattr(options, "read_files"):
            try:
                options = options.read_files(self.folder)
            except ValueError as error:
                raise ConfigError(f"{where}: {error}") from None
        return make if self.options is None else lambda: make(options)


def _names(kind: Kind) -> list[str]:
    """The names of all plugins of a kind, sorted; without names that two of them share."""
    return sorted([name for name, entries in _entries(kind).items() if len(entries) == 1])


game_names = partial(_names, "game")
bot_names = partial(_names, "bot")
format_names = partial(_names, "format")
host_names = partial(_names, "host")


def file_and_name(use: str) -> tuple[str, str]:
    """Splits FILE.py:NAME or FOLDER:NAME; gives "" and the name for a plugin, whose name may have a prefix."""
    file, _, name = use.rpartition(":")
    return ("", use) if file in _entries("provider") else (file, name)


def refuse_blank(bot: str) -> None:
    """Raises a `PluginError` for a bot that is not named at all."""
    if not bot.strip():
        raise PluginError(f'no bot "{bot}"; a bot in a file is written FILE.py:NAME')


def shared_names(kind: Kind) -> dict[str, str]:
    """The names that two plugins of a kind share, sorted, each with the distributions that they are from."""
    return {name: _origins(entries) for name, entries in sorted(_entries(kind).items()) if len(entries) > 1}


@cache
def load_game(name: str) -> Game:
    """Loads the game of that name.

    Raises:
        PluginError: No game has the name, two have it, or the game cannot be loaded.
    """
    provider = _provider(name)
    return _load_game(_entry("game", name)) if provider is None else provider.game(name)


@cache
def load_policy(game: str) -> type[policy_values.Policy] | None:
    """Loads the policy for the game of that name: a subclass of `Policy`; None if there is none.

    Raises:
        PluginError: Two policies are for that game, or it cannot be loaded, or an attribute is wrong.
    """
    if game not in _entries("policy"):
        return None
    policy = _load_class("policy", game)
    if (wrong := policy_values.refusal(policy)) is not None:
        raise PluginError(f"{_what('policy', _entry('policy', game))}: {wrong}; fix it")
    return policy


def load_command(name: str, kind: type[T]) -> T:
    """Loads a plugin's command of that name: an instance of a Click class."""
    entry = _entry("command", name)
    command = _loaded(entry, "command")
    if not isinstance(command, kind):
        raise PluginError(f"{_what('command', entry)} is not a Click command; decorate it with @click.command()")
    return command


@cache
def game_fingerprint(name: str) -> Fingerprint:
    """The fingerprint of the game of that name with its policy, without importing them."""
    if (provider := _provider(name)) is not None:
        return Fingerprint(*provider.fingerprint())
    entry = _entry("game", name)
    policies = [each.module for each in _entries("policy").get(name, ())]
    return fingerprints.installed_fingerprint(_version(entry), [entry.module, *policies])


def load_bot(use: str, base: Path) -> BotPlugin:
    """Loads a bot: a plugin by its name, or FILE.py:NAME or FOLDER:NAME, relative to the folder `base`."""
    file, attribute = file_and_name(use)
    provider = _provider(use)
    if provider is not None:
        target, what = provider.bot(use), f'bot "{use}"'
    elif file:
        target, what = bot_files.load(bot_files.find(base, file, use), attribute, use), f'bot "{use}"'
    else:
        entry = _entry("bot", use)
        target, what = _loaded(entry, "bot"), f'bot "{use}" of {entry.distribution}'
    return bot_plugin(target, what, use, base)


def bot_fingerprint(use: str, base: Path) -> Fingerprint:
    """The fingerprint of the bot that `use` names, without importing the bot."""
    if (provider := _provider(use)) is not None:
        return Fingerprint(*provider.fingerprint())
    if (unit := bot_unit(use, base)) is not None:
        return fingerprints.fingerprint([unit.root], unit.beside)
    entry = _entry("bot", use)
    return fingerprints.installed_fingerprint(_version(entry), [entry.module])


def bot_unit(use: str, base: Path) -> Unit | None:
    """The unit of the bot that `use` names; None for an installed one."""
    file, _ = file_and_name(use)
    return bot_files.find(base, file, use) if file else None


def bot_imports_of(use: str, base: Path) -> dict[str, Fingerprint]:
    """The fingerprints of the distributions that a bot imports something from, by their names, without importing it.

    Raises:
        PluginError: There is no such bot, or it imports a module of no distribution that lies outside the bot.
    """
    if _provider(use) is not None:
        return {}
    if (unit := bot_unit(use, base)) is not None:
        try:
            return bot_imports.installed_imports(unit, False)
        except PluginError as error:
            raise PluginError(f'bot "{use}": {error}') from None
    entry = _entry("bot", use)
    root = fingerprints.package_of(entry.module)
    if root.name in bot_imports.OURS:
        return {}
    names = entry.module.split(".")
    unit = Unit(root, ".".join(names[names.index(root.stem) :]))
    return bot_imports.installed_imports(unit, True)


@cache
def _provider(name: str) -> Any:
    prefix, colon, _ = name.partition(":")
    if not colon or prefix not in _entries("provider"):
        return None
    return _loaded(_entry("provider", prefix), "provider")()


@cache
def _entries(kind: Kind) -> dict[str, list[EntryPoint]]:
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points.of_group(f"tourney.{'policies' if kind == 'policy' else f'{kind}s'}"):
        same = entries.setdefault(entry.name, [])
        if (entry.distribution, entry.value) not in [(other.distribution, other.value) for other in same]:
            same.append(entry)
    return entries


def _entry(kind: Kind, name: str) -> EntryPoint:
    entries = _entries(kind)
    if kind == "bot" and name.startswith(BY_VALUE):
        raise PluginError(
            f'bot "{name}" was a class in a Python program, and is gone; write it into a file, and enter it as '
            f"FILE.py:{name.rpartition('.')[2].removeprefix(BY_VALUE)}"
        )
    if name not in entries:
        hint = "; a bot in a file is written FILE.py:NAME" if kind == "bot" and name.endswith(".py") else ""
        provided = [f"{prefix}:NAME" for prefix in _entries("provider")] if ":" in name else []
        raise PluginError(f'no {kind} "{name}"; {did_you_mean(name, [*entries, *provided])}{hint}')
    if len(entries[name]) > 1:
        raise PluginError(f'{kind} "{name}" is provided by {_origins(entries[name])}; uninstall or rename one')
    return entries[name][0]


def _origins(entries: list[EntryPoint]) -> str:
    return " and ".join(sorted([entry.distribution for entry in entries]))


def _what(kind: Kind, entry: EntryPoint) -> str:
    return f'{kind} "{entry.name}" of {entry.distribution}: {entry.value}'


def _version(entry: EntryPoint) -> str:
    return f"{entry.distribution} {entry.version}"


def _loaded(entry: EntryPoint, kind: Kind) -> Any:
    try:
        with redirect_stdout(sys.stderr):  # stdout is for results of commands
            return entry.load()
    except KeyboardInterrupt:  # the user's
        raise
    except BaseException as error:  # a plugin may raise anything while it is imported
        raise PluginError(
            f'{kind} "{entry.name}" of {entry.distribution} cannot be loaded from {entry.value}: {in_one_line(error)}; '
            f"fix or uninstall it{place(error)}"
        ) from None


def _load_game(entry: EntryPoint) -> Game:
    target = _loaded(entry, "game")
    what = _what("game", entry)
    try:
        game = target() if isinstance(target, type) else target
    except Exception as error:
        raise PluginError(f"{what} cannot be created: {in_one_line(error)}; fix or uninstall it") from None
    if not isinstance(game, Game) or getattr(game, "name", None) != entry.name:
        raise PluginError(f"{what} is not a subclass of tourney.Game with that name")
    for attribute, kind in (("seats", range), ("names", tuple)):
        if not isinstance(getattr(game, attribute, None), kind) or not getattr(game, attribute):
            raise PluginError(f"{what} has no {kind.__name__} {attribute}; fix or uninstall it")
    return game


@cache
def _load_class(kind: Kind, name: str) -> type[Any]:
    """Loads the plugin of that kind and name: a subclass of its class in `BASES`."""
    entry, base = _entry(kind, name), BASES[kind]
    target = _loaded(entry, kind)
    bases = target.__mro__ if isinstance(target, type) else ()
    if base not in [f"{each.__module__}.{each.__qualname__}" for each in bases]:
        raise PluginError(f"{_what(kind, entry)} is not a subclass of {base}")
    if getattr(target, "name", None) != name:
        raise PluginError(f'{_what(kind, entry)} has a different name from the entry point; write name = "{name}"')
    return cast("type[Any]", target)


load_format = partial(_load_class, "format")
load_host = partial(_load_class, "host")


def bot_plugin(target: Any, what: str, use: str, folder: Path) -> BotPlugin:
    """A bot from a class, or another callable; messages call it `what`."""
    makes_none = isinstance(target, FunctionType) or not callable(target)
    if makes_none or (isinstance(target, type) and not callable(getattr(target, "act", None))):
        raise PluginError(f"{what} is not a class with a method act(view, legal)")
    act = inspect.getattr_static(target, "act", None)
    if isinstance(target, type) and isinstance(act, FunctionType):
        takes = inspect.signature(act)
        try:
            takes.bind(None, None, None)
        except TypeError:
            raise PluginError(f"{what}: act takes {takes}; it is called with (self, view, legal)") from None
    options = getattr(target, "Options", None)
    if options is not None and not (isinstance(options, type) and issubclass(options, Options)):
        raise PluginError(f"{what}: Options is not a subclass of tourney.Options; make it one, or remove it")
    games = games_in(target, what)
    summary = (getattr(target, "__doc__", None) or "").strip().split("\n")[0]
    return BotPlugin(target, options, games, summary, use, folder)


def games_in(target: Any, what: str) -> tuple[str, ...] | None:
    """The games that a bot claims to play; None if it makes no claim."""
    games = getattr(target, "games", None)
    if games is None:
        return None
    if not isinstance(games, tuple | list) or not all([isinstance(name, str) for name in games]):
        example = f'"{games}"' if isinstance(games, str) and games.isprintable() else '"NAME"'
        raise PluginError(f"{what}: games is not a tuple of names; for example games = ({example},)")
    return tuple(games)


def own_fingerprint() -> Fingerprint:
    """The fingerprint of tourney itself: its distribution and version, and all its modules."""
    return fingerprints.installed_fingerprint(f"tourney-cards {entry_points.own_version()}", ["tourney"])
