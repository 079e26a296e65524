"""What the shell proposes for an argument or an option: runs, bots, games, hosts, pages.

The functions are called while the user types, so what cannot be found is not proposed, and no error is shown. Names
that a shell would not take as they stand are not proposed either.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"

_PLAIN = re.compile(r"[\w.+/-]+")


def _completer(names: Callable[[], Iterable[str]], *others: str) -> Complete:
    """Returns what Click asks for names; `others` is what the shell itself is to propose: `file`, `dir`."""

    def complete(_context: click.Context, _param: click.Parameter, typed: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        found = [CompletionItem(typed, type=other) for other in others]
        with suppress(Exception):  # there is no place where it could be said
            found += [CompletionItem(name) for name in names() if name.startswith(typed) and _PLAIN.fullmatch(name)]
        return found

    return complete


def _runs() -> Iterable[str]:
    from tourney.journal.folder import MANIFEST

    return sorted([manifest.parent.name for manifest in Path("results").glob(f"*/{MANIFEST}")])


def _bots() -> Iterable[str]:
    from tourney.plugins import registry

    return registry.bot_names()


def _games() -> Iterable[str]:
    from tourney.plugins import registry

    return registry.game_names()


def _hosts() -> Iterable[str]:
    from tourney.plugins import registry

    return registry.host_names()


def _pages() -> Iterable[str]:
    from tourney.cli.pages import page_names

    return page_names()


runs = _completer(_runs, "dir")
bots = _completer(_bots, "file")
games = _completer(_games)
hosts = _completer(_hosts)
pages = _completer(_pages)
