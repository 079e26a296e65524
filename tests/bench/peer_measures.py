"""Measures the peers, other people's packages; those that are not installed are reported as missing."""

import gc
from importlib import import_module

from tests.bench.timing import Key, Measurement, Rates

GROUP = "decisions/s of others"
HERE = "our table"  # what the name of a measurement ends in that is of a peer's game in our table
PEERS = ("floor", "open_spiel", "open_spiel_here", "rlcard", "pettingzoo", "axelrod")


def installed() -> tuple[Rates, list[str]]:
    """Returns how the installed peers are measured, and a line for each that is missing."""
    rates: Rates = {}
    missing = []
    for name in PEERS:
        try:
            rates |= import_module(f"tests.bench.peers.{name}").rates()
        except ImportError as error:
            missing.append(f"{name} ({error}); `make bench-peers` installs it")
    gc.collect()
    gc.freeze()  # so that what one of them has loaded costs the others nothing
    return rates, missing


def beside(game: str, rates: Rates, seconds: float) -> Measurement:
    """Returns the measurement of all peers in turn, each for about that time, beside one of our games."""
    return Measurement(
        f"{game}: the others beside it",
        lambda: {Key(GROUP, game, name, ""): measure(seconds) for name, measure in rates.items()},
    )
