"""How the workers of a cluster are named: the address of a scheduler, or `local:N`."""

import re

from tourney.errors import ConfigError

LOCAL = "local:"
MOST_WORKERS = 1024
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]@]+):([0-9]{1,5})", re.ASCII)


def scheduler_address(given: str, value: str, forms: str = "tcp://HOST:PORT or tls://HOST:PORT") -> str:
    """Returns the address of a scheduler, if it is one.

    Raises:
        ConfigError: It is none; the message begins with `given`, and names the forms that are taken.
    """
    found = _ADDRESS.fullmatch(value)
    if found is None or not 1 <= int(found[1]) <= 65535:
        raise ConfigError(f"{given}{value}: is no address; write {forms}, as in tcp://192.168.1.5:8786")
    return value


def cluster_address(given: str, value: str) -> str:
    """Returns the address of a scheduler, or `local:N`, if it is one of them.

    Raises:
        ConfigError: It is neither; the message begins with `given`.
    """
    if not value.startswith(LOCAL):
        return scheduler_address(given, value, "tcp://HOST:PORT, tls://HOST:PORT or local:N")
    count = value.removeprefix(LOCAL)
    if not (count.isascii() and count.isdecimal() and 1 <= int(count[:6]) <= MOST_WORKERS):
        raise ConfigError(f"{given}{value}: write local:N with a number of workers from 1 to {MOST_WORKERS}")
    return value


def local_workers(address: str) -> int | None:
    """Returns how many workers `local:N` starts here; None for the address of a scheduler."""
    return int(address.removeprefix(LOCAL)) if address.startswith(LOCAL) else None
