"""`tourney games`: lists the games that are installed, or describes one."""

import json
import re
import textwrap
from inspect import formatannotation, get_annotations, getdoc, signature
from types import FunctionType
from typing import Any

import click

from tourney.base.errors import ConfigError, PluginError
from tourney.base.sheet import columns_of, columns_text
from tourney.base.validation import field_docs
from tourney.cli.commands.docs import show_rules
from tourney.cli.options import complete_game, exclusive
from tourney.cli.render.describe import folded, loaded, options_lines, print_unusable
from tourney.cli.screen import echo, echo_text, width
from tourney.contracts.game import Game, View, seats_text
from tourney.plugins import registry
from tourney.plugins.failures import reading_options
from tourney.plugins.rules_pages import rules_address


@click.command("games")
@click.argument("name", required=False, shell_complete=complete_game)
@click.option("--rules", is_flag=True, help="Show the game's rules.")
@click.option("--view", is_flag=True, help="List the attributes of the game's views, as bots get them.")
def command(name: str | None, rules: bool, view: bool) -> None:
    """List the installed games, or describe one.

    Describes NAME's seats, actions and options; with --rules or --view, its rules or its views.
    """
    exclusive(rules=rules, view=view)
    if name is None:
        if rules or view:
            flag = "--rules" if rules else "--view"
            raise ConfigError(f"{flag} requires a game, for example tourney games vole {flag}")
        games, broken = loaded(registry.game_names(), _load)
        rows = [[game.name, game.title, seats_text(game.seats)] for game in games.values()]
        echo_text(columns_text(columns_of(("game", "title", "seats"), rows, words=(0, 1, 2)), "table", width()))
        print_unusable("game", broken)
        return
    game = _load(name)
    if view:
        echo(*_view_lines(game, width()))
    elif rules:
        show_rules(game)
    else:
        with reading_options(game):
            options = options_lines(game.Options)
        echo(
            f"{game.name}: {game.title}",
            f"seats    {seats_text(game.seats)}",
            f"rules    {rules_address(game) or f'tourney games {game.name} --rules'}",
            f"views    tourney games {game.name} --view",
            *folded("actions  ", [f"{action}  " for action in game.actions]),
            "",
            *(["options, with their defaults:", *options] if options else ["no options"]),
        )


def _load(name: str) -> Game:
    game = registry.load_game(name)
    for attribute in ("title", "rules", "actions"):
        if not getattr(game, attribute, None):
            raise PluginError(f'game "{name}": {type(game).__module__}.{type(game).__name__} is missing {attribute}')
    return game


def _view_lines(game: Game, width: int) -> list[str]:
    with reading_options(game, " when a match starts"):
        state = game.start(game.seats[0], game.options(game.seats[0], {}), 1)
        view: View = state.view(0 if state.seat is None else state.seat)
    lines = [f"{game.name}: the view that bots receive, see {type(view).__module__}", ""]
    for text, doc in members(type(view)):
        lines += [f"  {text}", *textwrap.wrap(doc, width - 2, initial_indent="      ", subsequent_indent="      ")]
    parts = textwrap.wrap(json.dumps(view.as_dict(), ensure_ascii=False), width - 2, break_on_hyphens=False)
    caption = "as JSON, as sent to programs; here at a match's first decision:"
    return [*lines, "", *textwrap.wrap(caption, width), *[f"  {part}" for part in parts]]


def members(kind: type[View]) -> list[tuple[str, str]]:
    """The public members of a view with their types, and the first paragraph of their docstrings."""
    fields: dict[str, tuple[str, str]] = {}
    methods: dict[str, tuple[str, str]] = {}
    for each in [each for each in reversed(kind.__mro__) if issubclass(each, View)]:
        docs = field_docs(each)
        fields |= {name: (f"{name}: {_text(held)}", docs.get(name, "")) for name, held in get_annotations(each).items()}
        for name, value in vars(each).items():
            doc = " ".join((getdoc(value) or "").partition("\n\n")[0].split())
            if isinstance(value, property) and value.fget is not None:
                fields[name] = f"{name}: {_text(get_annotations(value.fget).get('return', Any))}", doc
            elif isinstance(value, FunctionType):
                shown = _text(str(signature(value))).replace("(self, ", "(").replace("(self)", "()")
                methods[name] = f"{name}{shown}", doc
    return [member for name, member in (fields | methods).items() if not name.startswith("_")]


def _text(kind: Any) -> str:
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", kind if isinstance(kind, str) else formatannotation(kind))
