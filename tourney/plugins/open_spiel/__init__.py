"""Games and bots of OpenSpiel, as `open_spiel:NAME`. docs/open-spiel.md lists them. It needs the extra `open_spiel`.

`library` finds and loads the games of the package, `game` and `state` make games of ours of them, `bots` has bots of
the package. `provider` is what the entry point names.
"""

from tourney.plugins.open_spiel.provider import OpenSpiel

__all__ = ["OpenSpiel"]
