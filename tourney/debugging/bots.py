"""The bots of a run as they are now: found again, and held against the fingerprints that the run wrote down."""

from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from tourney import config, plugins
from tourney.config import Tournament
from tourney.errors import MissingFileError, ProgramBotError
from tourney.hosts.base import BotHost
from tourney.table import BotFactory


class RunBots:
    """The bots of a run. To be used as a context manager: leaving it ends what their hosts keep."""

    def __init__(self, tournament: Tournament, manifest: dict[str, Any], run: Path, folder: Path | None) -> None:
        """Finds all bots; a `TourneyError` where one is not there.

        `folder` is where the tournament file was; None: it is looked for here and around the run.
        """
        found = _with_all_files(tournament, [folder] if folder is not None else _around(run))
        tournament = msgspec.structs.replace(tournament, folder=str(found))
        self._entrants = {entrant.name: entrant for entrant in tournament.entrants}
        self._folder = found
        self._known = manifest.get("bots", {})
        self._now = config.manifest(tournament)["bots"]
        self._makers = config.makers(tournament)

    def __enter__(self) -> "RunBots":
        """Nothing has to be begun."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends what the hosts keep."""
        for maker in self._makers.values():
            if isinstance(maker, BotHost):
                maker.close()

    def maker(self, name: str) -> BotFactory:
        """What gives the bots of that entrant, in the host that the run had them in."""
        return self._makers[name]

    def python_maker(self, name: str) -> BotFactory:
        """What makes the bots of that entrant in this process; a `ProgramBotError` for a program."""
        entrant = self._entrants[name]
        if not entrant.use:
            raise ProgramBotError(f"bot {name} is a program, and the debugger needs a Python bot")
        return plugins.load_bot(entrant.use, self._folder).maker(entrant.options, f"bot {name}: options")

    def other(self, use: str) -> BotFactory:
        """What makes a bot that may not be of the run: an entrant's name, a plugin's, or FILE.py:NAME from here."""
        if use in self._entrants:
            return self.maker(use)
        return plugins.load_bot(use, Path()).maker({}, f"bot {use}: options")

    def changed(self, name: str) -> bool:
        """Whether the bot's source is not what the run was played with."""
        return bool(self._now[name] != self._known.get(name))


def _with_all_files(tournament: Tournament, folders: list[Path]) -> Path:
    """The first of the folders in which the files are that the bots name."""
    names = [entrant.use.rpartition(":")[0] or "".join(entrant.command[:1]) for entrant in tournament.entrants]
    files = [name for name, entrant in zip(names, tournament.entrants, strict=True) if "/" in name or entrant.use]
    for folder in folders:
        if all([(folder / file).is_file() for file in files if file]):
            return folder
    looked = ", ".join([str(folder) for folder in folders])
    missing = next(file for file in files if file and not (folders[0] / file).is_file())
    raise MissingFileError(f"there is no {missing} in {looked}")


def _around(run: Path) -> list[Path]:
    """Where the tournament file may have been: here, or in a folder above that of the run."""
    run = run.resolve()
    return list(dict.fromkeys([Path.cwd(), run.parent, run.parent.parent]))
