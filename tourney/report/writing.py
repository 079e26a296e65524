"""Writes a run's report, which requires the extra `report`."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tourney.base.errors import ConfigError, RunError
from tourney.contracts.game import Game
from tourney.journal import folder
from tourney.journal.run import RunFolder
from tourney.journal.told import Fact
from tourney.report.match_page import INDEX, shared_viewer
from tourney.runner.live_page import BESIDE_S, ReportProcess, keep_fresh

if TYPE_CHECKING:
    from tourney.report.run_data import RunData

NEEDED = {"report": ("altair", "jinja2"), "pictures": ("altair", "jinja2", "vl_convert")}
"""The modules of each extra for reports."""


def missing(extra: Literal["report", "pictures"]) -> list[str]:
    """The packages of an extra that are not installed."""
    return [name.replace("_", "-") for name in NEEDED[extra] if find_spec(name) is None]


def require_extra(extra: Literal["report", "pictures"] = "report") -> None:
    """Raises a `ConfigError` if packages of the extra are missing."""
    if names := missing(extra):
        what = "a report requires" if extra == "report" else "pictures require"
        raise ConfigError(f"{what} {', '.join(names)}; install it with: pip install 'tourney-cards[{extra}]'")


def is_folder(out: str | PathLike[str] | None) -> bool:
    """Whether a path means a folder: it exists as one, or ends in a slash."""
    return out is not None and (os.fspath(out).endswith("/") or Path(out).is_dir())


class Shown(NamedTuple):
    """The organiser's choice of what to show."""

    with_seed: bool = False
    """Whether to show the seed, once it is no longer secret."""
    with_notes: bool = False
    """Whether to show the bots' notes, likewise."""
    at: str | None = None
    """The moment of a league, see `RunFolder.at`."""
    last_round: int | None = None
    """The last round."""
    what_if: bool = False
    """Whether to include the branches of analysed matches."""

    def read(self, runs: Sequence[Path]) -> "RunData":
        """Reads a run, or several to be ranked together; raises a `RunError` if a wanted part is secret or missing."""
        from tourney.report.run_data import read_runs  # noqa: PLC0415 - it needs the extra

        wanted: dict[Fact, bool] = {"seeds": self.with_seed, "notes": self.with_notes}
        data = read_runs(list(map(self.of, runs)), [fact for fact, is_wanted in wanted.items() if is_wanted])
        if self.what_if and not any([cost.branch for each in data.match_analyses.values() for cost in each.decisions]):
            raise RunError(f"{runs[0]}: has no branches to show; analyse it first, or again with overwrite")
        return replace(data, with_branches=self.what_if)

    def of(self, path: Path) -> RunFolder:
        """The run in a folder, as it was then."""
        run = RunFolder(path)
        if self.at is not None:
            return run.at(self.at)
        return run if self.last_round is None else run.after_round(self.last_round)


ALL = Shown()


def write_page(
    runs: Sequence[Path], target: Path, most: int | None, refresh_s: float | None = None, shown: Shown = ALL,
    served: bool = False,
) -> "RunData":  # fmt: skip
    """Reads a run, or several to rank together, and writes the page; returns the data.

    A `served` page links to matches on the server, and updates itself on the server's events.
    """
    from tourney.report.page import embed, linked, report_page  # noqa: PLC0415 - it needs the extra

    data = shown.read(runs)
    page = report_page(data, linked(data) if served else embed(data, most), refresh_s)
    _write(target, page.encode(), in_run=target in [run / folder.REPORT for run in runs])
    return data


def write_beside(
    run: str, target: str, most: int | None, pause_s: float, shown: Sequence[Any] = ALL, served: bool = False
) -> None:
    """Keeps rewriting a run's page while it is played; without a pause, writes it once."""

    def write(refresh_s: float | None) -> None:
        write_page([Path(run)], Path(target), most, refresh_s, Shown(*shown), served)

    if pause_s:
        keep_fresh(write, pause_s)
    else:
        write(None)


@contextmanager
def fresh_page(
    run: Path, target: Path, most: int | None = None, pause_s: float = BESIDE_S, shown: Shown = ALL
) -> Iterator[None]:
    """Context in which a run's page is kept up to date; its end writes the last page."""
    writer = ReportProcess(write_beside, str(run), str(target), most, pause_s, tuple(shown))
    try:
        yield
    finally:
        writer.stop()


def write_folder(runs: Sequence[Path], target: Path, most: int | None, shown: Shown = ALL, url: str = "") -> "RunData":
    """Like `write_page`, but writes a folder for `url`: the report, and pages of its bots and matches.

    With the extra `pictures`, link previews show a picture.
    """
    from tourney.report import page  # noqa: PLC0415 - it needs the extra
    from tourney.report.charts import picture_file, ratings_picture  # noqa: PLC0415

    data = shown.read(runs)
    for name in ("matches", "bots"):
        folder.make(target / name)
    opening, site = [], url and url.rstrip("/") + "/"
    picture = None if missing("pictures") else ratings_picture(data.rows)
    games: dict[str, Game] = {}
    for name, text in page.match_pages(data, most, site, picture is not None, games):
        _write(target / page.match_file(name), text.encode())
        opening.append(name)
    for name, text in shared_viewer(games.values()).items() if opening else ():
        _write(target / name, text.encode())
    pages = page.Embedded(dict.fromkeys(opening), bots=data.tournament.names, url=site, picture=picture is not None)
    for name in data.tournament.names:
        _write(target / page.bot_file(name, pages.bots), page.bot_page(data, name, pages).encode())
    if picture is not None:
        _write(target / page.PICTURE, picture_file(picture, "png"))
    _write(target / INDEX, page.report_page(data, pages).encode())
    return data


def _write(target: Path, text: bytes, in_run: bool = False) -> None:
    with folder.output(target, in_run=in_run) as file:
        file.write(text)
