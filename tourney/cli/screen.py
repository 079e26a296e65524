"""All output of the commands, with terminal control characters escaped like in Python's repr.

Names, answers and descriptions come from bots and files of others. Characters that `str.isprintable` rejects are
escaped: control characters, marks that reorder text, spaces of odd widths, line breaks within a line. Colours are
added afterwards by `paint`.
"""

import errno
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from struct import iter_unpack
from textwrap import wrap
from typing import TYPE_CHECKING, TypeAlias

import click

from tourney.base import streams
from tourney.base.errors import EXIT_ENDED_EARLY, EXIT_UNREAD, RunError, cannot_write, one_line
from tourney.cli import interrupt

if TYPE_CHECKING:
    from tourney.base.sheet import Sheet, TableFormat

Paint: TypeAlias = Callable[[str], str]

LEAST_WIDTH, USUAL_WIDTH = 40, 80
"""The least width of lines, also in a narrower terminal, and the width without a terminal."""

_UNPRINTABLE = re.compile(r"[^ -~\n]")

FINISHES = "tourney.finishes"  # the `meta` key of a command that continues when its output is not read


def width() -> int:
    """The width of stdout: `COLUMNS`, or the terminal's width."""
    import shutil  # brings three ways of compression

    return max(shutil.get_terminal_size((USUAL_WIDTH, 24)).columns, LEAST_WIDTH)


def wrapped(line: str, indent: str, width: int = 79) -> list[str]:
    """Escapes and wraps a line, indenting further lines."""
    line = one_line(line)
    return [line] if len(line) <= width else wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)


def traceback_lines(text: str) -> list[str]:
    """A traceback's lines, with files relative to the working folder."""
    return text.replace(f'"{Path.cwd()}/', '"').split("\n")


def echo(*lines: str, err: bool = False, paint: Paint | None = None) -> None:
    """Prints each text as one line, or an empty line without texts; to stderr with `err`."""
    shown = map(one_line, lines)
    click.echo("\n".join(shown if paint is None else map(paint, shown)), err=err, color=None if paint is None else True)
    if not err:
        check_stdout()


def check_stdout() -> None:
    """Flushes stdout; raises a `WriteError` on failure. If the reader has gone, a command that only prints exits."""
    sys.stdout.flush()
    error = streams.lost(sys.stdout)
    if error is None:
        return
    if error.errno != errno.EPIPE:
        refused = cannot_write("stdout", error)
        refused.exit_code = EXIT_ENDED_EARLY
        raise refused.add(", or redirect it elsewhere")
    context = click.get_current_context(silent=True)
    if context is None or FINISHES not in context.meta:
        raise click.exceptions.Exit(EXIT_UNREAD)


def echo_text(text: str, err: bool = False) -> None:
    """Prints a text of several lines, such as a table."""
    echo(*text.split("\n"), err=err)


def echo_wrapped(*lines: str, indent: str = "  ", err: bool = False) -> None:
    """Prints lines in the terminal's width, indenting where they continue."""
    echo(*[part for line in lines for part in wrapped(line, indent, width())], err=err)


def say(*lines: str) -> None:
    """Prints lines on stderr."""
    echo(*lines, err=True)


def echo_json(text: str) -> None:
    """Prints JSON, with JSON escapes for unprintable characters."""

    def escaped(char: re.Match[str]) -> str:
        units = char[0].encode("utf-16-be", "surrogatepass")
        return char[0] if char[0].isprintable() else "".join(f"\\u{unit:04x}" for (unit,) in iter_unpack(">H", units))

    click.echo(_UNPRINTABLE.sub(escaped, text))
    check_stdout()


def echo_sheet(sheet: "Sheet", form: "TableFormat") -> None:
    """Prints a sheet in a form, in the terminal's width."""
    (echo_json if form == "json" else echo_text)(sheet.text(form, width()))


def show_markdown(text: str) -> None:
    """Shows Markdown: rendered on a terminal, unchanged elsewhere."""
    text = "".join([part if part in "\n\t" else one_line(part) for part in re.split(r"([\n\t])", text.rstrip("\n"))])
    if sys.stdout.isatty():
        click.echo(_laid_out(text), nl=False, color=True)
    else:
        click.echo(text)
    check_stdout()


def _laid_out(text: str) -> str:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    console = Console(
        width=min(width(), 100),  # longer lines are hard to read
        force_terminal=True,
        theme=Theme({"markdown.code": "cyan", "markdown.code_block": "none"}),  # readable on any background
    )
    with console.capture() as captured:
        console.print(Markdown(text, code_theme="ansi_light", hyperlinks=False))
    return "".join([line.rstrip(" ") for line in captured.get().splitlines(keepends=True)])


def confirm_or_raise(question: str, lines: Sequence[str], unasked: str, refused: str) -> None:
    """Asks a question below some lines on stderr; the end of the input means no.

    Raises a `RunError` with `refused` if the answer is no, or with `unasked` without a terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RunError(unasked)
    echo(*lines, err=True)
    try:
        with interrupt.handled():
            answer = click.confirm(one_line(question), err=True)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        answer = False
    if not answer:
        raise RunError(refused)
