"""The exit codes of a gate that `git bisect run` asks: whether a commit is good or bad, or is to be skipped.

`git bisect run` takes every code from 1 to 127 but 125 for a bad commit, and stops at those above.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from tourney.cli.endings import FinishingCommand
from tourney.errors import EXIT_UNDECIDED, EXIT_VERDICT

SKIP = 125
"""The commit cannot be judged; others near it can."""
STOP = 128
"""No commit can be judged like this."""
OPTION = "--bisect"

_BISECTS = "tourney.cli.bisecting"


class BisectableCommand(FinishingCommand):
    """A finishing command with the option `--bisect`, which decides about the exit code of wrong use, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Notes the option before anything can be wrong with the others."""
        ctx.meta[_BISECTS] = OPTION in args
        return super().parse_args(ctx, args)


@contextmanager
def exit_codes(context: click.Context) -> Iterator[None]:
    """Changes the exit code of a command that ends, if it was given `--bisect`.

    Args:
        context: The context of the command, or of the group that it is in.
    """
    try:
        yield
    except (click.exceptions.Exit, click.ClickException) as error:
        found: Any = error
        if not context.meta.get(_BISECTS) or (code := _code(found.exit_code)) == found.exit_code:
            raise
        if isinstance(error, click.ClickException):
            error.show()
        raise click.exceptions.Exit(code) from None


def _code(code: int) -> int:
    if code == EXIT_UNDECIDED:
        return SKIP
    return code if code in (0, EXIT_VERDICT, SKIP) or code > 127 else STOP
