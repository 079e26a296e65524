"""The text of docs/commands.md, the table of commands, from the help of the commands; `make golden` writes it."""

import click

from tourney.cli.main import COMMANDS, main

BEFORE = """\
# Commands

`tourney COMMAND --help` describes a command and its options in full. This page is generated from that help: run
`make golden` after a change of a command.
"""
AFTER = '''\
RUN is the folder of a run, or its name under `results/`. MATCH is a match of the run as `tourney matches` lists it;
`vole-0-0` is short for `vole-00000-0`. A BOT is a plugin's name, `FILE.py:NAME` or `FOLDER:NAME`.

Results go to stdout, everything else to stderr. All commands share their [exit
codes](configuration.md#exit-codes).

## Completion

With `eval "$(_TOURNEY_COMPLETE=bash_source tourney)"` in `~/.bashrc`, or the same with `zsh_source` in `~/.zshrc` below
`compinit`, Tab completes commands and options, runs, bots and games. For fish, put
`_TOURNEY_COMPLETE=fish_source tourney | source` into `~/.config/fish/completions/tourney.fish`.

## A command of your own

A distribution may bring commands: objects of [Click](https://click.palletsprojects.com), as entry points of the group
`tourney.commands`. They may use [the library](api.md), and an error of tourney that they raise becomes one line on
stderr with its exit code. This one is called as `tourney upsets RUN`:

```python
# upsets.py
import click

import tourney


@click.command()
@click.argument("run")
def upsets(run: str) -> None:
    """List the matches of RUN that its last bot has won."""
    played = tourney.load(run)
    for match in played.matches(played.standings().rows[-1].bot, outcome="won"):
        click.echo(match.match)
```

```toml
# pyproject.toml
[project]
name = "tourney-upsets"
version = "1.0"
dependencies = ["tourney-cards"]

[project.entry-points."tourney.commands"]
upsets = "upsets:upsets"
```

`tourney --help` lists it with its distribution, and does not import it. A name that tourney has already, or that two
distributions bring, cannot be used; the help says which they are.

*Tests:* `tests/project/test_docs.py` (the command above, from another distribution), `tests/plugins/test_plugins.py`.
'''


def page() -> str:
    """The page as it should be: a row for each command, or for each command of a group."""
    context = click.Context(main, info_name="tourney")
    rows = [row for name in main.list_commands(context) for row in _rows(main, name, context)]
    return "\n".join([BEFORE, "| command | does | options |", "| --- | --- | --- |", *rows, "", AFTER])


def _rows(group: click.Group, name: str, parent: click.Context) -> list[str]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    if isinstance(command, click.Group):
        return [row for each in command.list_commands(context) for row in _rows(command, each, context)]
    usage = [part for part in command.collect_usage_pieces(context) if part != "[OPTIONS]"]
    options = [
        f"`{max(param.opts, key=len)}`"
        for param in command.get_params(context)
        if isinstance(param, click.Option) and not param.hidden and "--help" not in param.opts
    ]
    called = f"`{' '.join([context.command_path, *usage])}`".replace("|", "\\|")
    text = COMMANDS.get(name) if group is main else None
    return [f"| {called} | {text or command.get_short_help_str(limit=200)} | {' '.join(options)} |"]
