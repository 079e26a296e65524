"""The bots of a run as they are now: found again, and held against the fingerprints that the run wrote down."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from tourney import catalog
from tourney.config import Entrant, Tournament
from tourney.errors import PluginError

Maker: TypeAlias = Callable[[], Any]
"""Makes a bot anew."""


class RunBots:
    """The bots of a run. Each is loaded when it is asked for; a `PluginError` where one cannot be."""

    def __init__(self, tournament: Tournament, manifest: dict[str, Any], run: Path, folder: Path | None) -> None:
        """Loads nothing yet. `folder` is where the tournament file was; None: it is looked for around the run."""
        self._entrants = {entrant.name: entrant for entrant in tournament.entrants}
        self._known = manifest.get("bots", {})
        self._folders = [folder] if folder is not None else _around(run)

    def maker(self, name: str) -> Maker:
        """What makes the bot of that entrant."""
        entrant = self._entrants[name]
        return self._plugin(entrant).maker(entrant.options, f"bot {name}: options")

    def other(self, use: str) -> Maker:
        """What makes a bot that may not be of the run: an entrant's name, a plugin's, or FILE.py:NAME from here."""
        if use in self._entrants:
            return self.maker(use)
        return catalog.load_bot(use, Path()).maker({}, f"bot {use}: options")

    def changed(self, name: str) -> bool:
        """Whether the bot's source is not what the run was played with."""
        found: bool = self._plugin(self._entrants[name]).fingerprint._asdict() != self._known.get(name)
        return found

    def _plugin(self, entrant: Entrant) -> catalog.BotPlugin:
        file = entrant.use.rpartition(":")[0]
        if not file:
            return catalog.load_bot(entrant.use, Path())
        there = [folder for folder in self._folders if (folder / file).is_file()]
        if not there:
            looked = ", ".join([str(folder) for folder in self._folders])
            raise PluginError(
                f"bot {entrant.name}: there is no {file} in {looked}; give the tournament file's folder by --folder"
            )
        return catalog.load_bot(entrant.use, there[0])


def _around(run: Path) -> list[Path]:
    """Where the tournament file may have been: here, or in a folder above that of the run."""
    run = run.resolve()
    return list(dict.fromkeys([Path.cwd(), run.parent, run.parent.parent]))
