"""The `tourney` command: finds its subcommands when they are needed, and turns our errors into one line each."""

import os
from importlib import import_module
from typing import IO, Any

import click

from tourney.cli.bisecting import exit_codes
from tourney.cli.screen import click_errors, echo
from tourney.errors import RunError, RunInterruptedError, TourneyError, system_limit

COMMANDS = (
    "run",
    "standings",
    "matches",
    "replay",
    "debug",
    "verify",
    "diff",
    "gate",
    "check",
    "games",
    "bots",
    "new",
    "schema",
    "docs",
)
"""The subcommands in the order of the help. Each is the function `command` in the module of its name."""


class UserError(click.ClickException):
    """An error for the user: one line on stderr, and the exit code that belongs to it."""

    def __init__(self, error: TourneyError) -> None:
        super().__init__(str(error))
        self.error = error

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        """The exit code of the process."""
        return self.error.exit_code

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the line."""
        echo(f"tourney: {self.message}", err=True)


class Commands(click.Group):
    """A group that imports a subcommand only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of the subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the subcommand of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tourney.cli.commands.{cmd_name}").command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the options that stand before the subcommand."""
        with click_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the subcommand."""
        with exit_codes(ctx):
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            with click_errors():
                return super().invoke(ctx)
        except TourneyError as error:
            raise UserError(error) from None
        except KeyboardInterrupt:
            raise UserError(RunInterruptedError("interrupted")) from None
        except (OSError, RuntimeError) as error:
            where = os.fsdecode(getattr(error, "filename", None) or "")
            if not isinstance(error, BlockingIOError) and (limit := system_limit(error, where or "it cannot go on")):
                raise UserError(limit) from None
            if not where or not isinstance(error, OSError):  # such as a reader of our output that has gone
                raise
            raise UserError(RunError(f"{where}: {error.strerror}; give another path, or see to this one")) from None


def _tell_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    """Prints the version, and whether what plays matches is compiled."""
    if asked:
        from importlib.metadata import version

        from tourney import state

        kind = "pure Python" if state.__file__.endswith(".py") else "compiled"
        echo(f"tourney, version {version('tourney-cards')} ({kind})")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    callback=_tell_version,
    expose_value=False,
    is_eager=True,
    help="Show the version and exit.",
)
def main() -> None:
    """Tournaments between card-game bots: play them in parallel, replay them exactly, rank them.

    Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 a negative verdict, 2 wrong use or
    configuration, 3 undecided, 4 the run ended early and can be resumed, 130 interrupted, can be resumed.
    """
