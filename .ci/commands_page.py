"""Generates docs/commands.md, the tables of commands, from their help; `make golden` writes it."""

import click

from tourney.cli.main import COMMANDS, GROUPS, main

BEFORE = """\
# Commands

For a full description, run `tourney COMMAND --help`. RUN is a run folder, or its name under `results/`. MATCH is a
match name from `tourney matches`; `vole-0-0` is short for `vole-00000-0`. BOT is a plugin's name, `FILE.py:NAME` or
`FOLDER:NAME`. Results go to stdout, everything else to stderr, and all commands share their [exit
codes](standings.md#exit-codes).
"""
AFTER = '''\
## Completion

To complete commands, options, runs, bots and games with Tab, add a line to your shell's start-up file:

```
eval "$(_TOURNEY_COMPLETE=bash_source tourney)"  # bash: in ~/.bashrc
eval "$(_TOURNEY_COMPLETE=zsh_source tourney)"   # zsh: in ~/.zshrc, below compinit
_TOURNEY_COMPLETE=fish_source tourney | source   # fish: in ~/.config/fish/completions/tourney.fish
```

## Add your own command

To add a command, publish a [Click](https://click.palletsprojects.com) command as an entry point in the group
`tourney.commands`. It can use [the library](api.md); a tourney error becomes one line on stderr with its exit code.
For example, `tourney upsets RUN`:

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

`tourney --help` lists the command with its distribution, without importing it. A name that tourney or another
distribution already uses is disabled, and the help names both.
'''


def page() -> str:
    """The up-to-date page: a table for each task, with a row per command or subcommand."""
    context = click.Context(main, info_name="tourney")
    lines = [BEFORE]
    for task, names in GROUPS.items():
        rows = [row for name in names for row in _rows(main, name, context)]
        lines += [f"## {task}", "", "| command | does | options |", "|---|---|---|", *rows, ""]
    return "\n".join([*lines, AFTER])


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
