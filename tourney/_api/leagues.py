"""Leagues from a Python program."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from tourney import config
from tourney._api.caller import LIBRARY, RunProgress, reporter
from tourney._api.runs import Run
from tourney._api.tables import Rows, Standings
from tourney.base.errors import ConfigError, RunError, type_name
from tourney.journal import folder
from tourney.journal import history as over_time
from tourney.journal.history import HistoryRow
from tourney.journal.run import RunFolder
from tourney.review import field as fields
from tourney.review import submissions
from tourney.review.field import FieldRow
from tourney.review.league_tables import field_columns, history_columns
from tourney.review.submissions import Submitted
from tourney.runner import challenge as challenges
from tourney.runner import league as leagues
from tourney.runner.run import lead
from tourney.runner.workers import Workers
from tourney.standings.tables import Column

AGAIN = "continue with the same call"


class Field(Rows[FieldRow]):
    """The field of a league: a frozen row for each version of a bot; printed, `tourney league field`."""

    def of(self, bot: str) -> FieldRow:
        """The row of a version.

        Raises:
            KeyError: No row has the name.
        """
        return {row.bot: row for row in self.rows}[bot]

    def _columns(self) -> list[Column]:
        return [column for column in field_columns(self.rows) if any(column.cells)]


class History(Rows[HistoryRow]):
    """The ratings of a league over time: a frozen row for each bot at each point."""

    def _columns(self) -> list[Column]:
        return history_columns(self.rows)


class League:
    """A league in its folder, which others may play and submit to meanwhile."""

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
            author: Whose bot it is; by default that of the version before.
            host: The host that it runs in; by default that of the league.
            options: Its options.

        Raises:
            ConfigError: There is no such bot, or its name is not valid.
            RunError: The name is that of another author's bot, the file imports one, or the league is damaged.
            WriteError: The folder cannot be written.
        """
        if not isinstance(bot, str | Sequence):
            raise ConfigError(f"bot: {type_name(bot)} cannot be copied; write it into a file, and give FILE.py:NAME")
        text, is_command = (bot, False) if isinstance(bot, str) else (shlex.join(bot), True)
        return submissions.submit(
            self.path, text, is_command=is_command, name=name, author=author, host=host, options=dict(options or {})
        )

    def play(
        self,
        *,
        seconds: float | None = None,
        matches: int | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        oversubscribe: bool = False,
        progress: Callable[[RunProgress], object] | None = None,
    ) -> Standings:
        """Plays the league until nothing is worth playing, or it is enough, and returns the standings.

        Ctrl-C raises a `KeyboardInterrupt`, and leaves a league that the same call continues.

        Args:
            seconds: After how many seconds to stop.
            matches: After how many matches to stop.
            workers: The number of worker processes; by default one for each processor.
            cluster: The workers of a cluster that play instead, as for `tourney.run`.
            oversubscribe: Whether there may be more workers than processors although time is limited.
            progress: Called several times a second.

        Raises:
            RunError: Another process plays the league, or it cannot be read, or is damaged.
            GameError, ClusterLostError, WriteError, SystemLimitError: As for `tourney.run`.
        """
        with Workers(LIBRARY, workers, cluster, oversubscribe) as playing:
            ranked = leagues.play(self.path, playing, LIBRARY, AGAIN, lambda _: reporter(progress), seconds, matches)
        return Standings(*ranked)

    def pause(self, bot: str, why: str = "") -> str:
        """Has a bot play no matches from the next round on; returns its name with its version.

        Args:
            bot: Its name; without a version, the latest is meant.
            why: The reason, for those who ask.

        Raises:
            RunError: There is no such bot, or it is in that state already.
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

        Raises:
            RunError: The league cannot be read, or is damaged.
        """
        rows = fields.field(RunFolder(self.path))
        return Field(rows if everybody else fields.of_now(rows))

    def history(self, bot: str | None = None) -> History:
        """The ratings at each event and at even steps, each by the matches before it.

        Args:
            bot: A version, or a name, which means all its versions; by default all bots.

        Raises:
            RunError: There is no such bot, or the league cannot be read, or is damaged.
        """
        run = RunFolder(self.path)
        return History(over_time.rows(over_time.history(run), leagues.versions_of(run, bot)))

    def challenge(
        self,
        one: str,
        other: str,
        *,
        deals: int = challenges.DEALS,
        out: str | PathLike[str] | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        oversubscribe: bool = False,
        progress: Callable[[RunProgress], object] | None = None,
    ) -> Run:
        """Compares two bots on the same deals in the same seats, as a run of its own that the league knows nothing of.

        Args:
            one: A bot; without a version, the latest is meant.
            other: The other bot.
            deals: On how many deals of each game they are compared.
            out: The folder of the run; by default one beside the league, called after it.
            workers: The number of worker processes; by default one for each processor.
            cluster: The workers of a cluster that play instead, as for `tourney.run`.
            oversubscribe: Whether there may be more workers than processors although time is limited.
            progress: Called several times a second.

        Raises:
            ConfigError: A bot cannot be loaded any more.
            RunError: There is no such bot, or the folder cannot be used.
            GameError, ClusterLostError, WriteError, SystemLimitError: As for `tourney.run`.
        """
        order = challenges.challenge(RunFolder(self.path), one, other, deals, None if out is None else Path(out))
        again = f'continue with tourney.run("{order.path / folder.TOURNAMENT}", out="{order.path}", resume=True)'
        with Workers(LIBRARY, workers, cluster, oversubscribe) as playing:
            playing.choose(order.tournament)
            lead(order, playing, LIBRARY, again, lambda _: reporter(progress))
        return Run(order.path, order.tournament)


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
    found = League(folder.find_run(name))
    if games:
        there = RunFolder(found.path).tournament
        given = config.of_text(leagues.tournament_text(there.name, games, *keys), found.path)
        if given.setups != there.setups:
            raise RunError(f"{found.path}: is a league of other games; leave games out, or use another folder")
    return found
