"""Plays tournaments and gates from a Python program."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import msgspec

from tourney._api.caller import RunProgress, play
from tourney._api.configuration import BotGiven, ConfigGiven, bot_table, read_config
from tourney._api.runs import Run
from tourney.base.errors import ConfigError
from tourney.config import gate_file
from tourney.journal import folder
from tourney.plugins.bot_classes import PickledBot
from tourney.runner import gate as gates
from tourney.runner.run import RunPlan, start_of
from tourney.standings.gate import Verdict, headline


def run(
    config: ConfigGiven,
    *,
    out: str | PathLike[str] | None = None,
    extend: str | PathLike[str] | Run | None = None,
    replace: Sequence[str] = (),
    drop: Sequence[str] = (),
    workers: int | None = None,
    cluster: str | None = None,
    resume: bool = False,
    force: bool = False,
    overwrite: bool = False,
    oversubscribe: bool = False,
    progress: Callable[[RunProgress], object] | None = None,
) -> Run:
    """Plays a tournament in worker processes, and returns the finished run.

    Ctrl-C raises a `KeyboardInterrupt`, and leaves a run that `resume` continues. So does what `progress` raises.

    Args:
        config: The keys of a tournament file, or the path of one. In `bots`, and as `use` in a table of `bot`, there
            may also be classes. Paths in it are relative to the working folder, or to the file.
        out: The folder of the run; by default one under results/ that is called after the tournament.
        extend: A run, its folder, or its name under results/, whose matches are copied instead of played again: the
            same tournament with fewer bots or deals. More bots play the deals of that run; more deals are new ones,
            which its seed does not tell.
        replace: Names of bots; only the matches of `extend` in which they sat are played again, with the new bots. By
            default it is the run under results/ that is called after the tournament, or its newest correction, and
            `out` is a new folder beside it.
        drop: Names of bots whose matches of `extend` are left out, as with `replace`.
        workers: The number of worker processes; by default one for each processor.
        cluster: The scheduler whose workers play instead: tcp://HOST:PORT, tls://HOST:PORT, or local:N to start one
            with N workers here. It needs the extra: pip install 'tourney-cards[cluster]'.
        resume: Whether to continue the run in the folder.
        force: Whether to continue although the configuration, games or bots have changed.
        overwrite: Whether to replace the run in the folder.
        oversubscribe: Whether there may be more workers than processors although time is limited.
        progress: Called several times a second.

    Raises:
        ConfigError: The configuration is refused; also where an argument is.
        PluginError: A class cannot be sent to workers.
        RunError: The folder cannot be used: it holds something, or the run in it was begun differently; `extend` is no
            run, or one that cannot be extended; the run cannot be corrected; or the workers of the cluster do not have
            the same code.
        GameError: The code of a game fails, or a match does not end.
        ClusterLostError: The cluster is gone, or has no workers.
        TooManyFaultsError: More matches had faults than the configuration allows.
        CostLimitError: The run has cost as much as the configuration allows.
        WriteError: The folder cannot be written.
        SystemLimitError: The system allows no more processes or open files.
    """
    tournament, text, file = read_config(config)
    extended = extend.path if isinstance(extend, Run) else None if extend is None else folder.find_run(fspath(extend))
    start, path = start_of(resume, overwrite), None if out is None else Path(out)
    plan = RunPlan.of(tournament, text, path, start, force, extended, replace, drop)
    plan.examine(file)
    play(plan, workers, cluster, oversubscribe, progress)
    return Run(plan.path, plan.tournament)


class GateResult(msgspec.Struct, frozen=True):
    """The verdict of a gate, with the figures that it rests on; strengths are in Elo points."""

    verdict: Verdict
    """`passed`, `failed`, `undecided` where the deals ran out, or `invalid` where the others made too many faults."""
    summary: str
    new: str
    """The name of the new bot in the run."""
    old: str
    deals: int
    matches: int
    score: float
    """The mean score of the new bot, from 0 to 1; equals score 1/2."""
    elo: float
    """How much stronger the new bot is."""
    elo_low: float | None
    elo_high: float | None
    """The ends of the 95 % interval of `elo`; None if they are unknown."""
    worst: tuple[str, ...]
    """The matches in which the new bot did worst on the deals that it lost, the worst first."""
    details: dict[str, Any]
    """All that gate.json in the run's folder says."""
    run: Run

    @property
    def passed(self) -> bool:
        """Whether the new bot has passed."""
        return self.verdict == "passed"

    def __str__(self) -> str:
        return self.summary


def gate(
    new: BotGiven,
    *,
    against: BotGiven,
    games: Sequence[str | Mapping[str, Any]],
    field: Sequence[BotGiven] = (),
    stronger: bool = False,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_deals: int = 5000,
    allow_faults: int = 0,
    allow_old_faults: bool = False,
    limits: Mapping[str, Any] | None = None,
    seed: int | str = "gate",
    inline: bool = False,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    oversubscribe: bool = False,
    progress: Callable[[RunProgress], object] | None = None,
) -> GateResult:
    """Tests whether a new bot is weaker than an old one, and stops as soon as the evidence is sufficient.

    Ctrl-C raises a `KeyboardInterrupt`, and leaves a gate that `resume` continues.

    Args:
        new: The new bot: a plugin's name, FILE.py:NAME, a class, or a dictionary of the keys of a `[[bot]]` table.
        against: The old bot.
        games: The games: NAME, NAME:SEATS, or dictionaries of the keys of a `[[game]]` table.
        field: The bots that both meet instead of each other.
        stronger: Whether it passes only if it is stronger.
        elo0: The strength against the old bot at which it fails; by default -25, with `stronger` 0.
        elo1: The strength at which it passes; by default 0, with `stronger` 25.
        alpha: The risk that it passes at `elo0`.
        beta: The risk that it fails at `elo1`.
        max_deals: After how many deals the gate stops undecided.
        allow_faults: How many faults the new bot may make.
        allow_old_faults: Whether it may pass although the others made faults in more than a tenth of their matches.
        limits: The keys of a `[limits]` table.
        seed: The seed of the deals.
        inline: Whether bots in files run in the workers: faster, but versions may mix.
        out: The folder of the run; by default one under results/ that is called after the bots.
        resume: Whether to continue the gate in the folder.
        overwrite: Whether to replace the gate in the folder.
        workers: The number of worker processes; by default one for each processor.
        cluster: The workers of a cluster that play instead, as for `tourney.run`.
        oversubscribe: Whether there may be more workers than processors although time is limited.
        progress: Called several times a second.

    Raises:
        ConfigError: An argument, a game or a bot is refused.
        PluginError: There is no such game, or a class cannot be sent to workers.
        RunError: The folder cannot be used: it holds something, or the gate in it was begun differently; or the
            workers of the cluster do not have the same code.
        GameError: The code of a game fails, or a match does not end.
        ClusterLostError: The cluster is gone, or has no workers.
        TooManyFaultsError: More matches had faults than the limits allow.
        CostLimitError: The gate has cost as much as the limits allow.
        WriteError: The folder cannot be written.
        SystemLimitError: The system allows no more processes or open files.
    """
    low, high = gates.strengths(stronger, elo0, elo1)
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ConfigError(f"alpha={alpha}, beta={beta}: must be above 0 and below 0.5")
    if max_deals < 1 or allow_faults < 0:
        raise ConfigError(f"max_deals={max_deals}, allow_faults={allow_faults}: must be at least 1 deal and 0 faults")
    settings = gates.Settings(low, high, alpha, beta, max_deals, allow_faults, allow_old_faults)
    asked = mirror("gate", [new, against, *field], games, limits, seed, max_deals, inline, out)
    plan = gates.GatePlan(asked, settings, start_of(resume, overwrite))
    play(plan, workers, cluster, oversubscribe, progress)
    comparison = plan.comparison
    return GateResult(
        verdict=comparison.verdict or "undecided",
        summary=headline(comparison),
        new=comparison.new,
        old=comparison.old,
        deals=comparison.deals,
        matches=comparison.matches,
        **plan.verdict["all"],
        worst=tuple([loss.match for loss in comparison.worst]),
        details=plan.verdict,
        run=Run(plan.path, plan.tournament),
    )


def mirror(
    kind: str,
    bots: Sequence[BotGiven],
    games: Sequence[str | Mapping[str, Any]],
    limits: Mapping[str, Any] | None,
    seed: int | str,
    deals: int,
    inline: bool,
    out: str | PathLike[str] | None,
) -> gate_file.MirrorFile:
    """The mirror of the first two bots, among the others; its run's name begins with `kind`."""
    if isinstance(games, str) or not games:
        raise ConfigError('games: give a list of one game or more, as in games=["vole"]')
    tables = [gate_file.game_table(game) if isinstance(game, str) else dict(game) for game in games]
    uses: list[str] = []
    known: dict[str, gate_file.Table] = {}
    found: list[PickledBot | None] = []
    for number, bot in enumerate(bots):
        classes: dict[str, PickledBot] = {}
        uses.append(bot if isinstance(bot, str) else f"{number}")
        if not isinstance(bot, str):
            known[uses[-1]] = bot_table(bot, classes)
        found.append(next(iter(classes.values()), None))
    named = gate_file.bot_tables(uses, known, inline)
    pickled = {bot["name"]: its for bot, its in zip(named, found, strict=True) if its is not None}
    path = Path(out) if out is not None else None
    return gate_file.MirrorFile.of_tables(kind, named, tables, dict(limits or {}), seed, deals, path, pickled)
