"""Errors in how a command is called, in one line: what is wrong, and the remedy. Click says them otherwise."""

import re
from collections.abc import Sequence
from typing import Any

import click

from tourney.errors import did_you_mean

_VALUE = re.compile(r"^'?(?P<value>.*?)'? (?:is not|is no|does not|is a)", re.DOTALL)
_OPTION = re.compile(r"Option '(?P<name>[^']*)' (?P<needs>requires|does not take)")
_EXTRA = re.compile(r"Got unexpected extra arguments? \((?P<words>.*)\)", re.DOTALL)


class Group(click.Group):
    """A group of commands that says of an unknown one which was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the name of the subcommand that is asked for, the subcommand, and the arguments for it."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f'no command "{name}"; {did_you_mean(name, known)}', ctx)
        return super().resolve_command(ctx, args)


def line(error: click.UsageError) -> str:
    """Returns the line about an error of Click's; those that the commands raise themselves are such lines already."""
    command = error.ctx.command_path if error.ctx is not None else "tourney"
    match error:
        case click.MissingParameter():
            return f"{_name(error)} is missing; write {_pattern(error.ctx)}, and see {command} --help"
        case click.BadParameter():
            return _bad_value(error, command)
        case click.NoSuchOption():
            close = [] if error.ctx is None else _close_options(error.option_name, error.ctx)
            remedy = f"did you mean {close[0]}?" if close else f"see {command} --help"
            return f"no option {error.option_name}; {remedy}"
    return _misplaced(error, command) or error.message


def _misplaced(error: click.UsageError, command: str) -> str:
    """Returns the line about a value that is missing, or one too many; empty if that is not the error."""
    if option := _OPTION.match(error.message):
        if option["needs"] == "requires":
            return f"{option['name']} needs a value; give one behind it"
        return f"{option['name']} takes no value; leave out what is behind the ="
    if extra := _EXTRA.match(error.message):
        return f"{extra['words']}: too many arguments; write {_pattern(error.ctx)}, and see {command} --help"
    return ""


def _name(error: click.BadParameter) -> str:
    """Returns what a parameter is called on the command line."""
    given = error.param
    if given is None:
        hint = error.param_hint or "a parameter"
        return hint if isinstance(hint, str) else " / ".join(hint)
    if isinstance(given, click.Option):
        return max(given.opts, key=len) + (f" {_metavar(given)}" if isinstance(error, click.MissingParameter) else "")
    return _metavar(given)


def _metavar(given: click.Parameter) -> str:
    """Returns what stands for a value in the help."""
    return (getattr(given, "metavar", None) or (given.name or "").upper()).strip("[]")


def _pattern(context: click.Context | None) -> str:
    """Returns how a command is written: its name, its arguments, and the options that it cannot do without."""
    if context is None:
        return "it otherwise"
    words = [context.command_path]
    for param in context.command.params:
        if isinstance(param, click.Argument):
            words.append(_metavar(param) if param.required else f"[{_metavar(param)}]")
        elif param.required:
            words += [param.opts[0], _metavar(param)]
    return " ".join(words)


def _close_options(name: str, context: click.Context) -> list[str]:
    """Returns the option that is most like an unknown one, if there is one."""
    from difflib import get_close_matches

    params = [param for param in context.command.get_params(context) if isinstance(param, click.Option)]
    known = {option.lstrip("-"): option for param in params for option in (*param.opts, *param.secondary_opts)}
    return [known[close] for close in get_close_matches(name.lstrip("-"), known, n=1)]


def _bad_value(error: click.BadParameter, command: str) -> str:
    """Returns the line about a value that an option or an argument does not take."""
    kind: Any = error.param.type if error.param is not None else None
    found = _VALUE.match(error.message)
    if kind is None or found is None:
        return f"{_name(error)}: {error.message.rstrip('.')}; see {command} --help"
    given = f"{_name(error)} {found['value']}"
    match kind:
        case click.Choice():
            return f"{given}: {_meant(found['value'], list(map(str, kind.choices)))}"
        case click.IntRange() | click.FloatRange():
            return f"{given}: give {_numbers(kind)}"
        case click.Path():
            return f"{_name(error)}: {_after_name(error.message)}; give another path"
        case click.types.IntParamType() | click.types.FloatParamType():
            return f"{given}: give {'a whole number' if kind.name == 'integer' else 'a number'}"
    return f"{given}: is not what it takes; see {command} --help"


def _meant(value: str, choices: Sequence[str]) -> str:
    close = did_you_mean(value, choices)
    return f"is none of {', '.join(choices)}" + (f"; {close}" if close.startswith("did") else "; give one of them")


def _numbers(kind: click.IntRange | click.FloatRange) -> str:
    """Returns which numbers lie in a range."""
    what = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    least, most = kind.min, kind.max
    if least is None:
        return what if most is None else f"{what} {'below' if kind.max_open else 'up to'} {most:g}"
    if most is None:
        return f"{what} above {least:g}" if kind.min_open else f"{what} of at least {least:g}"
    if kind.min_open or kind.max_open:
        return f"{what} between {least:g} and {most:g}"
    return f"{what} from {least} to {most}"


def _after_name(message: str) -> str:
    """Returns a message about a path, which begins with what it should be, with the path first."""
    found = re.match(r"^(?P<kind>File|Directory|Path) '(?P<path>.*)' (?P<problem>.*?)\.?$", message, re.DOTALL)
    if found is None:
        return message.rstrip(".")
    kind = {"Directory": "folder"}.get(found["kind"], found["kind"].lower())
    problem = found["problem"].replace("directory", "folder")
    return f"the {kind} {found['path']} {problem}"
