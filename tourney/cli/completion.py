"""What the shell proposes for an argument or an option: runs, their matches, bots and games; bots, games, pages.

The functions are called while the user types, so that what cannot be found is not proposed, and nothing is said of it.
Names that a shell would not take as they stand are not proposed either.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from tourney.config import Tournament

Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"

MOST = 1000
"""How many names are proposed at the most."""

_PLAIN = re.compile(r"[\w.+/-]+")
_MATCH = re.compile(rb'\{"match":"([\w.+-]+)"')


def _completer(*others: str) -> Callable[[Callable[[click.Context], Iterable[str]]], Complete]:
    """Makes a function that returns names into one that Click asks for what may follow what has been typed.

    Args:
        others: What the shell itself is to propose beside the names: `file`, `dir`.
    """

    def decorate(names: Callable[[click.Context], Iterable[str]]) -> Complete:
        @wraps(names)
        def complete(context: click.Context, _param: click.Parameter, typed: str) -> "list[CompletionItem]":
            from click.shell_completion import CompletionItem

            found = [CompletionItem(typed, type=other) for other in others]
            with suppress(Exception):  # there is no place where it could be said
                fitting = (name for name in names(context) if name.startswith(typed) and _PLAIN.fullmatch(name))
                found += [CompletionItem(name) for name in islice(fitting, MOST)]
            return found

        return complete

    return decorate


@_completer("dir")
def runs(_context: click.Context) -> Iterable[str]:
    """Proposes the runs under results/, and folders."""
    from tourney.journal.folder import MANIFEST

    return sorted([manifest.parent.name for manifest in Path("results").glob(f"*/{MANIFEST}")])


@_completer()
def matches(context: click.Context) -> Iterator[str]:
    """Proposes the matches of the run that the command line names."""
    from tourney import regular_files
    from tourney.journal.folder import JOURNAL, find_run

    with regular_files.open_binary(find_run(_run(context)) / JOURNAL) as journal:
        for line in journal:
            if found := _MATCH.match(line):
                yield found[1].decode()


@_completer()
def run_bots(context: click.Context) -> Iterable[str]:
    """Proposes the bots of the run that the command line names."""
    return _tournament(context).names


@_completer()
def run_games(context: click.Context) -> Iterable[str]:
    """Proposes the games of the run that the command line names."""
    return _tournament(context).games


def _tournament(context: click.Context) -> "Tournament":
    from tourney import config
    from tourney.journal import folder

    return config.of_manifest(folder.read_manifest(folder.find_run(_run(context))))


def _run(context: click.Context) -> str:
    """Returns the first argument: unparsed, if the word before the one that is typed is an option without its value."""
    run: str = context.params.get("run") or context.args[0]
    return run


@_completer("file")
def bots(_context: click.Context) -> Iterable[str]:
    """Proposes the bots that are plugins, and files, since FILE.py:NAME is a bot, too."""
    from tourney import plugins

    return plugins.bot_names()


@_completer()
def games(_context: click.Context) -> Iterable[str]:
    """Proposes the games."""
    from tourney import plugins

    return plugins.game_names()


@_completer()
def hosts(_context: click.Context) -> Iterable[str]:
    """Proposes the hosts."""
    from tourney import plugins

    return plugins.host_names()


@_completer()
def pages(_context: click.Context) -> Iterable[str]:
    """Proposes the pages of the documentation."""
    from tourney.pages import page_names

    return page_names()
