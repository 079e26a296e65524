"""How often the machine was late when a bot's time was up, and whether that is lost, in words."""

from contextlib import suppress
from typing import TYPE_CHECKING

from tourney.cli.screen import echo
from tourney.errors import RunError

if TYPE_CHECKING:
    from pathlib import Path

    from tourney.config import Tournament
    from tourney.journal.times import Times

MOST_SHARE = 0.01
"""How often matches may be played again, as a share of the matches, on a machine that is quick enough."""


def line(times: "Times") -> str:
    """Returns how often, as a line below the standings; empty for never."""
    return f"Late machine: {_counts(times)}." if times.played_again or times.late_timeouts else ""


def say_lost(run: "Path", resumed: bool) -> None:
    """Says on stderr that what a run that is resumed has counted of its time so far is lost, if it is."""
    from tourney.journal.folder import JOURNAL
    from tourney.journal.times import ANEW, TIMES, load

    if not resumed:
        return
    try:
        if load(run) is None and (run / JOURNAL).stat().st_size:
            echo(f"{run / TIMES}: is not there; {ANEW}", err=True)
    except RunError as error:
        echo(str(error), err=True)


def warning(run: "Path", tournament: "Tournament", matches: int) -> str:
    """Returns that the machine was too busy for the limits of time of a run; empty if it was not, or is not known."""
    from tourney.journal.times import load

    times = None
    with suppress(RunError):
        times = load(run) if tournament.bounds_time else None
    if times is None:
        return ""
    if not times.late_timeouts and times.played_again <= MOST_SHARE * matches:
        return ""
    return (
        f"the machine was too busy for the limits of time, in {matches} matches: {_counts(times)}; play with fewer "
        '--workers and with nothing else running, or limit processor time instead (cpu_ms or cpu, host = "process")'
    )


def _counts(times: "Times") -> str:
    again, late = times.played_again, times.late_timeouts
    return (
        f"matches were played again {'once' if again == 1 else f'{again} times'}, "
        f"and {late} {'timeout was' if late == 1 else 'timeouts were'} charged all the same"
    )
