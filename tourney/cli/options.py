"""Arguments and options shared by several commands, with their shell completion and lookup."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import click

from tourney.base.errors import ConfigError, RunError, listed
from tourney.cli.screen import confirm_or_raise, echo, say

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from tourney.config.writing import GateFile, PlannedMirror
    from tourney.journal.run import RunFolder
    from tourney.schedule.base import Schedule

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)
Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list["CompletionItem"]]


class Decorator(Protocol):
    """A decorator that adds options to a command."""

    def __call__(self, command: FC, /) -> FC:
        """Adds the options."""


def completer(module: str, names: str, *others: str) -> Complete:
    """A completer for the names listed by a module's function; `others` are the shell's own types, such as `file`."""

    def complete(_context: click.Context, _param: click.Parameter, typed: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        items = [CompletionItem(typed, type=other) for other in others]
        with suppress(Exception):  # the shell could not show an error
            listed: Iterable[str] = getattr(import_module(module), names)()
            items += [CompletionItem(name) for name in listed if name.startswith(typed)]
        return items

    return complete


def run_names() -> list[str]:
    """The names of the runs under results/."""
    from tourney.journal.folder import MANIFEST

    return sorted([manifest.parent.name for manifest in Path("results").glob(f"*/{MANIFEST}")])


complete_run = completer(__name__, "run_names", "dir")
complete_bot = completer("tourney.plugins.registry", "bot_names", "file")
complete_game = completer("tourney.plugins.registry", "game_names")
complete_host = completer("tourney.plugins.registry", "host_names")

PATH = click.Path(path_type=Path)
FOLDER_PATH = click.Path(exists=True, file_okay=False, path_type=Path)
PINS = click.option(
    "--pins", metavar="FOLDER", type=PATH, help="Ask the bot at the decisions that `tourney pin` wrote to FOLDER."
)
RUN = click.argument("run", shell_complete=complete_run)
RUNS = click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)
FORMAT = click.option(
    "--format", "form", type=click.Choice(["table", "markdown", "csv", "json"]), default="table", show_default=True,
    help="Output format.",
)  # fmt: skip
NAMES = click.option(
    "--name", "names", metavar="HOST", multiple=True,
    help="Host name to accept in requests, such as your proxy's name; repeatable.",
)  # fmt: skip
WORKERS = click.option(
    "--workers", "processes", metavar="N|ADDRESS",
    help="Number of worker processes; N! may exceed the processors even if bots have time limits. Or a dask cluster: "
    "its scheduler at tcp://HOST:PORT or tls://HOST:PORT, or local:N to start N workers here.  "
    "[default: one per processor]",
)  # fmt: skip
GAMES = click.option(
    "--game", "games", multiple=True, metavar="GAME[:SEATS]", shell_complete=complete_game,
    help="Game to play; repeatable.",
)  # fmt: skip
GAME_OPTIONS = click.option(
    "--option", "options", multiple=True, metavar="GAME.KEY=VALUE", help="Set a game option; repeatable."
)
BOTS_CONFIG = click.option("--config", type=PATH, help="Read games, [[bot]] tables and limits from this file.")
FIELD = click.option(
    "--field", multiple=True, metavar="BOT", shell_complete=complete_bot,
    help="Measure both against these opponents instead of each other; repeatable.",
)  # fmt: skip
HOST = click.option(
    "--host", shell_complete=complete_host,
    help="Host for bots in files; inline is faster, but two versions may share modules.  "
    "[default: from --config, or process]",
)  # fmt: skip
QUIET = click.option("-q", "--quiet", is_flag=True, help="Print only the result, no progress.")
RESUME = click.option("--resume", is_flag=True, help="Continue the run in the folder.")
OVERWRITE = click.option("--overwrite", is_flag=True, help="Delete the previous run in the folder and start over.")
OPTIONS = click.option(
    "--options", default="", callback=lambda _context, _param, text: toml_table("--options", text, "{ playouts = 20 }"),
    help='Bot options as a TOML table: "{ playouts = 20 }".',
)  # fmt: skip
PROGRAM = click.option("--command", "is_command", is_flag=True, help="BOT is a command line.")
TO_FILE = click.option("-o", "--out", metavar="FILE", type=PATH, required=True, help="Output file.")
FOLDER = click.option(
    "--folder", type=FOLDER_PATH,
    help="Look for FILE.py:NAME in this folder.  [default: the current folder, or one that contains RUN]",
)  # fmt: skip
AT = click.option(
    "--at", metavar="EVENT|DATE",
    help="Show a league as it was just before an event, such as entered:thief@2 or thief@2, or at a "
    "date (UTC), which means its end.",
)  # fmt: skip
BY_NAME = click.option("--by-name", is_flag=True, help="Take all versions of a bot together, under its name.")
TRUST = click.option("--trust", is_flag=True, help="Run the bots that RUN names, even if someone else played it.")


def out(default: str) -> Decorator:
    """The option for a run's folder, with its default for the help."""
    return click.option("--out", type=PATH, help=f"Run folder.  [default: {default}]")


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order of the help."""

    def decorate(command: FC) -> FC:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


PLAYED = together(GAMES, GAME_OPTIONS, BOTS_CONFIG, HOST)
DRAWN = "random"  # the `--seed` that draws one
SECRET_LETTERS = 16  # how many letters a seed has at least that is taken for a secret


def _hide(_context: click.Context, _param: click.Parameter, seed: str) -> str:
    """Takes a seed that nobody can guess out of the environment, which bots inherit."""
    for name in [name for name, value in os.environ.items() if value == seed and len(seed) >= SECRET_LETTERS]:
        del os.environ[name]
    return seed


def duel(kind: str) -> Decorator:
    """The options for comparing two bots on the same deals."""
    seed = click.option(
        "--seed", default=kind, show_default=True, callback=_hide, help=f'Seed of the deals; "{DRAWN}" draws one.'
    )
    return together(PLAYED, FIELD, seed, out(f"results/{kind}-NEW-vs-OLD"), RESUME, OVERWRITE, WORKERS, QUIET)


def address(port: int, required: bool = False) -> Decorator:
    """The option for a server's address: None, or host and port, which defaults to `port`."""

    def read(_context: click.Context, _param: click.Parameter, texts: Sequence[str]) -> tuple[str, int] | None:
        host, number = "127.0.0.1", port
        for text in texts:
            parts = re.fullmatch(r"(\[[^\]]+\]|[^:]*[^:\d][^:]*|.*::.*|)(?::?(\d{1,5}))?", text)
            if parts is None or not text or int(parts[2] or 0) > 65535:
                raise click.BadParameter(f"{text}: expected HOST, PORT or HOST:PORT, for example 0.0.0.0:8000")
            host, number = parts[1].strip("[]") or host, int(parts[2] or number)
        return (host, number) if texts else None

    return click.option(
        "--address", metavar="[HOST:]PORT", multiple=True, required=required, callback=read,
        help=f"Address to listen on; port 0 picks a free port.  [default: 127.0.0.1{'' if required else f':{port}'}]",
    )  # fmt: skip


def say_served(what: object, risk: str, url: str, reachable: bool) -> None:
    """Prints a server's address, below a warning of a `risk` if other machines can reach it."""
    if reachable:
        say(f"warning: anyone who can reach {url} {risk}; use a firewall or --address 127.0.0.1")
    echo(f"serving {what} at {url}")


def exclusive(**given: object) -> None:
    """Raises a `ConfigError` if more than one of these options is given."""
    there = [name for name, value in given.items() if value not in (None, ()) and value is not False]
    named = [f"--{name.replace('_', '-')}" for name in there]
    if len(named) > 1:
        raise ConfigError(f"{' and '.join(named)} cannot be combined")


def toml_value(text: str) -> Any:
    """The text's TOML value, or the text itself."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, KeyError, RecursionError):  # also for numbers of thousands of digits
        return text


def key_values(given: Sequence[str]) -> dict[str, Any]:
    """The values of `--option KEY=VALUE` by key."""
    values = {}
    for option in given:
        key, sign, value = option.partition("=")
        if not (key and sign):
            raise ConfigError(f"--option {option}: expected KEY=VALUE, for example target=11")
        values[key] = toml_value(value)
    return values


def games_of(
    config: Path | None, games: Sequence[str], options: Sequence[str]
) -> "tuple[GateFile, list[dict[str, Any]]]":
    """The parts used of `--config`; its games and every `--game` with its `--option GAME.KEY=VALUE`."""
    from tourney.config import writing

    file = writing.read_file(config) if config is not None else writing.GateFile((), {}, {}, {})
    tables = [writing.game_table(text) for text in games]
    for option in options:
        at, sign, value = option.partition("=")
        name, dot, key = at.partition(".")
        if not (sign and dot and name and key):
            raise ConfigError(f"--option {option}: expected GAME.KEY=VALUE, for example vole.target=11")
        meant = [table for table in tables if table["name"] == name]
        if not meant:
            raise ConfigError(f"--option {option}: no --game {name}; add it")
        for table in meant:
            table.setdefault("options", {})[key] = toml_value(value)
    if not (file.games or tables):
        raise ConfigError("no game given; use --game GAME, or --config FILE with [[game]] tables")
    return file, [*file.games, *tables]


def mirror(
    kind: str, *, new: str, old: str, deals: int, field: Sequence[str], games: Sequence[str], options: Sequence[str],
    config: Path | None, seed: str, out: Path | None, host: str | None,
) -> "PlannedMirror":  # fmt: skip
    """The mirror for a command line; `kind` is the prefix of its run's name."""
    from tourney.config import writing

    file, tables = games_of(config, games, options)
    bots = writing.bot_tables((new, old, *field), file.bots, host, file.defaults)
    resumes = click.get_current_context().params["resume"]
    drawn = seed if seed != DRAWN else partial(writing.drawn_seed, resumes=resumes)
    return writing.PlannedMirror.of_tables(kind, bots, tables, file.limits, drawn, deals, out, keys=file.keys)


def toml_table(option: str, text: str, example: str) -> dict[str, Any]:
    """An option's TOML table, such as `{ playouts = 20 }`; empty for an empty text."""
    import tomllib

    try:
        table = tomllib.loads(f"table = {text or '{}'}")["table"]
    except (ValueError, RecursionError) as error:  # also for numbers of thousands of digits
        raise ConfigError(f'{option}: invalid TOML ({error}); for example "{example}"') from None
    if not isinstance(table, dict):
        raise ConfigError(f'{option}: expected a table, for example "{example}"')
    return table


def require_number(workers: str | None) -> None:
    """Raises a `ConfigError` for a cluster; the command only runs on this machine."""
    if ":" in (workers or ""):
        raise ConfigError(f"--workers {workers}: expected a number, because this command does not run on a cluster")


def say_if_unfinished(matches: int, plan: "Schedule") -> None:
    """Prints on stderr how much of an unfinished run was played; for a league, only if nothing was."""
    if plan.goes_on and not matches:
        say("no matches yet; submit a bot for every seat, then run `tourney league play`")
    elif not (plan.goes_on or plan.is_over(matches)):
        remedy = "" if matches else "; resume the run to finish it"
        say(f"incomplete: {matches} of {plan.describe_size()} played{remedy}")


def find_run(run: str, bots: Sequence[str] = (), by_name: bool = False, at: str | None = None) -> "RunFolder":
    """The run, with versions of bots named without one, or of all `by_name`, as one entrant; refuses other names."""
    from tourney.journal.run import RunFolder

    found = RunFolder.find(run) if at is None else RunFolder.find(run).at(at)
    return (found.by_name() if by_name else found).with_bots(*bots)


def check_rounds(schedule: "Schedule", option: str) -> None:
    """Raises a `RunError` if an option needs rounds and the schedule has none."""
    if schedule.round_of(0) is None:
        raise RunError(f"{option}: {schedule.name} tournaments have no rounds")


def trusting(run: Path, trusted: bool) -> Callable[[Sequence[str]], None]:
    """A function that asks the user before running an untrusted run's code, or raises a `RunError`."""

    def ask(code: Sequence[str]) -> None:
        if trusted:
            return
        shown = [each if len(each) <= 300 else f"{each[:300]}…" for each in code]
        confirm_or_raise(
            "run them?",
            [
                f"You did not play {run} on this machine. This command would run, with your permissions:",
                *[f"  {each}" for each in shown],
            ],
            f"{run}: untrusted run, which would execute {listed(shown, 3)}; review it, then use --trust",
            f"{run}: nothing was run; review its code first",
        )

    return ask
