"""`tourney gate`: tests whether a bot is weaker than another."""

from pathlib import Path
from typing import Any

import click

from tourney.base.errors import EXIT_UNDECIDED, EXIT_USAGE, EXIT_VERDICT, WriteError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render import gate_report
from tourney.cli.render.progress import watch_gate
from tourney.cli.render.standings_report import say_what_does_not_repeat, warn_of_times
from tourney.cli.screen import echo, echo_json, say, traceback_lines, width
from tourney.config import Tournament
from tourney.journal import folder
from tourney.journal.kinds import VERDICT
from tourney.journal.run import RunFolder
from tourney.review import pins as pinned
from tourney.runner import gate
from tourney.runner.run import start_of
from tourney.standings.gate import Settings, verdict_data

EXITS = {"passed": 0, "failed": EXIT_VERDICT, "invalid": EXIT_USAGE, "undecided": EXIT_UNDECIDED}
RISK = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command("gate", cls=FinishingCommand)
@click.argument("new", shell_complete=opt.complete_bot)
@click.option(
    "--against", "old", required=True, metavar="OLD", shell_complete=opt.complete_bot,
    help="The bot to compare NEW with.",
)  # fmt: skip
@opt.duel("gate")
@click.option("--stronger", is_flag=True, help="Pass only if NEW is stronger, not merely no weaker.")
@click.option(
    "--elo0", type=float, help="Elo difference to OLD at which NEW should fail.  [default: -25; 0 with --stronger]"
)
@click.option(
    "--elo1", type=float, help="Elo difference to OLD at which NEW should pass.  [default: 0; 25 with --stronger]"
)
@click.option("--alpha", type=RISK, default=0.05, show_default=True, help="Probability of passing at elo0.")
@click.option("--beta", type=RISK, default=0.05, show_default=True, help="Probability of failing at elo1.")
@click.option(
    "--max-deals", type=click.IntRange(1, 10**9), default=5000, show_default=True,
    help="Give up, undecided, after this many deals.",
)  # fmt: skip
@click.option(
    "--allow-faults", type=click.IntRange(min=0), default=0, show_default=True, help="Number of faults NEW may make."
)
@click.option(
    "--allow-old-faults", is_flag=True,
    help="Let NEW pass even if OLD or the field made faults in more than 10 % of its matches.",
)  # fmt: skip
@click.option(
    "--max-slower", metavar="TIMES", type=click.FloatRange(1),
    help="Fail NEW if it surely takes more than TIMES as long as OLD for a decision.",
)  # fmt: skip
@click.option(
    "--write", "files", metavar="FILE", multiple=True, type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Also write the verdict to FILE: JUnit XML if its name ends in .xml; otherwise append Markdown. Repeatable.",
)  # fmt: skip
@opt.PINS
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@click.pass_context
def command(
    context: click.Context, /, processes: str | None, quiet: bool, files: tuple[Path, ...], pins: Path | None,
    as_json: bool, **keys: Any,
) -> None:  # fmt: skip
    """Test whether NEW is weaker than OLD, stopping as soon as the evidence suffices.

    NEW and OLD are each the name of a plugin, FILE.py:NAME, or the name of a [[bot]] table in the --config file. Both
    play the same deals in the same seats: they share a table, half the seats each, and then swap. With --field, each
    plays every seat against the same opponents instead. With --pins, NEW is asked at pinned decisions first, and fails
    without a match if it answers one wrongly.

    The exit code is the verdict: 0 passed; 1 failed; 2 invalid, because OLD or the field made too many faults for a
    pass to mean much; 3 undecided after --max-deals. Every match is kept in the run folder. See `tourney docs ci`.
    """
    for file in files:  # before anything is played
        folder.make_parent(file, "--write")
    start = start_of(keys.pop("resume"), keys.pop("overwrite"))
    workers = workers_of(processes)  # before a bot is loaded
    with interrupt.raised():
        own = {key: keys.pop(key) for key in ("stronger", *Settings.__struct_fields__)}
        settings = gate.settings(**own)
        plan = gate.GatePlan(opt.mirror("gate", deals=settings.max_deals, **keys), settings, start)
        plan.choose(workers)
        failed = [] if pins is None else _failed_pins(plan.tournament, pins)
    if failed:
        look = gate_report.Look((), (), failed)
        verdict = verdict_data(plan.comparison) | {"verdict": "failed", "because": "pins", "pins": failed}
    else:
        play(plan, workers, play_again("--resume"), quiet, watch_gate)
        look = gate_report.Look.of(plan.comparison, RunFolder(plan.path), plan.counts.first_faults)
        verdict = plan.verdict
    if as_json:
        echo_json(folder.json_text(verdict).decode().removesuffix("\n"))
    else:
        echo(*gate_report.lines(plan.comparison, plan.path, look, width()))
    if not failed:
        charged = [fault.bot for fault in plan.comparison.faults]
        for name, match, fault, text in [each for each in plan.counts.tracebacks if each.name in charged]:
            head = f"{name}: {fault.kind}: {fault.detail}, decision {fault.decision} of {match}"
            say("", head, *[f"    {line}" for line in traceback_lines(text)])
        warn_of_times(plan.counts.times)
        say_what_does_not_repeat(plan.tournament, gate=True)
    for file in files:
        if file.suffix == ".xml":
            _write(file, "wb", gate_report.junit(plan.comparison, plan.path, look), plan)
        else:
            _write(file, "ab", gate_report.markdown(plan.comparison, plan.path, look).encode() + b"\n", plan)
    context.exit(EXITS[verdict["verdict"]])


def _failed_pins(tournament: Tournament, folder: Path) -> list[str]:
    read = pinned.read_pins(folder)
    passed, lines = pinned.report(list(pinned.ask_pins(read, pinned.for_pins(tournament, read), asks=True)))
    if passed:
        say(*lines)
    return [] if passed else lines


def _write(path: Path, mode: str, data: bytes, plan: gate.GatePlan) -> None:
    """Writes the verdict to a file; if that fails, the error names the other copy."""
    try:
        with path.open(mode) as file:
            file.write(data)
    except OSError as error:
        verdict = plan.path / VERDICT
        why = error.strerror or error
        again = play_again("--resume")
        raise WriteError(f"{path}: cannot be written ({why}); the verdict is in {verdict}, {again}") from None
