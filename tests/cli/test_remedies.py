"""What to do about an error is said in the words of the command line by the command line alone."""

import ast
import re
from importlib import import_module
from pathlib import Path

import click
import pytest

from tourney.cli.main import COMMANDS
from tourney.errors import ConfigError, RunError, UnsuitableFolderError
from tourney.remedies import remedies

PACKAGE = Path(__file__).parents[2] / "tourney"
WRITES_COMMANDS = PACKAGE / "scaffold.py"
"""What it writes into a new package are commands for people to type."""
BELOW = sorted(path for path in PACKAGE.rglob("*.py") if path.parts[len(PACKAGE.parts)] != "cli")


def flags() -> set[str]:
    """Every flag of every command."""
    groups: list[click.Command] = [import_module(f"tourney.cli.commands.{name}").command for name in COMMANDS]
    found = set()
    while groups:
        command = groups.pop()
        found |= {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        groups += command.commands.values() if isinstance(command, click.Group) else []
    return {flag for flag in found if flag.startswith("--")}


def test_the_flags_are_found():
    assert flags() >= {"--resume", "--against", "--decisions-of", "--no-pager", "--language"}


@pytest.mark.parametrize(
    "path", [path for path in BELOW if path != WRITES_COMMANDS], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_text_below_the_command_line_names_a_flag(path):
    known = flags()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = set(re.findall(r"--[a-z][a-z0-9-]*", node.value)) & known
            assert not named, f"line {node.lineno} names {', '.join(sorted(named))}"


def test_a_remedy_is_added_to_errors_of_its_class_only():
    known = {RunError: "remove it", ConfigError: "write it anew"}
    with pytest.raises(UnsuitableFolderError, match=r"^there is no room; remove it$"), remedies(known):
        raise UnsuitableFolderError("there is no room")
    with pytest.raises(ConfigError, match=r"^it is wrong; write it anew$"), remedies(known):
        raise ConfigError("it is wrong")
    with pytest.raises(ConfigError, match=r"^it is wrong$"), remedies({RunError: "remove it"}):
        raise ConfigError("it is wrong")
