"""The commands that reports suggest for a look at a decision."""

import shlex
from pathlib import Path

from tourney.config import Tournament
from tourney.journal import signature


class LookCommands:
    """Makes commands that show decisions of a run.

    The debugger stops at decisions of Python bots. With another action, the match goes on from those of all others.
    """

    def __init__(self, run: Path, tournament: Tournament, folder: Path | None) -> None:
        """Takes the run, and the folder of the tournament file if it is known."""
        self._run = shlex.quote(str(run))
        self._python = set(tournament.python_bots)
        needed = folder is not None and folder.resolve() != Path.cwd() and signature.bot_code(tournament)
        self._option = f" --folder {shlex.quote(str(folder))}" if needed else ""

    def decision(self, bot: str, match: str, decision: int, tried: str = "") -> str:
        """Returns the command for a decision of a bot: the debugger, or else a replay from there on.

        `tried` is an action to go on with where there is no Python bot for the debugger; empty for none.
        """
        if bot in self._python:
            return f"tourney debug {self._run} {match} {decision}{self._option}"
        if tried:
            return f"tourney debug {self._run} {match} {decision} --try {shlex.quote(tried)}{self._option}"
        return self.replay(match, decision)

    def replay(self, match: str, decision: int) -> str:
        """Returns the command that shows a match from a decision on."""
        return f"tourney replay {self._run} {match} --from {decision}"
