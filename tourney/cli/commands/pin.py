"""`tourney pin`: writes a decision into a file, at which bots are asked again."""

import shlex
from pathlib import Path

import click

from tourney.base.errors import ConfigError
from tourney.cli import options as opt
from tourney.cli.render.transcript import without_signs
from tourney.cli.screen import echo
from tourney.journal.export import Pin
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.plugins.registry import load_game
from tourney.review.pins import file_name, make_pin, write_pin


@click.command("pin")
@opt.RUN
@click.argument("match")
@click.argument("decision", metavar="N", type=click.IntRange(min=1))
@click.option(
    "--not", "never", metavar="ACTION", multiple=True,
    help="Fail this action, such as play:9t; repeatable.  [default: the recorded one]",
)  # fmt: skip
@click.option("--only", metavar="ACTION", multiple=True, help="Pass only this action; repeatable.")
@click.option("--why", default="", metavar="TEXT", help="Why: printed when the pin fails.")
@click.option(
    "--times", default=1, show_default=True, type=click.IntRange(1, 1000),
    help="Number of times to ask, each with another rng, for bots that draw lots.",
)  # fmt: skip
@click.option(
    "--share", default=1.0, show_default=True, type=click.FloatRange(0, 1), help="Share of the answers that must pass."
)
@click.option("-o", "--out", metavar="FILE", type=opt.PATH, help="Output file.  [default: pins/RUN-MATCH-N.json]")
def command(
    run: str, match: str, decision: int, never: tuple[str, ...], only: tuple[str, ...], why: str, times: int,
    share: float, out: Path | None,
) -> None:  # fmt: skip
    """Pin decision N of MATCH in RUN, so that a mistake that you mend does not come back.

    The file contains the match, with all cards and its seed, and the actions that fail or pass. If the bot made a
    fault there, any legal action passes. `tourney check BOT --pins pins` asks a bot at every pin in a folder, and
    prints a line for each wrong answer; `tourney gate --pins` asks before it plays; `tourney analyse --pins` pins a
    bot's costliest mistakes.
    """
    if never and only:
        raise ConfigError("--not and --only cannot be combined; name either failing or passing actions")
    read = RunFolder.find(run)
    (record,) = find_records(read, match)
    failing, passing = [tuple([without_signs(load_game(record.game), each) for each in of]) for of in (never, only)]
    path = out or Path("pins") / file_name(read, record.match, decision)
    write_pin(path, make_pin(read, record, Pin(decision, run, failing, passing, why, times, share)))
    echo(f"wrote {path}; tourney check BOT --pins {shlex.quote(str(path.parent))} asks a bot there")
