"""Leagues from a Python program."""

import shlex
from collections import deque
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
from tourney.review import season, submissions
from tourney.review.comparison import Comparison, compare_run
from tourney.review.field import FieldRow, field_sheet, history_columns
from tourney.review.submissions import Submitted
from tourney.runner import league as leagues
from tourney.runner.run import start_of

AGAIN = "continue with the same call"


class Field(Rows[FieldRow]):
    """All bot versions of a league, one frozen row each; prints like `tourney league field`."""

    def __init__(self, rows: Sequence[FieldRow], next_round: str = "") -> None:
        super().__init__(rows, field_sheet(rows, next_round=next_round))

    def of(self, bot: str) -> FieldRow:
        """The row of a version.

        Raises:
            KeyError: No row has the name.
        """
        return {row.bot: row for row in self.rows}[bot]


class History(Rows[HistoryRow]):
    """A league's ratings over time, one frozen row per bot and point."""

    def __init__(self, rows: Sequence[HistoryRow]) -> None:
        super().__init__(rows, Sheet(HistoryRow, rows, history_columns(rows)))


class League:
    """A league on disk. Other processes may play and submit to it at the same time.

    Raises:
        RunError: By every method: the league is unreadable or damaged, or a bot was not found.
    """

    def __init__(self, path: Path) -> None:
        self.path = RunFolder(path).require("league").path

    def __repr__(self) -> str:
        return f"<League in {self.path}>"

    @property
    def run(self) -> Run:
        """The league as a `Run`: current standings, matches, replays."""
        return Run(self.path)

    def submit(
        self, bot: str | Sequence[str], *, name: str | None = None, author: str = "", display: str = "",
        host: str | None = None, options: Mapping[str, Any] | None = None, reads: Sequence[str] = (),
    ) -> Submitted:  # fmt: skip
        """Checks a bot and adds it from the next round on, or refuses it.

        A bot with an existing name becomes its next version, and the previous version is retired. Submitting an
        identical bot again changes nothing.

        Args:
            bot: A plugin's name, FILE.py:NAME, which is copied together with its imports from the same folder, or
                FOLDER:NAME; or a program's command, as a list of words.
            name: The bot's name in the league; by default its own.
            author: The bot's author, whom pages do not name; by default the organiser.
            display: The team's name on pages; by default the previous version's.
            host: The bot's host; by default the league's.
            options: Its options.
            reads: Files and folders of the bot's folder to copy, too.

        Raises:
            ConfigError: The bot was not found, or its name is invalid.
            PluginError: A link leads out of its files, or they are too many or too large.
            RunError: The name belongs to another author's bot, or the file imports one.
            WriteError: The folder cannot be written.
        """
        if not isinstance(bot, str | Sequence):
            raise ConfigError(f"bot: {type_name(bot)} cannot be copied; write it to a file, and use FILE.py:NAME")
        text, is_command = (bot, False) if isinstance(bot, str) else (shlex.join(bot), True)
        own = dict(options or {})
        return submissions.submit(
            self.path, text, is_command=is_command, name=name, author=author, display=display, host=host, options=own,
            reads=reads,
        )  # fmt: skip

    @with_keywords
    def play(self, *, seconds: float | None = None, matches: int | None = None, **keys: Unpack[Playing]) -> Standings:
        """Plays rounds until everything is decided or a limit is reached; returns the standings.

        Ctrl-C raises a `KeyboardInterrupt`; the same call continues the league.

        Args:
            seconds: The time limit.
            matches: The most matches to play.

        Raises:
            RunError: Another process plays the league; and all errors of `tourney.run`.
        """
        plan = leagues.LeaguePlan(self.path, seconds, matches)
        play(plan, keys, AGAIN)
        return Standings(*plan.ranked)

    def pause(self, bot: str, why: str = "") -> str:
        """Pauses a bot from the next round on; returns its versioned name.

        Args:
            bot: The bot's name; defaults to the latest version.
            why: The reason, for the record.

        Raises:
            RunError: The bot already has that status.
        """
        return leagues.change(self.path, bot, "paused", why)[0].name

    def retire(self, bot: str, why: str = "", *, restore_previous: bool = False) -> str:
        """Retires a bot and its older versions from the next round on, like `pause`. Their matches still count.

        With `restore_previous`, the version before plays again instead.
        """
        return leagues.change(self.path, bot, "retired", why, restore_previous)[0].name

    def restore(self, bot: str, why: str = "") -> str:
        """Brings back a paused or retired bot from the next round on, like `pause`."""
        return leagues.change(self.path, bot, "restored", why)[0].name

    def void(
        self, matches: Sequence[str] = (), *, between: tuple[str, str] | None = None, timeouts: bool = False,
        why: str = "",
    ) -> int:  # fmt: skip
        """Voids matches, which then count no more and are played again on fresh deals; returns their number.

        Args:
            matches: Names of matches, whose whole blocks are voided.
            between: Two dates, for all rounds that may have been played between them.
            timeouts: Whether to void all matches with a timeout.
            why: The reason, for the page.

        Raises:
            RunError: None of the matches counts, or a date is invalid.
        """
        return season.void(RunFolder(self.path), matches, between, timeouts=timeouts, why=why)

    def close(self, at: str | None = None) -> str:
        """Ends submissions, now or at a date, and draws the final's seed; returns the SHA-256 of that."""
        return leagues.close(self.path, at).sha256

    def final(
        self, out: str | PathLike[str], *, best: int = 8, deals: int = 500, format: str = "round-robin",  # noqa: A002
        rounds: int | None = None,
    ) -> list[str]:  # fmt: skip
        """Writes the tournament file of a final of the best bots, and copies them next to it; returns their names.

        Args:
            out: The file.
            best: How many bots play; others whose place may be as high play, too.
            deals: The number of deals of each meeting.
            format: The format.
            rounds: The number of rounds, of a Swiss.

        Raises:
            ConfigError: The format cannot play it.
            RunError: Submissions are not closed.
        """
        return [
            row.bot for row in season.write_final(RunFolder(self.path), Path(out), best, deals, format, rounds).bots
        ]

    def field(self, *, everybody: bool = False) -> Field:
        """The league's bots, with their matches and ratings.

        Args:
            everybody: Whether to include retired bots and refused versions.
        """
        rows, next_round = fields.field(RunFolder(self.path))
        return Field(rows if everybody else fields.current(rows), next_round)

    def history(self, bot: str | None = None) -> History:
        """The ratings at each event and at even steps, from the matches until then.

        Args:
            bot: A version, or a name for all its versions; by default all bots.
        """
        run = RunFolder(self.path)
        return History(over_time.rows(over_time.history(run), leagues.versions_of(run, bot)))

    @with_keywords
    def compare(
        self, new: str, old: str, *, deals: int = 200, out: str | PathLike[str] | None = None, resume: bool = False,
        **keys: Unpack[Playing],
    ) -> Comparison:  # fmt: skip
        """Compares two bots on fresh deals, in a separate run that leaves the ratings unchanged.

        `League.run.compare` compares them on the league deals that both have played.

        Args:
            new: A bot; defaults to its latest version.
            old: The other bot.
            deals: The number of deals of each game.
            out: The run folder; by default one next to the league, named after it.
            resume: Whether to continue the comparison in the folder, possibly with more deals.

        Raises:
            ConfigError: A bot can no longer be loaded, or an argument is invalid; and all errors of `tourney.run`.
        """
        start = start_of(resume, overwrite=False)
        plan = leagues.challenge(RunFolder(self.path), new, old, deals, start, None if out is None else Path(out))
        play(plan, keys, f'continue with out="{plan.path}", resume=True')
        return compare_run(RunFolder(plan.path), *plan.tournament.names[:2])


def league(
    league: str | PathLike[str], *, games: Sequence[str] = (), settle: str | None = None, host: str | None = None,
    seed: int | str | None = None, like: str | PathLike[str] | None = None,
) -> League:  # fmt: skip
    """Opens the league in a folder, or creates it if games, or a league like it, are given.

    Args:
        league: The folder, or the name of a league under results/.
        games: The games of a new league: NAME or NAME:SEATS, with the same number of seats. An existing league must
            have the same.
        settle: What a new league decides: "order" (the default), "best" or "top:N".
        host: The default host of a new league's bots.
        seed: The seed of a new league; by default a secret one.
        like: A league whose bots, versions, authors and settings a new one takes over, after checking each bot.

    Raises:
        ConfigError: An argument or a game is invalid.
        RunError: The league was not found, or has other games.
        WriteError: The folder cannot be written.
    """
    if isinstance(games, str) and games:
        raise ConfigError('games: expected a non-empty list, for example games=["vole"]')
    name = fspath(league)
    path = Path(name) if Path(name).name != name else Path("results") / name
    keys = settle or "order", host, None if seed is None else str(seed)
    if like is not None:
        of = RunFolder(folder.find_run(fspath(like), "league")).require("league")
        deque(submissions.succeed(path, path.name, of, games, settle, *keys[1:]), maxlen=0)
        return League(path)
    if games and not (path / folder.MANIFEST).is_file():
        leagues.begin(path, leagues.tournament_text(path.name, games, *keys))
        return League(path)
    opened = League(folder.find_run(name, "league"))
    if games:
        there = RunFolder(opened.path).tournament
        given = config.of_text(leagues.tournament_text(there.name, games, *keys), opened.path)
        if given.setups != there.setups:
            raise RunError(
                f"{opened.path}: already a league with other games; leave games out, or choose another folder"
            )
    return opened
