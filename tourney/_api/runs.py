"""A run on disk, finished or not."""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, get_args

from tourney import config
from tourney._api.arguments import Playing, RunProgress, with_keywords
from tourney._api.matches import MatchSummary, summary
from tourney._api.replays import Decisions, MatchReplay
from tourney._api.tables import Standings
from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.journal import folder
from tourney.journal.alike import Likeness, run_likenesses
from tourney.journal.notes import of_match
from tourney.journal.run import RunFolder, check_name
from tourney.journal.search import MatchFilter, MatchOutcome, MatchSearch, find_records
from tourney.journal.standings import count_run
from tourney.review import verify as verifying
from tourney.review.decisions import DecisionRows
from tourney.schedule.base import schedule
from tourney.standings.sweeps import SweepResult

if TYPE_CHECKING:
    from tourney._api.analyses import Analysis
    from tourney.review.comparison import Comparison


class VerifiedRecords(NamedTuple):
    """The result of replaying every record of a run."""

    held: int
    problems: tuple[str, ...]
    """A line for each invalid record, with its first difference."""

    @property
    def all_hold(self) -> bool:
        """Whether every record was verified."""
        return not self.problems


class Run:
    """A tournament run on disk, finished or not.

    Raises:
        RunError: By every method: the run is unreadable or damaged, or a bot, game or match was not found.
    """

    def __init__(self, path: Path, played: Tournament | None = None) -> None:
        """Reads the manifest; `played` is the tournament with its bot classes, if this program played it."""
        self.path = path
        tournament = RunFolder(path).tournament
        self.name = tournament.name
        """The name of the tournament."""
        self.format = tournament.format
        """The name of its format, such as `round-robin`."""
        self.bots: tuple[str, ...] = tournament.names
        """The names of the entrants."""
        self.games: tuple[str, ...] = tournament.games
        """The names of the games, sorted."""
        entrants = () if played is None else played.entrants
        self._classes = {each.name: each.pickled for each in entrants if each.pickled is not None}

    def __repr__(self) -> str:
        return f"<Run {self.name} in {self.path}: {self.format} of {', '.join(self.bots)} at {', '.join(self.games)}>"

    @property
    def finished(self) -> bool:
        """Whether all matches have been played."""
        totals = count_run(RunFolder(self.path))
        return totals.schedule.is_over(totals.matches)

    def standings(self, by: str | None = None, *, game: str | None = None, without_faults: bool = False) -> Standings:
        """Standings of the matches played so far.

        Args:
            by: The ranking: points, rating, score, place, won, runoff, or a criterion of the format; by default the
                    format's ranking.
            game: The game whose matches count; by default all.
            without_faults: Whether to leave out the blocks in which a bot made a fault.

        Raises:
            ConfigError: The ranking is unknown.
            RunError: The run does not support the ranking.
        """
        check_name("game", game, self.games)
        totals = count_run(RunFolder(self.path), game, without_faults)
        return Standings(totals, totals.ranking(by))

    def payoffs(self, *, game: str | None = None) -> Any:
        """The cross-table as a pandas data frame; its `attrs` have the `run` folder, and the `faults` of bots with any.

        Each cell is how often the row's bot finished ahead of the column's, from 0 to 1; ties count half, and a bot has
        0.5 against itself. Bots that have not met have NaN.

        Args:
            game: The game whose matches count; by default all.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas  # noqa: PLC0415 - the user's

        check_name("game", game, self.games)
        ranking = count_run(RunFolder(self.path), game).ranking()
        shares = {pair: result.percent / 100 for pair, result in ranking.pairs.items()}
        shares |= {(bot, bot): 0.5 for bot in self.bots}
        rows = [[shares.get((bot, other), math.nan) for other in self.bots] for bot in self.bots]
        frame = pandas.DataFrame(rows, self.bots, self.bots)
        frame.attrs |= {"run": str(self.path), "faults": {row.bot: row.faults for row in ranking.rows if row.faults}}
        return frame

    def sweeps(self) -> list[SweepResult]:
        """Sweep results so far: the best setting, its probability, its gain, and each option's effect."""
        return count_run(RunFolder(self.path)).sweeps()

    def records(self) -> Iterator[Record]:
        """Iterates lazily over all match records in schedule order."""
        return RunFolder(self.path).records()

    def matches(
        self, bot: str | Sequence[str] | None = None, *, game: str | None = None,
        round: int | None = None,  # noqa: A002 - the name of the field that it selects by
        outcome: MatchOutcome | None = None, faults: bool = False,
    ) -> Iterator[MatchSummary]:  # fmt: skip
        """Iterates lazily over match summaries in schedule order.

        Args:
            bot: Only matches of this bot, or of all these bots together; the first is the one whose outcome counts. A
                bot without a version is all its versions.
            game: Only matches of this game.
            round: Only matches of this round, from 1.
            outcome: Only matches with this outcome for the bot: won (first alone), drawn (first with others) or lost.
            faults: Only matches with a fault.

        Raises:
            ConfigError: The outcome is unknown, or `bot` is missing.
        """
        bots = [bot] if isinstance(bot, str) else [*(bot or ())]
        check_name("game", game, self.games)
        run = RunFolder(self.path).with_bots(*bots)
        if outcome is not None and outcome not in get_args(MatchOutcome):
            raise ConfigError(f'outcome="{outcome}": {did_you_mean(outcome, get_args(MatchOutcome))}')
        if outcome is not None and not bots:
            raise ConfigError("outcome requires bot")
        search = MatchSearch(run, MatchFilter(bots, game, round, outcome, faults))
        return (summary(match, bots[0] if bots else None) for match in search)

    def decisions(
        self, *, game: str | None = None, encode: bool = False, hidden: bool = False,
        view: Literal["new", "full"] = "new",
    ) -> Decisions:  # fmt: skip
        """The decisions of all matches so far: each seat's view, legal actions and choice; see docs/data-formats.md.

        Args:
            game: Only decisions of this game.
            encode: Whether to add the encoded view and the mask of legal actions, as lists of numbers.
            hidden: Whether to add the other seats' views.
            view: "full" for all events in each view, "new" for those since the seat's last decision.

        Raises:
            ConfigError: Views cannot be encoded: they have several games or seat counts, or their game does not encode.
        """
        check_name("game", game, self.games)
        return Decisions(DecisionRows(RunFolder(self.path), game, encode, hidden, view=view))

    def replay(self, match: str) -> MatchReplay:
        """Rebuilds a match from its record, without the bots.

        Args:
            match: The match's name; leading zeros may be left out, as in `vole-1-0`.
        """
        run = RunFolder(self.path)
        (record,) = find_records(run, match)
        names, noted = run.plan.block_names(record.seats), of_match(self.path, record.match)
        return MatchReplay(record, names, run.tournament.replay_s, noted.by_decision())

    def verify(self) -> VerifiedRecords:
        """Replays every record and checks it.

        Raises:
            GameError: A game's code takes too long.
        """
        problems: list[str] = []
        held = 0
        tournament = RunFolder(self.path).tournament
        with closing(verifying.Verification(self.path, tournament)) as verification:
            examine = partial(verifying.here, verification)
            for line in filter(None, verifying.verified(self.path, schedule(tournament), examine)):
                if line.problem is None:
                    held += 1
                else:
                    problems.append(str(line))
        return VerifiedRecords(held, tuple(problems))

    def compare(self, new: str, old: str) -> "Comparison":
        """Compares two bots on the deals that both have played.

        Raises:
            RunError: The bots share no deal.
        """
        from tourney.review.comparison import compare_run  # noqa: PLC0415 - few programs need it

        return compare_run(RunFolder(self.path).with_bots(new, old), new, old)

    def alike(self) -> list[Likeness]:
        """How often each two bots decide alike where both see the same and have a choice, the most alike first.

        It looks at up to about 5,000 matches on common deals: the first ones, of a league the last.

        Raises:
            RunError: A match does not replay.
        """
        return run_likenesses(RunFolder(self.path))

    def report(self, out: str | PathLike[str] | None = None, *, matches: int | None = None) -> Path:
        """Writes an HTML report and returns its path.

        Args:
            out: The file; by default report.html in the run folder. For a folder, or a text ending in "/", it is the
                folder's index.html, with further pages for its bots and matches.
            matches: The number of matches to include; by default some tens in a page, and all in a folder.

        Raises:
            ConfigError: The extra is missing (pip install 'tourney-cards[report]'), or `out` is invalid.
            WriteError: The page cannot be written.
        """
        from tourney.report import match_page, writing  # noqa: PLC0415 - few programs need them

        writing.require_extra()
        target = Path(out) if out is not None else self.path / folder.REPORT
        if writing.is_folder(out):
            writing.write_folder([self.path], target, matches)
            return target / match_page.INDEX
        folder.make_parent(target)
        writing.write_page([self.path], target, matches)
        return target

    @with_keywords
    def analyse(
        self, bot: str | None = None, *, matches: Sequence[str] | None = None, playouts: int | None = None,
        overwrite: bool = False, folder: str | PathLike[str] | None = None, trust: bool = False,
        **keys: Unpack[Playing],
    ) -> "Analysis":  # fmt: skip
        """Estimates what each decision cost, by playouts in worker processes; see docs/debug-a-bot.md.

        Results are kept in the run folder, so later calls only analyse the rest. Ctrl-C raises a `KeyboardInterrupt`;
        the same call continues.

        Args:
            bot: Only decisions of this bot; of all its versions, if it is named without one.
            matches: Only these matches, by their names.
            playouts: The most playouts of an action; by default the same as before, or 100.
            overwrite: Whether to delete earlier results.
            folder: The tournament file's folder, for bots in files; by default the working folder or one above the run.
            trust: Whether to run the bot files of a run that you did not play on this machine.

        Raises:
            RunError: The run was analysed with different settings before, or is untrusted.
            PluginError: The bots were not found.
            ConfigError: And all other errors of `tourney.run`.
        """
        # few programs need them
        from tourney._api.analyses import Analysis  # noqa: PLC0415
        from tourney._api.interrupts import LIBRARY  # noqa: PLC0415
        from tourney.review.analysis.job import AnalysisOrder, AnalysisPlan  # noqa: PLC0415
        from tourney.runner.run import lead  # noqa: PLC0415
        from tourney.runner.workers import Workers  # noqa: PLC0415

        if playouts is not None and not 4 <= playouts <= 100_000:
            raise ConfigError(f"playouts: must be between 4 and 100000, got {playouts}")
        run = RunFolder(self.path)
        bots = [] if bot is None else run.versions(bot)
        tournament = config.with_classes(run.tournament, self._classes)
        where = None if folder is None else Path(fspath(folder))
        chosen = None if matches is None else find_records(run, *matches)

        def require_trust(code: Sequence[str]) -> None:
            if not trust:
                raise RunError(
                    f"{self.path}: untrusted run, which would execute {', '.join(code[:3])}; review it, "
                    "then use trust=True"
                )

        order = AnalysisOrder(run, tournament, bots, chosen, playouts, overwrite, where, require_trust)

        progress, plan = keys.get("progress"), AnalysisPlan(order)
        with Workers(LIBRARY, keys.get("workers")) as playing:
            for far in lead(plan, playing, "the same call continues"):
                if progress is not None and far.total:
                    progress(RunProgress(far.matches, far.total))
        return Analysis(plan.analysed(), bots)


def load(path: str | PathLike[str]) -> Run:
    """Opens a run folder.

    Args:
        path: The folder, or the name of a run under results/.

    Raises:
        RunError: The run was not found, or its manifest is damaged.
        ConfigError: The tournament in its manifest is damaged.
        PluginError: Its format or one of its games is not installed.
    """
    return Run(folder.find_run(fspath(path)))
