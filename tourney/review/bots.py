"""A run's bots as they are now, compared with the fingerprints in the run's manifest."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from tourney import config
from tourney.base.errors import RunError, TourneyError
from tourney.config import Entrant, Tournament
from tourney.hosts.base import BotHost
from tourney.hosts.person import nobody_to_ask
from tourney.journal import signature
from tourney.journal.run import RunFolder
from tourney.plugins import registry
from tourney.table.table import BotFactory

STEADY = "steady"
RANDOM = "random"


def substitute(game: str) -> str:
    """The bot that continues a game for bots that cannot: steady, or random if necessary."""
    try:
        games = registry.load_bot(STEADY, Path()).games
    except TourneyError:
        return RANDOM
    return STEADY if games is None or game in games else RANDOM


class RunBots(ExitStack):
    """The bots of a run. A context manager that closes their hosts on exit."""

    def __init__(self, run: RunFolder, folder: Path | None, trust: Callable[[Sequence[str]], None]) -> None:
        """Finds all bots; calls `trust`, which may raise, with their files if the run was not played here."""
        super().__init__()
        tournament, self._recorded = run.tournament, run.manifest.get("bots", {})
        around = [run.path] if run.plan.goes_on else folders_around(run.path)
        folders, recorded = (around, self._recorded) if folder is None else ([folder], None)
        self._folder = _with_all_files(tournament, folders, recorded)
        self.tournament = tournament = msgspec.structs.replace(tournament, folder=str(self._folder))
        """The tournament, with the folder that now contains its bots' files."""
        code = signature.bot_code(tournament)
        if code and not signature.is_signed(run.path, run.manifest, tournament):
            trust(code)
        self._entrants = {entrant.name: entrant for entrant in tournament.entrants}
        self._hosts: dict[str, BotHost] = {}
        self._now = config.manifest(tournament)["bots"]

    def factory(self, name: str) -> BotFactory:
        """The factory of an entrant's bots, in the same host as in the run."""
        if name not in self._hosts:
            self._hosts |= config.create_hosts(self.tournament, only=[self._asked(name).name])
            self.callback(self._hosts[name].close)
        return self._hosts[name]

    def python_factory(self, name: str) -> BotFactory:
        """The factory of an entrant's bots in this process."""
        entrant = self._asked(name)
        if not entrant.use:
            raise RunError(f"bot {name}: the debugger needs a Python bot, got a program; try an action or another bot")
        return self._loaded(entrant.use, self._folder).maker(entrant.options, f"bot {name}: options")

    def is_confined(self, name: str) -> bool:
        """Whether the run had the entrant's bots in a host that may restrict them, such as the sandbox."""
        return self.has_bot(name) and self._entrants[name].is_locked_in

    def _asked(self, name: str) -> Entrant:
        if not self.has_bot(name):
            raise nobody_to_ask(name)
        return self._entrants[name]

    def has_bot(self, name: str) -> bool:
        """Whether an entrant has bots to ask, and is not a person."""
        return self._entrants[name].has_bots

    def repeats(self, name: str) -> bool:
        """Whether an entrant answers identically when asked again."""
        return config.repeats_itself(self._entrants[name], self._folder)

    def find(self, use: str) -> BotFactory:
        """The factory of a bot that need not be in the run."""
        if use in self._entrants:
            return self.factory(use)
        return self._loaded(use, Path()).maker({}, f"bot {use}: options")

    def _loaded(self, use: str, folder: Path) -> registry.BotPlugin:
        for game in self.tournament.games:
            registry.load_policy(game)
        return registry.load_bot(use, folder)

    def changed(self, name: str) -> bool:
        """Whether the bot's source has changed since the run."""
        return bool(self._now[name] != self._recorded.get(name))


def _with_all_files(
    tournament: Tournament, folders: Sequence[Path], recorded: Mapping[str, Mapping[str, str]] | None
) -> Path:
    """The first folder with all files that the bots name; `recorded` are the bots' fingerprints."""
    missing = []
    for folder in folders:
        first = next(filter(None, [_missing(entrant, folder, recorded) for entrant in tournament.entrants]), None)
        if first is None:
            return folder
        missing.append(first)
    raise RunError(f"no {missing[0]} in {', '.join(map(str, folders))}; specify the tournament file's folder")


def _missing(entrant: Entrant, folder: Path, recorded: Mapping[str, Mapping[str, str]] | None) -> str:
    file = registry.file_and_name(entrant.use)[0] if entrant.use else "".join(entrant.command[:1])
    if (entrant.use or "/" in file) and file and not (folder / file).exists():
        return file
    if read := next((path for path in entrant.reads if not (folder / path).exists()), ""):
        return read
    words = [word for word in entrant.command[1:] if word and not word.startswith(("-", "/"))]
    if recorded is None or not words or any([os.path.isfile(folder / word) for word in words]):
        return ""
    # which words are files is unknown; if one was, the fingerprint differs from the other words'
    now = config.all_fingerprints([entrant], folder)[entrant.name]._asdict()
    return "" if now == recorded.get(entrant.name, now) else words[0]


def folders_around(run: Path) -> list[Path]:
    """Possible folders of the tournament file: here, above the run's folder, or in it."""
    run = run.resolve()
    return list(dict.fromkeys([Path.cwd(), run.parent, run.parent.parent, run]))
