"""Plays a tournament from a Python program."""

from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path

from tourney._api.caller import LIBRARY, RESUME, RunProgress
from tourney._api.configuration import ConfigGiven, read_config
from tourney._api.runs import Run
from tourney.journal import folder
from tourney.runner import run as runner
from tourney.runner.workers import Workers


def run(
    config: ConfigGiven,
    *,
    out: str | PathLike[str] | None = None,
    extend: str | PathLike[str] | Run | None = None,
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
            same tournament with fewer bots or deals. The new run ends with the same bytes as one without.
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
            run, or one that cannot be extended; or the workers of the cluster do not have the same code.
        GameError: The code of a game fails, or a match does not end.
        ClusterLostError: The cluster is gone, or has no workers.
        TooManyFaultsError: More matches had faults than the configuration allows.
        WriteError: The folder cannot be written.
        SystemLimitError: The system allows no more processes or open files.
    """
    start = runner.start_of(resume, overwrite)

    def report(now: runner.Progress) -> None:
        if progress is not None:
            progress(RunProgress(now.matches, now.schedule.most_matches))

    with Workers(LIBRARY, workers, cluster, oversubscribe) as playing:
        tournament, text = read_config(config)
        playing.choose(tournament)
        path = Path(out) if out is not None else Path("results") / tournament.name
        earlier = None
        if extend is not None:
            earlier = extend.path if isinstance(extend, Run) else folder.find_run(fspath(extend))
        order = runner.RunOrder(tournament, text, path, start, force, earlier)
        runner.lead(order, playing, LIBRARY, RESUME, lambda _: report)
    return Run(path, tournament)
