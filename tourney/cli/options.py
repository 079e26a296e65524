"""Arguments and options that several commands share, what the shell completes them with, and how they are looked up."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.cli.screen import confirm_or_raise, echo

if TYPE_CHECKING:
    from tourney.config.writing import GateFile, PlannedMirror
    from tourney.schedule.base import Schedule

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)
Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class Decorator(Protocol):
    """What adds options to a command."""

    def __call__(self, command: FC, /) -> FC:
        """Adds them."""


def completer(module: str, names: str, *others: str) -> Complete:
    """A completer for the names that a function of a module lists; `others` is what the shell adds: `file`."""

    def complete(_context: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
        items = [CompletionItem(typed, type=other) for other in others]
        with suppress(Exception):  # the shell could not show it
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

RUN = click.argument("run", shell_complete=complete_run)
RUNS = click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)
FORMAT = click.option(
    "--format", "form", type=click.Choice(["table", "markdown", "csv", "json"]), default="table", show_default=True,
    help="Output format.",
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
BOTS_CONFIG = click.option(
    "--config", type=click.Path(path_type=Path), help="Read games, [[bot]] tables and limits from this file."
)
FIELD = click.option(
    "--field", multiple=True, metavar="BOT", shell_complete=complete_bot,
    help="Measure both against these opponents instead of each other; repeatable.",
)  # fmt: skip
HOST = click.option(
    "--host", shell_complete=complete_host,
    help="Host for bots in files; inline is faster, but two versions may share modules.  "
    "[default: from --config, or process]",
)  # fmt: skip
QUIET = click.option("--quiet", is_flag=True, help="Print only the result, no progress.")
RESUME = click.option("--resume", is_flag=True, help="Continue the run in the folder.")
OVERWRITE = click.option("--overwrite", is_flag=True, help="Delete the previous run in the folder and start over.")
OPTIONS = click.option(
    "--options", default="", callback=lambda _context, _param, text: toml_table("--options", text, "{ playouts = 20 }"),
    help='Bot options as a TOML table: "{ playouts = 20 }".',
)  # fmt: skip
PROGRAM = click.option("--command", "is_command", is_flag=True, help="BOT is a command line.")
TO_FILE = click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path), required=True, help="Output file."
)
FOLDER = click.option(
    "--folder", type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look for FILE.py:NAME in this folder.  [default: the current folder, or one that contains RUN]",
)  # fmt: skip
AT = click.option(
    "--at", metavar="EVENT|DATE",
    help="Show a league as it was just before an event, such as entered:thief@2 or thief@2, or at a date (UTC).",
)  # fmt: skip
TRUST = click.option("--trust", is_flag=True, help="Run the bots that RUN names, even if someone else played it.")


def out(default: str) -> Decorator:
    """The option for the folder of a run; `default` is where it is otherwise."""
    return click.option("--out", type=click.Path(path_type=Path), help=f"Run folder.  [default: {default}]")


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order of the help."""

    def decorate(command: FC) -> FC:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


PLAYED = together(GAMES, GAME_OPTIONS, BOTS_CONFIG, HOST)
"""What is played, and where bots in files run."""


def duel(kind: str) -> Decorator:
    """The options of two bots that are compared on the same deals."""
    seed = click.option("--seed", default=kind, show_default=True, help="Seed of the deals.")
    return together(PLAYED, FIELD, seed, out(f"results/{kind}-NEW-vs-OLD"), RESUME, OVERWRITE, WORKERS, QUIET)


def address(port: int, required: bool = False) -> Decorator:
    """The option that says where a server listens: None, or the host and the port, which defaults to `port`."""

    def read(_context: click.Context, _param: click.Parameter, texts: Sequence[str]) -> tuple[str, int] | None:
        host, number = "127.0.0.1", port
        for text in texts:
            parts = re.fullmatch(r"(\[[^\]]+\]|[^:]*[^:\d][^:]*|.*::.*|)(?::?(\d{1,5}))?", text)
            if parts is None or not text or int(parts[2] or 0) > 65535:
                raise click.BadParameter(f"{text}: write HOST, PORT or HOST:PORT, as in 0.0.0.0:8000")
            host, number = parts[1].strip("[]") or host, int(parts[2] or number)
        return (host, number) if texts else None

    return click.option(
        "--address", metavar="[HOST:]PORT", multiple=True, required=required, callback=read,
        help=f"Address to listen on; port 0 picks a free port.  [default: 127.0.0.1{'' if required else f':{port}'}]",
    )  # fmt: skip


def exclusive(**given: object) -> None:
    """Raises a `ConfigError` if more than one of these options is given."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None and value is not False]
    if len(named) > 1:
        raise ConfigError(f"{' and '.join(named)} exclude each other; give one of them")


def toml_value(text: str) -> Any:
    """The value that the text is in TOML, or else the text itself."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, KeyError, RecursionError):  # also for numbers of thousands of digits
        return text


def key_values(given: Sequence[str]) -> dict[str, Any]:
    """Options that are given by `--option KEY=VALUE`, each once."""
    values = {}
    for option in given:
        key, sign, value = option.partition("=")
        if not (key and sign):
            raise ConfigError(f"--option {option}: write KEY=VALUE, as in target=11")
        values[key] = toml_value(value)
    return values


def games_of(
    config: Path | None, games: Sequence[str], options: Sequence[str]
) -> "tuple[GateFile, list[dict[str, Any]]]":
    """What is taken from the file of `--config`; its games and every `--game` with its `--option GAME.KEY=VALUE`."""
    from tourney.config import writing

    file = writing.read_file(config) if config is not None else writing.GateFile((), {}, {}, {})
    tables = [writing.game_table(text) for text in games]
    for option in options:
        at, sign, value = option.partition("=")
        name, dot, key = at.partition(".")
        if not (sign and dot and name and key):
            raise ConfigError(f"--option {option}: write GAME.KEY=VALUE, as in vole.target=11")
        meant = [table for table in tables if table["name"] == name]
        if not meant:
            raise ConfigError(f"--option {option}: there is no --game {name}; add it")
        for table in meant:
            table.setdefault("options", {})[key] = toml_value(value)
    if not (file.games or tables):
        raise ConfigError("no game to play; give --game GAME, or --config FILE with [[game]] tables")
    return file, [*file.games, *tables]


def mirror(
    kind: str,
    *,
    new: str,
    old: str,
    deals: int,
    field: Sequence[str],
    games: Sequence[str],
    options: Sequence[str],
    config: Path | None,
    seed: str,
    out: Path | None,
    host: str | None,
) -> "PlannedMirror":
    """The mirror that the command line asks for; its run's name begins with `kind`."""
    from tourney.config import writing

    file, tables = games_of(config, games, options)
    bots = writing.bot_tables((new, old, *field), file.bots, host, file.defaults)
    return writing.PlannedMirror.of_tables(kind, bots, tables, file.limits, seed, deals, out, keys=file.keys)


def toml_table(option: str, text: str, example: str) -> dict[str, Any]:
    """The table of TOML that an option is given, such as `{ playouts = 20 }`; empty if the text is."""
    import tomllib

    try:
        table = tomllib.loads(f"table = {text or '{}'}")["table"]
    except (ValueError, RecursionError) as error:  # also for numbers of thousands of digits
        raise ConfigError(f'{option}: not TOML ({error}); write it as in "{example}"') from None
    if not isinstance(table, dict):
        raise ConfigError(f'{option}: not a table; write it as in "{example}"')
    return table


def require_number(workers: str | None) -> None:
    """Raises a `ConfigError` if a cluster is to do what this machine alone does."""
    if ":" in (workers or ""):
        raise ConfigError(f"--workers {workers}: a cluster does not do this; give a number")


def say_if_unfinished(matches: int, plan: "Schedule") -> None:
    """Prints on stderr how many matches of a run were played, if there are more to play; of a league, if none was."""
    if plan.goes_on and not matches:
        echo("no match was played yet; submit bots, and play", err=True)
    elif not (plan.goes_on or plan.is_over(matches)):
        remedy = "" if matches else "; resume the run"
        echo(f"not finished: {matches} of {plan.describe_size()} were played{remedy}", err=True)


def check_name(kind: Literal["bot", "game"], name: str | None, known: Sequence[str]) -> None:
    """Raises a `RunError` if a bot or a game is asked for that the run does not have."""
    if name is not None and name not in known:
        raise RunError(f'the run has no {kind} "{name}"; {did_you_mean(name, known)}')


def check_rounds(schedule: "Schedule", option: str) -> None:
    """Raises a `RunError` if a schedule, for whose rounds an option asks, has none."""
    if schedule.round_of(0) is None:
        raise RunError(f"{option}: the format {schedule.name} has no rounds; leave {option} out")


def trusting(run: Path, trusted: bool) -> Callable[[Sequence[str]], None]:
    """A function to call with what somebody else's run would run: asks the user, or raises a `RunError`."""

    def ask(code: Sequence[str]) -> None:
        if trusted:
            return
        listed = [each if len(each) <= 300 else f"{each[:300]}…" for each in code]
        more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
        confirm_or_raise(
            "run them?",
            [
                f"{run} was not played here by you. With your rights, it would run",
                *[f"  {each}" for each in listed],
            ],
            f"{run}: was not played here by you, and would run {', '.join(listed[:3])}{more}; look at that first, and "
            "give --trust to run it",
            f"{run}: nothing was run; look at what it names first",
        )

    return ask
