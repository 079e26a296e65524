"""The commands that reports suggest for a look at a decision: such as work for who made it, and from where one is."""

import shlex
from pathlib import Path

from tourney.config import Tournament
from tourney.debugging.bots import folder_of_bots
from tourney.journal import signature


class LookCommands:
    """Makes commands that show decisions of a run.

    The debugger stops at decisions of Python bots. With another action, the match goes on from those of all others.
    """

    def __init__(self, run: Path, tournament: Tournament, folder: Path | None) -> None:
        """Finds out whether the bots are found from here.

        Args:
            run: The folder of the run.
            tournament: The tournament of the run.
            folder: The folder of the tournament file, if it is known.
        """
        self._run = shlex.quote(str(run))
        self._entrants = {entrant.name: entrant for entrant in tournament.entrants}
        found = folder_of_bots(run, tournament)
        self._found = found is not None or folder is not None
        known = found is not None and (folder is None or found.resolve() == folder.resolve())
        needed = not known and folder is not None and signature.bot_code(tournament)
        self._option = f" --folder {shlex.quote(str(folder))}" if needed else ""

    def decision(self, bot: str, match: str, decision: int, tried: str = "") -> str:
        """Returns the command for a decision of a bot: the debugger, or else a replay from there on.

        Args:
            bot: The name of the entrant that made it.
            match: The name of the match.
            decision: The number of the decision.
            tried: An action to go on with where there is no Python bot for the debugger; empty for none.
        """
        entrant = self._entrants[bot]
        if not self._found or not (entrant.use or tried):
            return self.replay(match, decision)
        option = f" --try {shlex.quote(tried)}" if tried and not entrant.use else ""
        return f"tourney debug {self._run} {match} {decision}{option}{self._option}"

    def replay(self, match: str, decision: int) -> str:
        """Returns the command that shows a match from a decision on."""
        return f"tourney replay {self._run} {match} --from {decision}"
