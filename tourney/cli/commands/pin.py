"""`tourney pin`: writes a decision into a file, at which bots are asked again."""

import shlex
from pathlib import Path

import click

from tourney.base.errors import ConfigError
from tourney.cli import options as opt
from tourney.cli.screen import echo
from tourney.journal.export import Pin
from tourney.journal.run import RunFolder
from tourney.review.pins import make_pin, write_pin


@click.command("pin")
@opt.RUN
@click.argument("match")
@click.argument("decision", metavar="N", type=click.IntRange(min=1))
@click.option(
    "--not", "never", metavar="ACTION", multiple=True, help="Fail this action; repeatable.  [default: the recorded one]"
)
@click.option("--only", metavar="ACTION", multiple=True, help="Pass only this action; repeatable.")
@click.option("--why", default="", metavar="TEXT", help="Why: printed when the pin fails.")
@click.option(
    "--times", default=1, show_default=True, type=click.IntRange(1, 1000),
    help="Ask so often, with another rng each time, for bots that draw lots.",
)  # fmt: skip
@click.option(
    "--share", default=1.0, show_default=True, type=click.FloatRange(0, 1), help="Share of the answers that must pass."
)
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="Output file.  [default: pins/MATCH-N.json]"
)
def command(
    run: str,
    match: str,
    decision: int,
    never: tuple[str, ...],
    only: tuple[str, ...],
    why: str,
    times: int,
    share: float,
    out: Path | None,
) -> None:
    """Pin decision N of MATCH in RUN, so that a mistake that you mend does not come back.

    The file has the match, with all cards and its seed, and the actions that fail or pass. `tourney check BOT --pins
    pins/` asks a bot at every pin of a folder, and fails with a line for each wrong answer; `tourney gate --pins` asks
    before it plays, and `tourney analyse --pins` pins a bot's costliest mistakes.
    """
    if never and only:
        raise ConfigError("--not and --only cannot be combined; name the actions that fail, or those that pass")
    read = RunFolder.find(run)
    pinned = make_pin(read, match, Pin(decision, run, never, only, why, times, share))
    path = out or Path("pins") / f"{pinned.record.match}-{decision}.json"
    write_pin(path, pinned)
    echo(f"wrote {path}; tourney check BOT --pins {shlex.quote(str(path.parent))} asks a bot there")
