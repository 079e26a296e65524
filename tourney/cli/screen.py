"""Prints all that the commands print, with whatever could steer a terminal spelled out as Python's repr does.

Names, answers and descriptions come from bots and from files that somebody else may have made. Spelled out is what
`str.isprintable` does not call printable: control characters, marks that reorder text, spaces of odd widths, line
breaks within a line. Colours are added after that, by those who pass `paint`.
"""

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import click

from tourney import standard_streams
from tourney.cli import interrupt
from tourney.errors import EXIT_ENDED_EARLY, EXIT_UNREAD, cannot_write, one_line

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

Paint: TypeAlias = Callable[[str], str]
"""Returns a line with colours and signs added; the line has been spelled out before."""

LEAST_WIDTH = 40
"""How many columns lines are laid out for at least, in a narrower terminal too."""
USUAL_WIDTH = 80
"""How many columns lines are laid out for where there is no terminal."""
WIDEST_PAGE = 100
"""How many columns a page of the documentation has at most: longer lines are hard to read."""

_UNPRINTABLE = re.compile(r"[^ -~\n]")

FINISHES = "tourney.finishes"
"""The key in the `meta` of the context of a command that goes on although nobody reads what it prints."""


def width() -> int:
    """Returns how many columns the lines on stdout may have: what `COLUMNS` says, or those of the terminal."""
    return max(shutil.get_terminal_size((USUAL_WIDTH, 24)).columns, LEAST_WIDTH)


def _painted(lines: Sequence[str], paint: Paint | None) -> str:
    shown = map(one_line, lines)
    return "\n".join(shown if paint is None else map(paint, shown))


def echo(*lines: str, err: bool = False, paint: Paint | None = None) -> None:
    """Prints each text as one line, or an empty line if there is none; to stderr with `err`."""
    click.echo(_painted(lines, paint), err=err, color=None if paint is None else True)
    if not err:
        check_stdout()


def check_stdout() -> None:
    """Sees to it that what was printed to stdout has got there.

    If it has not since nobody reads on, a command that has nothing else to do ends.
    """
    sys.stdout.flush()
    error = standard_streams.lost(sys.stdout)
    if error is None:
        return
    if error.errno != errno.EPIPE:
        refused = cannot_write("stdout", error)
        refused.exit_code = EXIT_ENDED_EARLY
        raise refused.add(", or send it to another place")
    context = click.get_current_context(silent=True)
    if context is None or FINISHES not in context.meta:
        raise click.exceptions.Exit(EXIT_UNREAD)


def echo_text(text: str, err: bool = False) -> None:
    """Prints a text of several lines, such as a table."""
    echo(*text.split("\n"), err=err)


def echo_json(text: str) -> None:
    """Prints JSON; within its texts, unprintable characters are escaped as JSON escapes them."""
    click.echo(_UNPRINTABLE.sub(lambda char: char[0] if char[0].isprintable() else _json_escape(char[0]), text))
    check_stdout()


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join([f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)])


def echo_formatted(text: str, form: str) -> None:
    """Prints a table in the format of that name, see `tourney.text_tables`."""
    if form == "json":
        echo_json(text)
    else:
        echo_text(text)


def show_markdown(text: str) -> None:
    """Shows a text in Markdown: laid out for reading on a terminal, and as it is elsewhere."""
    text = "".join([part if part in "\n\t" else one_line(part) for part in re.split(r"([\n\t])", text.rstrip("\n"))])
    if sys.stdout.isatty():
        click.echo(_laid_out(text), nl=False, color=True)
    else:
        click.echo(text)
    check_stdout()


def _laid_out(text: str) -> str:
    """Returns a text in Markdown as lines for a terminal of this width, with colours where there are some."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    console = Console(
        width=min(width(), WIDEST_PAGE),
        force_terminal=True,
        theme=Theme({"markdown.code": "cyan", "markdown.code_block": "none"}),  # readable on any background
    )
    with console.capture() as captured:
        console.print(Markdown(text, code_theme="ansi_light", hyperlinks=False))
    return "".join([line.rstrip(" ") for line in captured.get().splitlines(keepends=True)])


def clear() -> None:
    """Clears the terminal."""
    click.clear()


def show_question(question: str) -> None:
    """Prints a question on stderr, and stays behind it."""
    click.echo(one_line(question), nl=False, err=True)


def confirm(question: str) -> bool:
    """Asks a question on stderr that is to be answered with yes or no; the end of the input is a no."""
    try:
        with interrupt.handled():
            return click.confirm(one_line(question), err=True)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        return False


class LiveView(NamedTuple):
    """What is shown at the foot of a terminal while something goes on."""

    share: float
    """How much of it is done, from 0 to 1."""
    rows: Sequence[tuple[str, str]]
    """What to say of it: each row has a name and a text. Long texts are folded, and nothing is cut off."""


def can_show_live() -> bool:
    """Returns whether stderr is a terminal on which lines can be written anew."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")


@contextmanager
def live() -> Iterator[Callable[[LiveView], None]]:
    """Gives a function that shows a view at the foot of the terminal of stderr, in place of the one before."""
    with ExitStack() as stack:
        shown: list[Live] = []

        def show(view: LiveView) -> None:
            if not shown:
                live_display = _new_live()
                stack.enter_context(interrupt.undone(live_display.stop))
                shown.append(stack.enter_context(live_display))
            shown[0].update(_rendered(view), refresh=True)

        yield show


def _new_live() -> "Live":
    """Returns what shows views; made when there is something to show, since rich takes a while to import."""
    from rich.console import Console
    from rich.live import Live

    return Live(console=Console(stderr=True), auto_refresh=False, transient=True, redirect_stdout=False)


def _rendered(view: LiveView) -> "Group":
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    share = min(max(view.share, 0.0), 1.0)
    bar, rows = Table.grid(padding=(0, 1), expand=True), Table.grid(padding=(0, 2))
    bar.add_column(ratio=1)
    bar.add_column(justify="right")
    bar.add_row(ProgressBar(total=1.0, completed=share), Text(f"{int(100 * share)} %"))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for name, text in view.rows:
        rows.add_row(Text(one_line(name)), Text(one_line(text)))
    return Group(bar, rows)
