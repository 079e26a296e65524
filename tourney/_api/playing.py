"""Plays tournaments and gates from a Python program."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

import msgspec

from tourney._api.arguments import Duel, Kept, with_keywords
from tourney._api.configuration import BotGiven, ConfigGiven, bot_table, read_config
from tourney._api.interrupts import play
from tourney._api.runs import Run
from tourney.base.errors import ConfigError
from tourney.config import writing
from tourney.journal import folder
from tourney.plugins.bot_classes import PickledBot
from tourney.runner import gate as gates
from tourney.runner import run as runs
from tourney.runner.run import RunPlan
from tourney.standings.gate import Verdict, headline


@with_keywords
def run(
    config: ConfigGiven,
    *,
    extend: str | PathLike[str] | Run | None = None,
    replace: Sequence[str] = (),
    drop: Sequence[str] = (),
    force: bool = False,
    **keys: Unpack[Kept],
) -> Run:
    """Plays a tournament in worker processes, and returns the finished run.

    Ctrl-C raises a `KeyboardInterrupt`, and leaves a run that `resume` continues. So does what `progress` raises.

    Args:
        config: The keys of a tournament file, or the path of one. In `bots`, and as `use` in a table of `bot`, there
            may also be classes. Paths in it are relative to the working folder, or to the file.
        extend: A run, its folder, or its name under results/, whose matches are copied instead of played again: the
            same tournament with fewer bots or deals. More bots play the deals of that run; more deals are new ones,
            which its seed does not tell.
        replace: Names of bots; only the matches of `extend` in which they sat are played again, with the new bots. By
            default it is the run under results/ that is called after the tournament, or its newest correction, and
            `out` is a new folder beside it.
        drop: Names of bots whose matches of `extend` are left out, as with `replace`.
        force: Whether to continue although the configuration, games or bots have changed.

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
    out = Path(given) if (given := keys.get("out")) is not None else None
    asked = None if isinstance(config, Mapping) else file
    plan = RunPlan.of(tournament, text, out, start_of(keys), force, extended, replace, drop, asked)
    plan.examine(file)
    play(plan, keys)
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
    elo: float | None
    """How much stronger the new bot is; None if that is unknown, after a single deal or a fault."""
    elo_low: float | None
    elo_high: float | None
    """The ends of the 95 % interval of `elo`; None if they are unknown."""
    worst: tuple[str, ...]
    """The matches in which the new bot did worst on the deals that it lost, the worst first."""
    details: dict[str, Any]
    """All that gate.json in the run's folder says, and `time` if the new bot surely takes longer for a decision."""
    run: Run

    @property
    def passed(self) -> bool:
        """Whether the new bot has passed."""
        return self.verdict == "passed"

    def __str__(self) -> str:
        return self.summary


@with_keywords
def gate(
    new: BotGiven,
    *,
    against: BotGiven,
    stronger: bool = False,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_deals: int = 5000,
    allow_faults: int = 0,
    allow_old_faults: bool = False,
    max_slower: float | None = None,
    **keys: Unpack[Duel],
) -> GateResult:
    """Tests whether a new bot is weaker than an old one, and stops as soon as the evidence is sufficient.

    Ctrl-C raises a `KeyboardInterrupt`, and leaves a gate that `resume` continues.

    Args:
        new: The new bot: a plugin's name, FILE.py:NAME, a class, or a dictionary of the keys of a `[[bot]]` table.
        against: The old bot.
        stronger: Whether it passes only if it is stronger.
        elo0: The strength against the old bot at which it fails; by default -25, with `stronger` 0.
        elo1: The strength at which it passes; by default 0, with `stronger` 25.
        alpha: The risk that it passes at `elo0`.
        beta: The risk that it fails at `elo1`.
        max_deals: After how many deals the gate stops undecided.
        allow_faults: How many faults the new bot may make.
        allow_old_faults: Whether it may pass although the others made faults in more than a tenth of their matches.
        max_slower: How many times as long as the old bot it may take for a decision; it fails if it surely takes more.

    Raises:
        ConfigError: An argument, a game or a bot is refused.
        PluginError: There is no such game, or a class cannot be sent to workers.
        RunError: And all other errors, as `tourney.run`.
    """
    settings = gates.settings(
        stronger=stronger, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, max_deals=max_deals,
        allow_faults=allow_faults, allow_old_faults=allow_old_faults,
        max_slower=max_slower,
    )  # fmt: skip
    plan = gates.GatePlan(mirror("gate", new, against, max_deals, keys), settings, start_of(keys))
    play(plan, keys)
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


def start_of(keys: Kept) -> runs.Start:
    """How the run in the folder begins."""
    return runs.start_of(keys.get("resume", False), keys.get("overwrite", False))


def mirror(kind: str, new: BotGiven, old: BotGiven, deals: int, keys: Duel) -> writing.PlannedMirror:
    """The mirror of two bots, among the others of the field; its run's name begins with `kind`."""
    games, out = keys["games"], keys.get("out")
    if isinstance(games, str) or not games:
        raise ConfigError('games: give a list of one game or more, as in games=["vole"]')
    tables = [writing.game_table(game) if isinstance(game, str) else dict(game) for game in games]
    uses: list[str] = []
    known: dict[str, writing.Table] = {}
    pickled_bots: list[PickledBot | None] = []
    for number, bot in enumerate([new, old, *keys.get("field", ())]):
        classes: dict[str, PickledBot] = {}
        uses.append(bot if isinstance(bot, str) else f"{number}")
        if not isinstance(bot, str):
            known[uses[-1]] = bot_table(bot, classes)
        pickled_bots.append(next(iter(classes.values()), None))
    named = writing.bot_tables(uses, known, keys.get("host"))
    pickled = {bot["name"]: its for bot, its in zip(named, pickled_bots, strict=True) if its is not None}
    limits, path = dict(keys.get("limits") or {}), None if out is None else Path(out)
    return writing.PlannedMirror.of_tables(kind, named, tables, limits, keys.get("seed", kind), deals, path, pickled)
