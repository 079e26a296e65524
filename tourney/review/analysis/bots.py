"""Who plays on for each bot of a run when its decisions are analysed.

A bot plays on itself if its code can run in our worker processes and takes less than a millisecond for a decision, as
the run has measured it. For the others `steady` plays on, or a random bot where `steady` does not know the game. It is
decided once for all matches, and kept with the analysis, since how quick a bot is depends on the machine.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tourney import config
from tourney.base.errors import PluginError, TourneyError
from tourney.config import Entrant, Tournament
from tourney.config.entrants import games_played
from tourney.hosts.timing import DecisionTimes, duration_text
from tourney.journal import signature, times
from tourney.plugins import registry
from tourney.review.analysis.file import RANDOM, STEADY, VERSION, AnalysisSettings
from tourney.review.bots import folders_around

QUICK_NS = 1_000_000
"""A bot plays on itself if its decisions take less than this on average, in nanoseconds."""


class PlayingBots:
    """The bots that play on in the playouts of a run's analysis."""

    def __init__(
        self,
        tournament: Tournament,
        manifest: dict[str, Any],
        run: Path,
        folder: Path | None,
        trust: Callable[[Sequence[str]], None],
    ) -> None:
        """Looks for the bots of the run."""
        self._all = tournament
        self._run = run
        folders = [folder] if folder is not None else folders_around(run)
        self._folder = max(folders, key=lambda each: sum([(each / file).exists() for file in self._files()]))
        self._ask_for_trust(manifest, trust)

    def _files(self) -> list[str]:
        files = [registry.file_and_name(entrant.use)[0] for entrant in self._all.entrants if entrant.use]
        return [file for file in files if file]

    def _ask_for_trust(self, manifest: dict[str, Any], trust: Callable[[Sequence[str]], None]) -> None:
        there = msgspec.structs.replace(self._all, folder=str(self._folder))
        own = msgspec.structs.replace(there, entrants=tuple([each for each in there.entrants if _in_worker(each)]))
        code = [file for file in signature.bot_code(own) if Path(file).exists()]
        if code and not signature.is_signed(self._run, manifest, there):
            trust(code)

    def settings(self, playouts: int, before: AnalysisSettings | None) -> AnalysisSettings:
        """Returns how the decisions are analysed: who plays on as was decided before, if it was."""
        if before is not None and self._fits(before):
            bots, substitutes = before.bots, before.substitutes
        else:
            measured = (times.load(self._run) or times.Times()).bots
            bots = {each.name: self._reason(each, measured.get(each.name)) for each in self._all.entrants}
            substitutes = {game: substitute(game) for game in self._all.games}
        manifest = config.manifest(self.tournament(bots, substitutes))
        sources = {
            f"{kind} {name}": found["sha256"]
            for kind in ("game", "bot")
            for name, found in manifest[f"{kind}s"].items()
        }
        return AnalysisSettings(VERSION, playouts, bots, substitutes, sources)

    def _fits(self, before: AnalysisSettings) -> bool:
        """Tells whether an earlier analysis says of this run's bots who plays on, and names nothing else to be run.

        Its file may be somebody else's.
        """
        return (
            before.bots.keys() == set(self._all.names)
            and all([_in_worker(each) for each in self._all.entrants if not before.bots[each.name]])
            and before.substitutes.keys() == set(self._all.games)
            and set(before.substitutes.values()) <= {STEADY, RANDOM}
        )

    def tournament(self, bots: dict[str, str], substitutes: dict[str, str]) -> Tournament:
        """Returns the tournament with the bots that play on alone, those that do so for others under `other_name`."""
        own = [each for each in self._all.entrants if each.name in bots and not bots[each.name]]
        needed = sorted(set(substitutes.values())) if any(bots.values()) else []
        others = [Entrant(other_name(use), use, {}) for use in needed]
        return msgspec.structs.replace(self._all, entrants=(*own, *others), folder=str(self._folder))

    def _reason(self, entrant: Entrant, measured: DecisionTimes | None) -> str:
        """Returns why the bot of an entrant does not play on itself, in a few words; empty if it does."""
        if entrant.command:
            return "it is a program"
        try:
            if not _in_worker(entrant):
                return f"its host is {entrant.host}" if entrant.has_bots else "a person decided for it"
            games_played(entrant, self._folder)
        except (TourneyError, OSError) as error:
            return f"it cannot be loaded: {error}"
        if measured is None or not measured.decisions:
            return "how long it thinks was not measured"
        if measured.mean_ns >= QUICK_NS:
            return f"it thinks {duration_text(measured.mean_ns)} a decision"
        return ""


def other_name(use: str) -> str:
    """Returns the name of a bot that plays on for others: one that no entrant can have."""
    return f"({use})"


def _in_worker(entrant: Entrant) -> bool:
    try:
        return not entrant.command and entrant.in_worker
    except PluginError:
        return False


def substitute(game: str) -> str:
    """Returns the bot that plays a game on for those that do not themselves."""
    try:
        games = registry.load_bot(STEADY, Path()).games
    except TourneyError:
        return RANDOM
    return STEADY if games is None or game in games else RANDOM
