"""How often the machine was late when a bot's time was up, and whether that is lost, in words."""

from contextlib import suppress
from typing import TYPE_CHECKING

from tourney.cli.screen import echo, width
from tourney.errors import RunError

if TYPE_CHECKING:
    from pathlib import Path

    from tourney.config import Tournament
    from tourney.journal.times import Times

MOST_SHARE = 0.01
"""How often matches may be played again, as a share of the matches, on a machine that is quick enough."""


def line(times: "Times") -> str:
    """Returns how often, as a line below the standings; empty for never."""
    again = times.played_again
    if not again and not times.late_timeouts:
        return ""
    return f"Late machine: {_times_one(again)} a match was played again; {_charged(times.late_timeouts)}."


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


def say_too_busy(run: "Path", tournament: "Tournament", matches: int) -> None:
    """Says on stderr that the machine was too busy for the limits of time of a run, if it is known that it was."""
    from tourney.cli.render.text import wrapped
    from tourney.journal.times import load

    times = None
    with suppress(RunError):
        times = load(run) if tournament.bounds_time else None
    if times is None or (not times.late_timeouts and times.played_again <= MOST_SHARE * matches):
        return
    again = "1" if times.played_again == 1 else f"{_times_one(times.played_again)} one"
    text = (
        f"{again} of {matches} matches was played again, as the machine was too busy for its limits of time; "
        f"{_charged(times.late_timeouts)}; play with fewer --workers and with nothing else running, or limit processor "
        'time instead (cpu_ms or cpu, host = "process")'
    )
    echo(*wrapped(text, "  ", width()), err=True)


def _times_one(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _charged(timeouts: int) -> str:
    """Returns how many timeouts were charged although the machine was late."""
    if not timeouts:
        return "no timeout was charged for it"
    return f"{timeouts} timeout{' was' if timeouts == 1 else 's were'} charged all the same"
