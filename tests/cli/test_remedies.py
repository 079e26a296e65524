"""What to do about an error is said in the words of the command line by the command line alone."""

import ast
import re
from pathlib import Path

import click

from tourney.cli.main import COMMANDS, load_command

PACKAGE = Path(__file__).parents[2] / "tourney"


def flags() -> set[str]:
    groups: list[click.Command] = [load_command(name) for name in COMMANDS]
    found = set()
    while groups:
        command = groups.pop()
        found |= {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        groups += command.commands.values() if isinstance(command, click.Group) else []
    return {flag for flag in found if flag.startswith("--")}


def test_no_text_below_the_command_line_names_a_flag():
    known = flags()
    below = [path for path in PACKAGE.rglob("*.py") if path.parts[len(PACKAGE.parts)] != "cli"]
    assert below
    for path in below:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = set(re.findall(r"--[a-z][a-z0-9-]*", node.value)) & known
                assert not named, f"line {node.lineno} of {path} names {', '.join(sorted(named))}"
