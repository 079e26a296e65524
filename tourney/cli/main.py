"""The `tourney` command: finds its subcommands when they are needed."""

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tourney.base import streams
from tourney.cli import interrupt
from tourney.cli.errors import Group, format_error
from tourney.cli.screen import echo

COMMANDS = {
    "run": "Play a tournament, or continue one.",
    "league": "Hold a league: bots come, get better and are withdrawn.",
    "schedule": "Print who meets whom in a tournament.",
    "standings": "Print the standings, the cross-table, or the worth of the seats.",
    "matches": "List the matches of a run.",
    "replay": "Show what happened in a match.",
    "export": "Write a match as a file, or all matches as a table.",
    "bundle": "Write what a bot's author may have of a run.",
    "debug": "Take a bot to one of its decisions, and stop in the debugger.",
    "analyse": "Find the decisions that cost a bot most.",
    "verify": "Replay every match of a run and compare.",
    "diff": "Report the first differences between two runs.",
    "report": "Write a run as a page for a browser, or its pictures.",
    "serve": "Show runs to people with a browser, live.",
    "gate": "Test whether a bot is weaker than another.",
    "compare": "Say by how much a bot is ahead of another, and where.",
    "track": "Find out how strong a bot was at each commit.",
    "worker": "Play for a cluster on this machine.",
    "serve-bot": "Serve a Python bot to tournaments, over HTTP.",
    "check": "Examine a bot, or a game: what would go wrong in a tournament?",
    "play": "Play a match yourself, at the terminal.",
    "games": "List the games, or describe one.",
    "bots": "List the bots, or describe one.",
    "new": "Write a new bot, game or tournament file, to start from.",
    "schema": "Print the JSON Schema of tournament files, for editors.",
    "docs": "Show a page of the documentation, or list all pages.",
}
"""The subcommands in the order of the help."""
RENAMED = {
    r"^\0league\0challenge(?!.*\0--deals[\0=])(.*)": r"\0league\0challenge\1--deals=20\0",
    r"^\0league\0challenge\0([^\0]+)\0([^\0]+\0[^\0]+)(?=\0)": r"\0compare\0\2\0--run\0\1",
    r"^\0league\0logs\0([^\0]+)(?=\0)": r"\0bundle\0\1\0--bot",
    r"(\0--workers[\0=]\d+)(.*)\0--oversubscribe(?=\0)": r"\1!\2",
    r"\0--oversubscribe(?=\0)(.*\0--workers[\0=]\d+)": r"\1!",
    r"\0--cluster(?=[\0=])": r"\0--workers",
    r"^(\0standings(?=\0).*)\0--(cross|rounds|seats|sweeps|times|notes)(?=\0)": r"\1\0--show\0\2",
    r"^(\0matches(?=\0).*)\0--(won|lost)(?=\0)": r"\1\0--outcome\0\2",
    r"^(\0gate(?=\0).*)\0--markdown(?=[\0=])": r"\1\0--write",
    r"^(\0gate(?=\0).*)\0--junit(?=[\0=][^\0]+\.xml\0)": r"\1\0--write",
    r"^(\0(?:gate|compare|track)(?=\0).*)\0--inline(?=\0)": r"\1\0--host\0inline",
    r"^(\0(?:play|serve|serve-bot)(?=\0).*)\0--host(?=[\0=])": r"\1\0--address",
    r"^(\0(?:play|serve|serve-bot)(?=\0).*)\0--port[\0=](\d+)": r"\1\0--address\0:\2",
    r"^(\0play(?=\0).*)\0--no-launch(?=\0)": r"\1\0--address\0:0",
    r"^(\0track(?=\0).*)\0--until-sure(?=\0)": r"\1\0--deals=0",
}
"""Names changed since 0.2.0, in a command line with a NUL around each word; for one release."""


def renamed(words: Sequence[str]) -> list[str]:
    """Replaces old names in a command line."""
    line = "\0".join(["", *words, ""])
    for before, now in RENAMED.items():
        line = re.sub(before, now, line, flags=re.DOTALL)
    return line.split("\0")[1:-1]


def load_command(name: str) -> click.Command:
    """Imports a subcommand: the function `command` in the module of its name, with `_` for `-`."""
    command: click.Command = import_module(f"tourney.cli.commands.{name.replace('-', '_')}").command
    return command


def plugin_commands() -> dict[str, str]:
    """The commands of other distributions, each with a help line that does not import it."""
    files = [file for place in sys.path for file in Path(place).glob("*-info/entry_points.txt")]
    if not any([b"[tourney.commands]" in file.read_bytes() for file in files]):
        return {}  # takes a tenth of the time for reading the metadata
    from tourney.plugins.entry_points import of_group

    origins: dict[str, list[str]] = {}
    for entry in of_group("tourney.commands"):
        origins.setdefault(entry.name, ["tourney-cards"] if entry.name in COMMANDS else []).append(entry.distribution)
    return {
        name: f"A command of {its[0]}." if len(its) == 1 else f"Unusable: provided by both {' and '.join(sorted(its))}."
        for name, its in sorted(origins.items())
    }


class Commands(Group):
    """A group that imports a subcommand only to run it: the help and the shell only need names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the subcommands."""
        return list(COMMANDS | plugin_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of that name."""
        if cmd_name in COMMANDS:
            return load_command(cmd_name)
        if cmd_name not in plugin_commands():
            return None
        from tourney.plugins.registry import load_command as load_plugin

        return load_plugin(cmd_name, click.Command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of subcommands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        if plugins := plugin_commands():
            with formatter.section("Commands of plugins"):
                formatter.write_dl(list(plugins.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Subcommands and options with this prefix."""
        commands = plugin_commands() | COMMANDS
        items = [CompletionItem(name, help=text) for name, text in commands.items() if name.startswith(incomplete)]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the options before the subcommand."""
        with format_error():
            return super().parse_args(ctx, renamed(args))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the subcommand."""
        with format_error():
            return super().invoke(ctx)


def _print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked:
        from tourney.plugins.entry_points import own_version
        from tourney.plugins.registry import own_build

        echo(f"tourney, version {own_version()} ({own_build()})")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_print_version, expose_value=False, is_eager=True,
    help="Show the version and exit.",
)  # fmt: skip
def main() -> None:
    """Tournaments between card-game bots: play them in parallel, replay them exactly, rank them.

    Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 a negative verdict, 2 wrong use or
    configuration, 3 undecided, 4 the run or the output ended early and can be resumed, 70 a bug of tourney, 130
    interrupted, can be resumed, 141 nobody reads the output.
    """


def run() -> None:
    """Runs the command line of this process, and ends the process with the exit code."""
    interrupt.listen()
    streams.secure()
    main(prog_name="tourney")
