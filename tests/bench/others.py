"""The others that are measured beside ours. What is not installed is said to be missing."""

import gc
from importlib import import_module

from tests.bench.timing import Key, Measures, Way

GROUP = "decisions/s of others"
PEERS = ("floor", "open_spiel", "rlcard", "axelrod")


def found() -> tuple[Measures, list[str]]:
    """How those that are installed are measured, and what is missing."""
    measures: Measures = {}
    missing = []
    for name in PEERS:
        try:
            measures |= import_module(f"tests.bench.peers.{name}").measures()
        except ImportError as error:
            missing.append(f"{name} ({error}); `make bench-peers` installs it")
    gc.collect()
    gc.freeze()  # so that what one of them has loaded costs the others nothing
    return measures, missing


def beside(game: str, measures: Measures, seconds: float) -> Way:
    """All of them in turn, each for about so long, beside a game of ours."""
    return Way(
        f"{game}: the others beside it",
        lambda: {Key(GROUP, game, name, ""): measure(seconds) for name, measure in measures.items()},
    )
