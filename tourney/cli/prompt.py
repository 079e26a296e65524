"""Asks a person for a line: with completion on a terminal, without a word in a pipe."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tourney.cli import interrupt
from tourney.cli.screen import echo, show_question


class Prompt:
    """Reads what a person answers, line by line."""

    def __init__(self) -> None:
        """Finds out whether a person is there, or a pipe."""
        self.is_terminal = sys.stdin.isatty()
        """Whether the answers are typed."""
        self._edits = self.is_terminal and sys.stdout.isatty()
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="backslashreplace")

    def ask(self, question: str, words: Sequence[str]) -> str | None:
        """Returns the next line without spaces around it; None at the end of the input.

        Args:
            question: What is asked; shown on a terminal only.
            words: What Tab completes.

        Raises:
            KeyboardInterrupt: The person has pressed Ctrl-C.
        """
        if self._edits:
            with _completed(words), interrupt.handled():
                try:
                    return input(question).strip()
                except EOFError:
                    echo("")  # the cursor stands behind the question
                    return None
        if self.is_terminal:
            show_question(question)
        line = sys.stdin.readline()
        return line.strip() if line else None


@contextmanager
def _completed(words: Sequence[str]) -> Iterator[None]:
    """Has Tab complete these words in this context, where Python can edit lines."""
    try:
        import readline
    except ImportError:
        yield
        return

    def complete(typed: str, number: int) -> str | None:
        return next(
            (word for i, word in enumerate(filter(lambda each: each.startswith(typed), words)) if i == number), None
        )

    readline.set_completer(complete)
    readline.set_completer_delims("\n")  # actions have colons and spaces in them
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
