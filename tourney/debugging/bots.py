"""The bots of a run as they are now, compared with the fingerprints in the run's manifest."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from tourney import config, plugins
from tourney.config import Tournament
from tourney.errors import MissingFileError, ProgramBotError, RunError
from tourney.hosts.base import BotHost
from tourney.hosts.person import nobody_to_ask
from tourney.journal import signature
from tourney.table import BotFactory


class RunBots:
    """The bots of a run. A context manager that closes their hosts on exit."""

    def __init__(
        self,
        tournament: Tournament,
        manifest: dict[str, Any],
        run: Path,
        folder: Path | None,
        trust: Callable[[Sequence[str]], None],
    ) -> None:
        """Finds all bots.

        Args:
            tournament: The tournament of the run.
            manifest: The run's manifest.
            run: The folder of the run.
            folder: Where the tournament file was; by default it is looked for here and above the run's folder.
            trust: Called with the commands and files that would be run, unless this user played the run with them;
                it raises an error to have nothing run.

        Raises:
            RunError: The bots drew lots by another rule in the run.
            MissingFileError: A file that a bot is loaded from is not there.
            TourneyError: A bot cannot be found.
        """
        if not config.has_same_lots(manifest):
            raise RunError(
                f"{run}: was played when bots drew lots by another rule, and would decide otherwise now; "
                "play the tournament anew, or ask them with the version of tourney that played it"
            )
        found = _with_all_files(tournament, [folder] if folder is not None else folders_around(run))
        self.tournament = tournament = msgspec.structs.replace(tournament, folder=str(found))
        """The tournament, with the folder that the files of its bots are in now."""
        code = signature.bot_code(tournament)
        if code and not signature.is_signed(run, manifest, tournament):
            trust(code)
        self._entrants = {entrant.name: entrant for entrant in tournament.entrants}
        self._folder = found
        self._recorded = manifest.get("bots", {})
        self._now = config.manifest(tournament)["bots"]

    def __enter__(self) -> "RunBots":
        """Returns the bots themselves."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Closes the hosts."""
        for factory in self.__dict__.get("_factories", {}).values():
            factory.close()

    @cached_property
    def _factories(self) -> dict[str, BotHost]:
        """The hosts of all entrants that have bots, made when one is asked for."""
        there = [entrant for entrant in self.tournament.entrants if entrant.has_bots]
        return config.create_hosts(msgspec.structs.replace(self.tournament, entrants=tuple(there)))

    def factory(self, name: str) -> BotFactory:
        """Returns what makes the bots of an entrant, in the host that the run had them in.

        Raises:
            ConfigError: The entrant is a person.
        """
        self._require_bots(name)
        return self._factories[name]

    def python_factory(self, name: str) -> BotFactory:
        """Returns what makes the bots of an entrant in this process.

        Raises:
            ConfigError: The entrant is a person.
            ProgramBotError: The entrant is a program.
        """
        self._require_bots(name)
        entrant = self._entrants[name]
        if not entrant.use:
            raise ProgramBotError(f"bot {name} is a program, and the debugger needs a Python bot")
        return plugins.load_bot(entrant.use, self._folder).maker(entrant.options, f"bot {name}: options")

    def has_bot(self, name: str) -> bool:
        """Tells whether an entrant has bots that can be asked; otherwise it is a person."""
        return self._entrants[name].has_bots

    def _require_bots(self, name: str) -> None:
        if not self.has_bot(name):
            raise nobody_to_ask(name)

    def find(self, use: str) -> BotFactory:
        """Returns what makes a bot that need not be in the run.

        Args:
            use: The name of an entrant, the name of a plugin, or FILE.py:NAME relative to the working folder.
        """
        if use in self._entrants:
            return self.factory(use)
        return plugins.load_bot(use, Path()).maker({}, f"bot {use}: options")

    def changed(self, name: str) -> bool:
        """Tells whether the bot's source has changed since the run."""
        return bool(self._now[name] != self._recorded.get(name))


def _with_all_files(tournament: Tournament, folders: list[Path]) -> Path:
    """Returns the first of the folders that has all files that the bots name."""
    names = [plugins.file_and_name(entrant.use)[0] or "".join(entrant.command[:1]) for entrant in tournament.entrants]
    files = [name for name, entrant in zip(names, tournament.entrants, strict=True) if "/" in name or entrant.use]
    for folder in folders:
        if all([(folder / file).is_file() for file in files if file]):
            return folder
    looked = ", ".join([str(folder) for folder in folders])
    missing = next(file for file in files if file and not (folders[0] / file).is_file())
    raise MissingFileError(f"there is no {missing} in {looked}")


def folders_around(run: Path) -> list[Path]:
    """Returns where the tournament file may have been: here, or in the folders above that of the run."""
    run = run.resolve()
    return list(dict.fromkeys([Path.cwd(), run.parent, run.parent.parent]))
