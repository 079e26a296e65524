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
    config: ConfigGiven, *, extend: str | PathLike[str] | Run | None = None, replace: Sequence[str] = (),
    drop: Sequence[str] = (), again: Sequence[str] = (), why: str = "", force: bool = False, **keys: Unpack[Kept],
) -> Run:  # fmt: skip
    """Plays a tournament in worker processes, and returns the finished run.

    Ctrl-C raises a `KeyboardInterrupt`; `resume` continues the run, also after an exception from `progress`.

    Args:
        config: The keys of a tournament file, or its path. `bots`, and `use` in a table of `bot`, also accept classes.
            Paths in it are relative to the working folder, or to the file.
        extend: A run, its folder, or its name under results/, of the same tournament with fewer bots or deals; its
            matches are copied instead of played again. Added bots play that run's deals; added deals are new ones,
            which the seed does not predict.
        replace: Names of bots; only their matches of `extend` are played again, with the new bots. `extend` defaults to
            the run under results/ named after the tournament, or its newest correction, and `out` to a new folder next
            to it.
        drop: Names of bots whose matches of `extend` are left out, as with `replace`.
        again: Names of matches, or "timeouts" for all with one, whose blocks of `extend` are played again on fresh
            deals, as with `replace`.
        why: Why they are played again, for the page.
        force: Whether to continue although the configuration, games or bots have changed.

    Raises:
        ConfigError: The configuration or an argument is invalid.
        PluginError: A class cannot be sent to workers.
        RunError: The folder is not empty, or its run was created with different settings; `extend` is not a run, or
            cannot be extended; the run cannot be corrected; or the cluster's workers have different code.
        GameError: A game raised an exception or did not end.
        ClusterLostError: Lost the connection to the cluster, or it has no workers.
        TooManyFaultsError: More matches had faults than the configuration allows.
        CostLimitError: The run reached `max_cost`.
        WriteError: The folder cannot be written.
        SystemLimitError: The system allows no more processes or open files.
    """
    tournament, text, file = read_config(config)
    extended = extend.path if isinstance(extend, Run) else None if extend is None else folder.find_run(fspath(extend))
    out = Path(given) if (given := keys.get("out")) is not None else None
    asked = None if isinstance(config, Mapping) else file
    plan = RunPlan.of(tournament, text, out, start_of(keys), force, extended, replace, drop, asked, again, why)
    plan.examine(file)
    play(plan, keys)
    return Run(plan.path, plan.tournament)


class GateResult(msgspec.Struct, frozen=True):
    """A gate's verdict and statistics; strengths are in Elo."""

    verdict: Verdict
    """`passed`, `failed`, `undecided` if the deals ran out, or `invalid` if the others made too many faults."""
    summary: str
    new: str
    """The new bot's name in the run."""
    old: str
    deals: int
    matches: int
    score: float
    """The new bot's mean score, from 0 to 1; equal bots score 1/2."""
    elo: float | None
    """How much stronger the new bot is; None if unknown, after a single deal or a fault."""
    elo_low: float | None
    elo_high: float | None
    """The 95 % interval of `elo`; None if unknown."""
    worst: tuple[str, ...]
    """The new bot's worst matches on the deals that it lost, worst first."""
    details: dict[str, Any]
    """The content of gate.json in the run folder, and `time`, null unless the new bot surely takes longer."""
    run: Run

    @property
    def passed(self) -> bool:
        """Whether the new bot passed."""
        return self.verdict == "passed"

    def __str__(self) -> str:
        return self.summary


@with_keywords
def gate(
    new: BotGiven, *, against: BotGiven, stronger: bool = False, elo0: float | None = None, elo1: float | None = None,
    alpha: float = 0.05, beta: float = 0.05, max_deals: int = 5000, allow_faults: int = 0,
    allow_old_faults: bool = False, max_slower: float | None = None, **keys: Unpack[Duel],
) -> GateResult:  # fmt: skip
    """Runs a sequential test of whether a new bot is weaker than an old one.

    Ctrl-C raises a `KeyboardInterrupt`; `resume` continues the gate.

    Args:
        new: The new bot: a plugin's name, FILE.py:NAME, a class, or a dictionary of the keys of a `[[bot]]` table.
        against: The old bot.
        stronger: Whether it must be stronger to pass.
        elo0: The strength against the old bot at which it fails; by default -25, with `stronger` 0.
        elo1: The strength at which it passes; by default 0, with `stronger` 25.
        alpha: The risk of passing at `elo0`.
        beta: The risk of failing at `elo1`.
        max_deals: The number of deals after which the gate stops undecided.
        allow_faults: The number of faults that the new bot may make.
        allow_old_faults: Whether it may pass although the others made faults in more than a tenth of their matches.
        max_slower: How many times as long as the old bot it may take for a decision; it fails if it surely takes more.

    Raises:
        ConfigError: An argument, a game or a bot is invalid.
        PluginError: A game was not found, or a class cannot be sent to workers.
        RunError: And all other errors of `tourney.run`.
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
    return runs.start_of(keys.get("resume", False), keys.get("overwrite", False))


def mirror(kind: str, new: BotGiven, old: BotGiven, deals: int, keys: Duel) -> writing.PlannedMirror:
    """The mirror of two bots, with optional opponents; `kind` is the prefix of its run's name."""
    games, out = keys["games"], keys.get("out")
    if isinstance(games, str) or not games:
        raise ConfigError('games: expected a non-empty list, for example games=["vole"]')
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
