"""Writes a run's report, which requires the extra `report`."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tourney.base.errors import ConfigError, RunError
from tourney.journal import folder
from tourney.report.match_page import INDEX
from tourney.runner.live_page import BESIDE_S, ReportProcess, keep_fresh

if TYPE_CHECKING:
    from tourney.report.run_data import RunData

NEEDED = ("altair", "jinja2", "vl_convert")
"""The modules of the extra `report`."""


def require_extra() -> None:
    """Raises a `ConfigError` if packages for reports are missing."""
    missing = [name.replace("_", "-") for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"a report requires {', '.join(missing)}; install it with: pip install 'tourney-cards[report]'"
        )


def is_folder(out: str | PathLike[str] | None) -> bool:
    """Whether a path means a folder: it exists as one, or ends in a slash."""
    return out is not None and (os.fspath(out).endswith("/") or Path(out).is_dir())


def write_page(
    runs: Sequence[Path],
    target: Path,
    most: int | None,
    refresh_s: float | None = None,
    with_seed: bool = False,
    served: bool = False,
) -> "RunData":
    """Reads a run, or several to rank together, and writes the page; returns the data.

    `with_seed` shows the seed of a single run, unless it is secret. A `served` page links to matches on the server,
    and updates itself on the server's events.
    """
    from tourney.report.page import embed, linked, report_page  # noqa: PLC0415 - it needs the extra

    data = _read(runs, with_seed)
    page = report_page(data, linked(data) if served else embed(data, most), refresh_s, with_seed)
    _write(target, page.encode(), in_run=target in [run / folder.REPORT for run in runs])
    return data


def write_beside(run: str, target: str, most: int | None, pause_s: float, served: bool = False) -> None:
    """Keeps rewriting a run's page while it is played; without a pause, writes it once."""

    def write(refresh_s: float | None) -> None:
        write_page([Path(run)], Path(target), most, refresh_s, served=served)

    if pause_s:
        keep_fresh(write, pause_s)
    else:
        write(None)


@contextmanager
def fresh_page(run: Path, target: Path, most: int | None = None, pause_s: float = BESIDE_S) -> Iterator[None]:
    """Context in which a run's page is kept up to date; its end writes the last page."""
    writer = ReportProcess(write_beside, str(run), str(target), most, pause_s)
    try:
        yield
    finally:
        writer.stop()


def write_folder(
    runs: Sequence[Path], target: Path, most: int | None, with_seed: bool = False, url: str = ""
) -> "RunData":
    """Like `write_page`, but writes a folder for `url`: the report, and pages of its bots and matches."""
    from tourney.report import page  # noqa: PLC0415 - it needs the extra
    from tourney.report.charts import picture_file, ratings_picture  # noqa: PLC0415

    data = _read(runs, with_seed)
    for name in ("matches", "bots"):
        folder.make(target / name)
    opening, site = [], url and url.rstrip("/") + "/"
    for name, text in page.match_pages(data, most, site):
        _write(target / page.match_file(name), text.encode())
        opening.append(name)
    pages = page.Embedded(dict.fromkeys(opening), bots=data.tournament.names, url=site)
    for name in data.tournament.names:
        _write(target / page.bot_file(name, pages.bots), page.bot_page(data, name, pages).encode())
    if picture := ratings_picture(data.rows):
        _write(target / page.PICTURE, picture_file(picture, "png"))
    _write(target / INDEX, page.report_page(data, pages, with_seed=with_seed).encode())
    return data


def _read(runs: Sequence[Path], with_seed: bool) -> "RunData":
    from tourney.report.run_data import read_runs  # noqa: PLC0415

    data = read_runs(runs)
    if with_seed and (why := data.runs[0].why_secret()):
        raise RunError(f"{runs[0]}: {why}; write the page without the seed")
    return data


def _write(target: Path, text: bytes, in_run: bool = False) -> None:
    with folder.output(target, in_run=in_run) as file:
        file.write(text)
