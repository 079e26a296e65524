"""The warning that timeouts were charged while the machine was overloaded."""

from typing import TYPE_CHECKING

from tourney.cli.screen import echo, width

if TYPE_CHECKING:
    from pathlib import Path


def warn_of_overload(run: "Path") -> None:
    """Warns on stderr if bots of a run were charged with timeouts while the machine was overloaded."""
    from tourney.cli.render.text import wrapped
    from tourney.journal.times import load

    times = load(run)
    if times is None or not times.late_timeouts:
        return
    timeouts = "1 timeout was" if times.late_timeouts == 1 else f"{times.late_timeouts} timeouts were"
    text = (
        f"{timeouts} charged while the machine was overloaded; use fewer --workers, stop other programs, or limit "
        'processor time instead (cpu_ms or cpu, with host = "process")'
    )
    echo(*wrapped(text, "  ", width()), err=True)
