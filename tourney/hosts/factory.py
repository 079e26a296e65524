"""Finds hosts by name, and makes the host of each entrant's bots."""

from pathlib import Path

from tourney import plugins, validation
from tourney.errors import PluginError, did_you_mean
from tourney.game import Options
from tourney.hosts.base import BotHost, BotSpec
from tourney.hosts.limits import Limits


def host_type(name: str) -> type[BotHost]:
    """Returns the class of the host of that name.

    Raises:
        PluginError: There is no such host, or it cannot be loaded.
    """
    if name not in plugins.host_names() and name not in plugins.shared_names("host"):
        fit = [each for each in plugins.host_names() if _has_bots(each)]
        raise PluginError(f'no host "{name}"; {did_you_mean(name, fit)}')
    found: type[BotHost] = plugins.load_host(name)
    return found


def _has_bots(name: str) -> bool:
    try:
        return bool(plugins.load_host(name).has_bots)
    except PluginError:
        return False


def create_host(spec: BotSpec, limits: Limits, log: Path | None) -> BotHost:
    """Returns the host of these bots; see `BotHost` for the arguments.

    Raises:
        TourneyError: There is no such host or bot, or the host's options are wrong.
    """
    found = host_type(spec.host)
    host_options(found, spec)
    return found(spec, limits, log)


def examine(spec: BotSpec) -> tuple[str, ...] | None:
    """Returns the names of the games that the bot plays; None means every game.

    Raises:
        TourneyError: There is no such host or bot, or the host's options are wrong.
    """
    found = host_type(spec.host)
    host_options(found, spec)
    return found.examine(spec)


def host_options(host: type[BotHost], spec: BotSpec) -> Options:
    """Returns the options of the host, read from plain data.

    Raises:
        ConfigError: There is no such option, or its value is of the wrong type.
    """
    return validation.read_options(host.Options, spec.host_options, f"bot {spec.name}: host_options")
