"""`tourney report`: writes a run as a page."""

import time
from pathlib import Path
from typing import Literal

import click

from tourney.base.errors import ConfigError
from tourney.cli import options as opt
from tourney.cli.options import RUNS, exclusive, say_if_unfinished
from tourney.cli.screen import echo
from tourney.journal import folder
from tourney.journal.reader import is_being_written
from tourney.report.match_page import INDEX
from tourney.report.writing import Shown, fresh_page, is_folder, require_extra, write_folder, write_page

WATCH_S = 4.0


@click.command("report")
@RUNS
@click.option(
    "--out", metavar="PATH",
    help="Output file; or a folder, ending in /, for a report in which you can open every listed match; or the charts' "
    "folder.  [default: report.html, or pictures, in the run folder]",
)  # fmt: skip
@click.option(
    "--matches", "most", metavar="N", type=click.IntRange(min=0),
    help="Number of matches to include.  [default: a few dozen in a file, up to 3 MB; in a folder, all it lists]",
)  # fmt: skip
@click.option("--url", default="", help="Address at which you will publish the folder, for link previews.")
@click.option("--watch", is_flag=True, help="Update the page, also in the browser, while the run is playing.")
@click.option("--with-seed", is_flag=True, help="Show a finished run's seed instead of its hash.")
@click.option("--with-notes", is_flag=True, help="Show what the bots of a finished run noted.")
@click.option("--what-if", is_flag=True, help="Add the branches of analysed matches, to watch after costly decisions.")
@opt.AT
@click.option(
    "--hide-after", "last_round", metavar="ROUND", type=click.IntRange(min=1),
    help="Show a run with rounds, such as a knockout, as it was after ROUND.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["html", "png", "svg"]), default="html", show_default=True,
    help="An HTML page, or only the charts.",
)  # fmt: skip
def command(
    runs: tuple[str, ...], out: str | None, most: int | None, url: str, watch: bool, with_seed: bool, with_notes: bool,
    what_if: bool, at: str | None, last_round: int | None, form: Literal["html", "png", "svg"],
) -> None:  # fmt: skip
    """Write an HTML report of RUN, a run folder or its name under results/.

    The report is one file and works offline. It shows ratings with intervals, the cross-table, pairs still undecided,
    seat statistics, rounds, faults and times, and matches to open in the viewer.

    With --out FOLDER/, the report is FOLDER/index.html with a linkable page per bot and match, ready for a web server
    or your disk.

    Several runs of the same bots at different games are ranked together in one report; name it with --out.

    With --what-if, a match of an analysed run shows under its three costliest decisions how it continues after the best
    action, with the bots of `tourney analyse` and the cards really dealt.

    With --format png or svg, only the charts are written, into a folder.

    The report is safe to publish: it has no seed, notes, logs, tracebacks, authors, or paths of this machine. After
    the run, --with-seed and --with-notes publish the seed and the notes; for a league, an unfinished or an extended run
    they are refused. See `tourney docs guarantees-and-security`.
    """
    require_extra("report" if form == "html" else "pictures")
    exclusive(watch=watch, with_seed=with_seed)
    exclusive(watch=watch, what_if=what_if)
    exclusive(at=at, hide_after=last_round, what_if=what_if)
    if form != "html" and (watch or with_seed or what_if or most is not None):
        option = "--watch" if watch else "--with-seed" if with_seed else "--what-if" if what_if else "--matches"
        raise ConfigError(f"{option} requires --format html")
    if url and (form != "html" or not is_folder(out)):
        raise ConfigError("--url requires --out FOLDER/")
    paths = list(map(folder.find_run, runs))
    if len(paths) > 1 and (watch or with_seed or at is not None or last_round is not None or out is None):
        flags = {"--watch": watch, "--with-seed": with_seed, "--at": at, "--hide-after": last_round}
        one = next((name for name, given in flags.items() if given), "")
        remedy = f"{one} supports only one run" if one else "--out is required for the page's file or the folder"
        raise ConfigError(f"several runs: {remedy}")
    shown = Shown(with_seed, with_notes, at, last_round, what_if)
    target = Path(out) if out is not None else paths[0] / (folder.REPORT if form == "html" else "pictures")
    if form != "html":
        _write_pictures(paths, target, form, shown)
        return
    if (kind := target.suffix.lower().removeprefix(".")) in ("png", "svg"):
        instead = f"use a name ending in .html, or --format {kind} and a folder"
        raise ConfigError(f"--out {target}: would be a page, not a picture; {instead}")
    if is_folder(out):
        if watch:
            raise ConfigError("--watch requires a single page; use --out FILE")
        data = write_folder(paths, target, most, shown, url)
        say_if_unfinished(data.totals.matches, data.totals.schedule)
        echo(f"wrote {target / INDEX}; open it in a browser")
        return
    folder.make_parent(target, "--out")
    if watch and is_being_written(paths[0]):
        echo(f"{target}: open it in a browser; it is updated until the run ends, or Ctrl-C", err=True)
        with fresh_page(paths[0], target, most, WATCH_S, shown):
            while is_being_written(paths[0]):
                time.sleep(0.2)
    data = write_page(paths, target, most, shown=shown)
    say_if_unfinished(data.totals.matches, data.totals.schedule)
    size = f" ({_size(target.stat().st_size)})" if target.is_file() else ""
    echo(f"wrote {target}{size}; open it in a browser")


def _size(length: int) -> str:
    return f"{length / 1e6:.1f} MB" if length >= 1e5 else f"{length / 1e3:.0f} kB"


def _write_pictures(runs: list[Path], target: Path, form: Literal["png", "svg"], shown: Shown) -> None:
    from tourney.report.charts import picture_file, pictures

    if target.exists() and not target.is_dir():
        raise ConfigError(f"--out {target}: expected a folder for the pictures, got a file")
    data = shown.read(runs)
    say_if_unfinished(data.totals.matches, data.totals.schedule)
    folder.make(target)
    for picture in pictures(data):
        file = target / f"{picture.name}.{form}"
        content = picture_file(picture, form)
        with folder.output(file, in_run=target.parent in runs) as opened:
            opened.write(content)
        echo(f"wrote {file}: {picture.description}")
