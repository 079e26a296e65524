"""Options that several commands share, and how their values are looked up."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.cli.screen import confirm, echo

if TYPE_CHECKING:
    from tourney.config import Tournament
    from tourney.contracts.match import Record
    from tourney.schedule.base import Schedule

TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
    help="The output format.",
)


WORKERS = click.option(
    "--workers", "processes", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]"
)
OVERWRITE = click.option(
    "--overwrite", is_flag=True, help="Replace what was played in the folder: remove it, and start again."
)
OVERSUBSCRIBE = click.option(
    "--oversubscribe", is_flag=True, help="Allow more workers than processors although time is limited."
)


def exclusive(**given: object) -> None:
    """Raises a `ConfigError` if more than one of these options is given."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None and value is not False]
    if len(named) > 1:
        raise ConfigError(f"{' and '.join(named)} do not go together; give one of them")


def read_run(path: Path) -> tuple[dict[str, Any], "Tournament"]:
    """Reads the manifest of a run; returns it with its tournament."""
    from tourney import config
    from tourney.journal import folder

    manifest = folder.read_manifest(path)
    return manifest, config.of_manifest(manifest)


def say_not_finished(matches: int, plan: "Schedule") -> None:
    """Says on stderr how many matches of a run were played."""
    begin = "" if matches else "; resume the run"
    echo(f"not finished: {matches} of {plan.describe_size()} were played{begin}", err=True)


def check_game(tournament: "Tournament", game: str | None) -> None:
    """Raises a `RunError` if the tournament has no such game."""
    games = [setup.game for setup in tournament.setups]
    if game is not None and game not in games:
        raise RunError(f'the run has no game "{game}"; {did_you_mean(game, games)}')


def check_bot(tournament: "Tournament", bot: str | None) -> None:
    """Raises a `RunError` if the tournament has no such bot."""
    if bot is not None and bot not in tournament.names:
        raise RunError(f'the run has no bot "{bot}"; {did_you_mean(bot, tournament.names)}')


def check_rounds(schedule: "Schedule", option: str) -> None:
    """Raises a `RunError` if a schedule, for whose rounds an option asks, has none."""
    if schedule.round_of(0) is None:
        raise RunError(f"{option}: the format {schedule.name} has no rounds; leave {option} out")


FOLDER = click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the tournament file, for bots given as FILE.py:NAME.  [default: here, or a folder around RUN]",
)


TRUST = click.option("--trust", is_flag=True, help="Run the commands and bot files that RUN names, whoever played it.")


NAMED = 300
"""How many characters of a command or a path are shown."""


def trusting(run: Path, trusted: bool) -> Callable[[Sequence[str]], None]:
    """Returns what is called with the commands and files of a run that somebody else played, before they are run.

    It asks the user on a terminal; with `--trust` it does nothing. Unless the user says yes, it raises a `RunError`.
    """

    def ask(code: Sequence[str]) -> None:
        if trusted:
            return
        listed = [each if len(each) <= NAMED else f"{each[:NAMED]}…" for each in code]
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
            raise RunError(
                f"{run}: was not played here by you, and would run {', '.join(listed[:3])}{more}; look at that first, "
                "and give --trust to run it"
            )
        echo(f"{run} was not played here by you. With your rights, it would run", err=True)
        echo(*[f"  {each}" for each in listed], err=True)
        if not confirm("run them?"):
            raise RunError(f"{run}: nothing was run; look at what it names first")

    return ask


def toml_value(text: str) -> Any:
    """Returns the value that the text is in TOML, or else the text itself."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, KeyError, RecursionError):  # also for numbers of thousands of digits
        return text


def find_record(path: Path, tournament: "Tournament", match: str) -> "Record":
    """Returns the record of a match of a run, whose name need not have all its zeros, as in vole-0-0."""
    return find_records(path, tournament, [match])[0]


def find_records(path: Path, tournament: "Tournament", matches: Sequence[str]) -> "list[Record]":
    """Returns the records of some matches of a run in the order of its journal; see `find_record`."""
    from tourney.journal import search
    from tourney.schedule.base import schedule

    return search.find_records(path, schedule(tournament), matches)
