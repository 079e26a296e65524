"""The `tourney` command: finds its subcommands when they are needed."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from tourney.base import streams
from tourney.cli import interrupt
from tourney.cli.errors import Group, format_error
from tourney.cli.screen import echo

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS = {
    "Play": {
        "run": "Play a tournament.",
        "league": "Run a league, where bots join, improve and leave over time.",
        "schedule": "Print the pairings without playing.",
        "play": "Play a match yourself, in the terminal or a browser.",
    },
    "Look at results": {
        "standings": "Print the standings, cross-table or seat statistics of a run.",
        "matches": "List and filter the matches of a run.",
        "replay": "Show a match, decision by decision.",
        "report": "Write an HTML report of a run, or its charts.",
        "export": "Export a match, or all matches or decisions as a table.",
        "bundle": "Pack one bot's matches, faults and log for its author.",
    },
    "Debug a bot": {
        "debug": "Rerun a bot up to a decision and open the debugger there.",
        "analyse": "Find a bot's costliest decisions.",
        "pin": "Pin a decision, so that a mended mistake does not come back.",
        "verify": "Replay every match of a run and check it against its record.",
        "diff": "Show the first differences between two runs.",
    },
    "Measure strength": {
        "gate": "Test whether a change makes a bot weaker (for CI).",
        "compare": "Measure how far one bot is ahead of another, and where.",
        "track": "Measure a bot's strength over its git history.",
    },
    "Serve": {
        "serve": "Serve live reports of runs over HTTP.",
        "serve-bot": "Serve a Python bot over HTTP.",
        "worker": "Start cluster workers on this machine.",
    },
    "Write a bot, game or tournament": {
        "new": "Create a bot, game or tournament file from a template.",
        "check": "Check a bot, a game or a tournament's entrants for problems.",
        "games": "List the installed games, or describe one.",
        "bots": "List the installed bots, or describe one.",
        "schema": "Print the JSON Schema of tournament files, for your editor.",
        "docs": "Read the documentation in the terminal.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
RENAMED = [
    ("challenge", r"^\0league\0challenge(?!.*\0--deals[\0=])(.*)", r"\0league\0challenge\1--deals=20\0"),
    ("challenge", r"^\0league\0challenge\0([^\0]+)\0([^\0]+\0[^\0]+)(?=\0)", r"\0compare\0\2\0--run\0\1"),
    ("logs", r"^\0league\0logs\0([^\0]+)(?=\0)", r"\0bundle\0\1\0--bot"),
    ("--oversubscribe", r"(\0--workers[\0=]\d+)(.*)\0--oversubscribe(?=\0)", r"\1!\2"),
    ("--oversubscribe", r"\0--oversubscribe(?=\0)(.*\0--workers[\0=]\d+)", r"\1!"),
    ("--cluster", r"\0--cluster(?=[\0=])", r"\0--workers"),
    ("standings", r"^(\0standings(?=\0).*)\0--(cross|rounds|seats|sweeps|times|notes)(?=\0)", r"\1\0--show\0\2"),
    ("matches", r"^(\0matches(?=\0).*)\0--(won|lost)(?=\0)", r"\1\0--outcome\0\2"),
    ("--markdown", r"^(\0gate(?=\0).*)\0--markdown(?=[\0=])", r"\1\0--write"),
    ("--junit", r"^(\0gate(?=\0).*)\0--junit(?=[\0=][^\0]+\.xml\0)", r"\1\0--write"),
    ("--inline", r"^(\0(?:gate|compare|track)(?=\0).*)\0--inline(?=\0)", r"\1\0--host\0inline"),
    ("--host", r"^(\0(?:play|serve|serve-bot)(?=\0).*)\0--host(?=[\0=])", r"\1\0--address"),
    ("--port", r"^(\0(?:play|serve|serve-bot)(?=\0).*)\0--port[\0=](\d+)", r"\1\0--address\0:\2"),
    ("--no-launch", r"^(\0play(?=\0).*)\0--no-launch(?=\0)", r"\1\0--address\0:0"),
    ("--until-sure", r"^(\0track(?=\0).*)\0--until-sure(?=\0)", r"\1\0--deals=0"),
]
"""Names changed since 0.2.0, in a command line with a NUL around each word, after a text in it; for one release."""


def renamed(words: Sequence[str]) -> list[str]:
    """Replaces old names in a command line."""
    line = "\0".join(["", *words, ""])
    for text, before, now in RENAMED:
        if text in line:  # compiling all patterns would take a while
            line = re.sub(before, now, line, flags=re.DOTALL)
    return line.split("\0")[1:-1]


def load_command(name: str) -> click.Command:
    """Imports a subcommand: the function `command` in the module of its name, with `_` for `-`."""
    command: click.Command = import_module(f"tourney.cli.commands.{name.replace('-', '_')}").command
    return command


def plugin_commands() -> dict[str, str]:
    """The commands of other distributions, each with a help line that does not import it."""
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
        return list(COMMANDS | plugin_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            return load_command(cmd_name)
        if cmd_name not in plugin_commands():
            return None
        from tourney.plugins.registry import load_command as load_plugin

        return load_plugin(cmd_name, click.Command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))  # the columns of all groups are aligned
        for title, commands in (GROUPS | {"Plugins": plugin_commands()}).items():
            if commands:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        commands = plugin_commands() | COMMANDS
        items = [CompletionItem(name, help=text) for name, text in commands.items() if name.startswith(incomplete)]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with format_error():
            return super().parse_args(ctx, renamed(args))

    def invoke(self, ctx: click.Context) -> Any:
        with format_error():
            return super().invoke(ctx)


def _print_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked:
        from tourney.plugins.entry_points import own_build, own_version

        echo(f"tourney, version {own_version()} ({own_build()})")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_print_version, expose_value=False, is_eager=True,
    help="Show the version and exit.",
)  # fmt: skip
def main() -> None:
    """Run tournaments between card-game bots: play in parallel, rank with error bars, replay exactly.

    Start with `tourney new tournament NAME` and `tourney run NAME.toml`; `tourney docs tutorial` is a 15-minute
    introduction.

    Results go to stdout, everything else to stderr. Exit codes: 0 success; 1 negative verdict; 2 usage or
    configuration error; 3 undecided; 4 stopped early, can be resumed; 70 internal error; 130 interrupted, can be
    resumed; 141 broken pipe.
    """


def run() -> None:
    """Runs this process's command line, and exits with its exit code."""
    interrupt.listen()
    streams.secure()
    main(prog_name="tourney")
