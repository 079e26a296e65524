"""Writes the page of a run, if the extra that it is made with is installed."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tourney.base.errors import ConfigError, RunError
from tourney.journal import folder

if TYPE_CHECKING:
    from tourney.report.run_data import RunData

NEEDED = ("altair", "jinja2", "vl_convert")
"""The packages of the extra `report`, as they are imported."""


def require_extra() -> None:
    """Refuses to make a report without the packages that it is made with."""
    missing = [name.replace("_", "-") for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(f"a report needs {', '.join(missing)}; install it by: pip install 'tourney-cards[report]'")


def write_page(
    runs: Sequence[Path], target: Path, most: int | None, refresh_s: float | None = None, with_seed: bool = False
) -> "RunData":
    """Reads a run, or several to be ranked together, and writes the page; returns what was read.

    The page of one run tells the seed if it is wanted and no secret.
    """
    from tourney.report.page import embed, report_page  # noqa: PLC0415 - it needs the extra
    from tourney.report.run_data import read_runs  # noqa: PLC0415

    data = read_runs(runs)
    if with_seed and (why := folder.why_secret(runs[0], data.tournament)):
        raise RunError(f"{runs[0]}: {why}; write the page without the seed")
    page = report_page(data, embed(data, most), refresh_s, with_seed)
    with folder.output(target, in_run=target in [run / folder.REPORT for run in runs]) as file:
        file.write(page.encode())
    return data
