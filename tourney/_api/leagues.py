"""Leagues from a Python program."""

import shlex
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from tourney import config
from tourney._api.arguments import Playing, with_keywords
from tourney._api.interrupts import play
from tourney._api.runs import Run
from tourney._api.tables import Rows, Standings
from tourney.base.errors import ConfigError, RunError, type_name
from tourney.base.sheet import Sheet
from tourney.journal import folder
from tourney.journal import history as over_time
from tourney.journal.history import HistoryRow
from tourney.journal.run import RunFolder
from tourney.review import field as fields
from tourney.review import submissions
from tourney.review.comparison import Comparison, compare_run
from tourney.review.field import FieldRow, field_sheet, history_columns
from tourney.review.submissions import Submitted
from tourney.runner import league as leagues
from tourney.runner.challenge import challenge
from tourney.runner.run import start_of

AGAIN = "continue with the same call"


class Field(Rows[FieldRow]):
    """The field of a league: a frozen row for each version of a bot; printed, `tourney league field`."""

    def __init__(self, rows: Sequence[FieldRow]) -> None:
        super().__init__(rows, field_sheet(rows))

    def of(self, bot: str) -> FieldRow:
        """The row of a version.

        Raises:
            KeyError: No row has the name.
        """
        return {row.bot: row for row in self.rows}[bot]


class History(Rows[HistoryRow]):
    """The ratings of a league over time: a frozen row for each bot at each point."""

    def __init__(self, rows: Sequence[HistoryRow]) -> None:
        super().__init__(rows, Sheet(HistoryRow, rows, history_columns(rows)))


class League:
    """A league in its folder, which others may play and submit to meanwhile.

    Raises:
        RunError: By every method: the league cannot be read, or is damaged, or has no such bot.
    """

    def __init__(self, path: Path) -> None:
        self.path = RunFolder(path).require("league").path

    def __repr__(self) -> str:
        return f"<League in {self.path}>"

    @property
    def run(self) -> Run:
        """The league as the run that it is: standings, matches, replays, and all else of `Run`, as they are now."""
        return Run(self.path)

    def submit(
        self,
        bot: str | Sequence[str],
        *,
        name: str | None = None,
        author: str = "",
        display: str = "",
        host: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Submitted:
        """Copies a bot into the league, checks it, and enters it from the next round on, unless it is refused.

        A bot of a name that is there becomes its next version, and the version before is retired. Nothing is added if
        the same bot is there already.

        Args:
            bot: A plugin's name, FILE.py:NAME, which is copied with what it imports from its own folder, or
                FOLDER:NAME; or the words of a program, as a list.
            name: The bot's name in the league; by default its own.
            author: Whose bot it is; by default that of the version before. Pages do not name it.
            display: What pages say of whose bot it is; by default what they say of the version before.
            host: The host that it runs in; by default that of the league.
            options: Its options.

        Raises:
            ConfigError: There is no such bot, or its name is not valid.
            RunError: The name is that of another author's bot, or the file imports one.
            WriteError: The folder cannot be written.
        """
        if not isinstance(bot, str | Sequence):
            raise ConfigError(f"bot: {type_name(bot)} cannot be copied; write it into a file, and give FILE.py:NAME")
        text, is_command = (bot, False) if isinstance(bot, str) else (shlex.join(bot), True)
        own = dict(options or {})
        return submissions.submit(
            self.path, text, is_command=is_command, name=name, author=author, display=display, host=host, options=own
        )

    @with_keywords
    def play(
        self,
        *,
        seconds: float | None = None,
        matches: int | None = None,
        **keys: Unpack[Playing],
    ) -> Standings:
        """Plays the league until nothing is worth playing, or it is enough, and returns the standings.

        Ctrl-C raises a `KeyboardInterrupt`, and leaves a league that the same call continues.

        Args:
            seconds: After how many seconds to stop.
            matches: After how many matches to stop.

        Raises:
            RunError: Another process plays the league; and all errors of `tourney.run`.
        """
        plan = leagues.LeaguePlan(self.path, seconds, matches)
        play(plan, keys, AGAIN)
        return Standings(*plan.ranked)

    def pause(self, bot: str, why: str = "") -> str:
        """Has a bot play no matches from the next round on; returns its name with its version.

        Args:
            bot: Its name; without a version, the latest is meant.
            why: The reason, for those who ask.

        Raises:
            RunError: It is in that state already.
        """
        return leagues.change(self.path, bot, "paused", why).name

    def retire(self, bot: str, why: str = "") -> str:
        """Withdraws a bot from the next round on, as `pause`; its matches count as ever."""
        return leagues.change(self.path, bot, "retired", why).name

    def restore(self, bot: str, why: str = "") -> str:
        """Has a bot that was paused or retired play again from the next round on, as `pause`."""
        return leagues.change(self.path, bot, "restored", why).name

    def field(self, *, everybody: bool = False) -> Field:
        """Who is in the league, with what each has played and how strong it is.

        Args:
            everybody: Whether also who was retired, and every version that was refused.
        """
        rows = fields.field(RunFolder(self.path))
        return Field(rows if everybody else fields.current(rows))

    def history(self, bot: str | None = None) -> History:
        """The ratings at each event and at even steps, each by the matches before it.

        Args:
            bot: A version, or a name, which means all its versions; by default all bots.
        """
        run = RunFolder(self.path)
        return History(over_time.rows(over_time.history(run), leagues.versions_of(run, bot)))

    @with_keywords
    def compare(
        self,
        new: str,
        old: str,
        *,
        deals: int = 200,
        out: str | PathLike[str] | None = None,
        resume: bool = False,
        **keys: Unpack[Playing],
    ) -> Comparison:
        """Compares two bots on fresh deals, in a run beside the league, of which its ratings know nothing.

        `League.run.compare` compares them on the deals of the league that both have played.

        Args:
            new: A bot; without a version, the latest is meant.
            old: The other bot.
            deals: How many deals of each game are played.
            out: The folder of the run; by default one beside the league, called after it.
            resume: Whether to continue the comparison in the folder, maybe with more deals.

        Raises:
            ConfigError: A bot cannot be loaded any more, or an argument is refused; and all errors of `tourney.run`.
        """
        start = start_of(resume, overwrite=False)
        plan = challenge(RunFolder(self.path), new, old, deals, start, None if out is None else Path(out))
        play(plan, keys, f'continue with out="{plan.path}", resume=True')
        return compare_run(RunFolder(plan.path), *plan.tournament.names[:2])


def league(
    league: str | PathLike[str],
    *,
    games: Sequence[str] = (),
    settle: str | None = None,
    host: str | None = None,
    seed: int | str | None = None,
) -> League:
    """The league in a folder; begins one there if games are given and there is none.

    Args:
        league: The folder, or the name of a league under results/.
        games: The games of a new league: NAME or NAME:SEATS, with the same number of seats. A league that is there must
            have the same.
        settle: What matters in a new league: "order" (the default), "best" or "top:N".
        host: The host of all bots of a new league that do not say otherwise.
        seed: The seed of a new league; by default a secret one.

    Raises:
        ConfigError: An argument or a game is refused.
        RunError: There is no league, or it is another one.
        WriteError: The folder cannot be written.
    """
    if isinstance(games, str) and games:
        raise ConfigError('games: give a list of one game or more, as in games=["vole"]')
    name = fspath(league)
    path = Path(name) if Path(name).name != name else Path("results") / name
    keys = settle or "order", host, None if seed is None else str(seed)
    if games and not (path / folder.MANIFEST).is_file():
        leagues.begin(path, leagues.tournament_text(path.name, games, *keys))
        return League(path)
    opened = League(folder.find_run(name))
    if games:
        there = RunFolder(opened.path).tournament
        given = config.of_text(leagues.tournament_text(there.name, games, *keys), opened.path)
        if given.setups != there.setups:
            raise RunError(f"{opened.path}: is a league of other games; leave games out, or use another folder")
    return opened
