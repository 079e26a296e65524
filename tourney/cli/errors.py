"""How commands end: an error is one line on stderr, a bug a traceback, and each has its exit code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from tourney.base.errors import (
    EXIT_BUG,
    ConfigError,
    RunError,
    RunInterruptedError,
    TourneyError,
    did_you_mean,
    system_limit,
)
from tourney.cli.screen import FINISHES, check_stdout, echo

NO_ARGUMENTS = getattr(click.exceptions, "NoArgsIsHelpError", click.exceptions.Exit)
"""Raised by newer versions of Click to print the help of a command without arguments."""


class UserError(click.ClickException):
    """An error for the user: one line on stderr, and its exit code."""

    def __init__(self, error: TourneyError) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code  # type: ignore[misc] # a class variable there

    def show(self, file: IO[Any] | None = None) -> None:
        if self.exit_code == RunInterruptedError.exit_code and sys.stderr.isatty():
            echo(err=True)  # after the terminal's ^C
        echo(f"tourney: {self.message}", err=True)


class Group(click.Group):
    """A group of commands that suggests one for an unknown name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name)):
            raise ConfigError(f'no command "{name}"; {did_you_mean(name, self.list_commands(ctx))}')
        return super().resolve_command(ctx, args)


class FinishingCommand(click.Command):
    """A command that does more than print, so it finishes even if its output is not read."""

    def invoke(self, ctx: click.Context) -> Any:
        ctx.meta[FINISHES] = True
        return super().invoke(ctx)


@contextmanager
def format_error() -> Iterator[None]:
    """Converts a command's exceptions for Click, which exits; prints the traceback of a bug."""
    try:
        try:
            yield
        except click.exceptions.Exit:
            check_stdout()  # also after Click's own output
            raise
        check_stdout()
    except (click.exceptions.Exit, UserError, NO_ARGUMENTS):
        raise
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "tourney"
        raise UserError(ConfigError(f"{error.format_message().rstrip('.')}; see {command} --help")) from None
    except TourneyError as error:
        raise UserError(error) from None
    except (KeyboardInterrupt, click.Abort):
        raise UserError(RunInterruptedError("interrupted")) from None
    except BaseException as error:
        if refused := _refusal(error):
            raise UserError(refused) from None
        sys.excepthook(type(error), error, error.__traceback__)
        raise click.exceptions.Exit(EXIT_BUG) from None


def _refusal(error: BaseException) -> TourneyError | None:
    where = os.fsdecode(getattr(error, "filename", None) or "")
    if not isinstance(error, BlockingIOError) and (limit := system_limit(error, where or "cannot continue")):
        return limit
    if not where or not isinstance(error, OSError):
        return None
    return RunError(f"{where}: {error.strerror}; choose another path, or fix this one")
