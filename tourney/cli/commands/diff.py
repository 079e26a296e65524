"""`tourney diff`: reports the first differences between two runs."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import click

from tourney.base.errors import EXIT_VERDICT, TourneyError
from tourney.cli.errors import FinishingCommand
from tourney.cli.options import RUN, complete_run
from tourney.cli.render.transcript import result_text
from tourney.cli.screen import echo, wrapped
from tourney.config.tournament import LEAST_REPLAY_S
from tourney.contracts.match import Record
from tourney.contracts.wording import first_of
from tourney.journal import folder, reader
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay, in_time

COMMAND = "  tourney "  # the start of a command to copy, which is not wrapped


@click.command("diff", cls=FinishingCommand)
@RUN
@click.argument("other", shell_complete=complete_run)
@click.pass_context
def command(context: click.Context, run: str, other: str) -> None:
    """Show the first differences between the runs RUN and OTHER.

    Prints the first difference of each kind: configuration, deals, seats, actions, faults and scores. Exits with 1 if
    there is one, and with 0 if the runs are identical.
    """
    paths = folder.find_run(run), folder.find_run(other)
    echo(f"A: {paths[0]}", f"B: {paths[1]}")
    differs = False
    for line in differences(*paths):
        differs = True
        echo(*([line] if line.startswith(COMMAND) else wrapped(line, "    ")))
    if differs:
        context.exit(EXIT_VERDICT)
    echo("the same")


def differences(a: Path, b: Path) -> Iterator[str]:
    """The first difference in the configuration, and the first of each kind in the matches."""
    changes = folder.manifest_differences(folder.read_manifest(a), folder.read_manifest(b))
    changes.sort(key=lambda change: not change.startswith("tournament."))
    if changes:
        changes[0] = f"configuration: {changes[0].replace(' became ', ' in A, ')} in B"
        yield first_of(changes)
    reported: set[str] = set()
    for number, (mine, theirs) in enumerate(zip_longest(reader.RECORDS.read(a), reader.RECORDS.read(b)), 1):
        if mine is None or theirs is None:
            shorter, longer, record = ("A", "B", theirs) if mine is None else ("B", "A", mine)
            assert record is not None
            yield f"matches: {shorter} ends after {number - 1}, {longer} continues with {record.match}"
            return
        if mine.match != theirs.match:
            yield f"matches: number {number} is {mine.match} in A, {theirs.match} in B; the rest is not compared"
            return
        for kind, lines in _between(mine, theirs, a):
            if kind not in reported:
                reported.add(kind)
                yield f"{kind}: {mine.match}{lines[0]}"
                yield from [f"  {line}" for line in lines[1:]]


def _between(mine: Record, theirs: Record, path: Path) -> Iterator[tuple[str, list[str]]]:
    if mine == theirs:
        return
    if (mine.game, mine.block) != (theirs.game, theirs.block):
        yield "games", _both(*[f"{record.game}, block {record.block}" for record in (mine, theirs)])
    if (mine.options, mine.seed) != (theirs.options, theirs.seed):
        yield "deals", _both(*[f"{_options(record)}seed {record.seed}" for record in (mine, theirs)])
    if mine.seats != theirs.seats:
        yield "seats", _both(*[", ".join(record.seats) for record in (mine, theirs)])
    if mine.actions != theirs.actions:
        yield "actions", _actions(mine, theirs, path)
    if mine.faults != theirs.faults:
        yield "faults", _both(*[_faults(record) for record in (mine, theirs)])
    if (mine.scores, mine.places) != (theirs.scores, theirs.places):
        yield "scores", _both(*[result_text(each.seats, each.scores, each.places) for each in (mine, theirs)])
    # the digest begins with the hash of the trace
    if mine.digest[:16] != theirs.digest[:16] and (mine.seed, mine.actions) == (theirs.seed, theirs.actions):
        yield "rules", ["", "the same deal and actions lead to a different trace"]


def _both(a: str, b: str) -> list[str]:
    return ["", f"A {a}", f"B {b}"]


def _options(record: Record) -> str:
    return "".join([f"{key} {value}, " for key, value in record.options.items()])


def _actions(mine: Record, theirs: Record, path: Path) -> list[str]:
    pairs = zip_longest(mine.actions.split(" "), theirs.actions.split(" "), fillvalue="nothing more")
    decision, (a, b) = next((i, pair) for i, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    lines = _both(a, b)
    with suppress(TourneyError):
        game = load_game(mine.game)
        with in_time(mine, LEAST_REPLAY_S):
            step = next((step for step in Replay(mine, game).steps() if step.decision == decision), None)
        if step is not None:
            lines[0] = f", decision {decision}: seat {step.seat}, {mine.seats[step.seat]}"
            lines.append(f"legal in A: {' '.join(map(game.text, step.legal))}")
    return [*lines, f"tourney replay {path} {mine.match} --from {max(1, decision - 3)} --to {decision}"]


def _faults(record: Record) -> str:
    faults = [f"{fault.kind} of {record.seats[fault.seat]} at decision {fault.decision}" for fault in record.faults]
    return ", ".join(faults) or "none"
