"""The entrants of a tournament: their hosts, and the manifest with the fingerprints of games and bots."""

import hashlib
import platform
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from os.path import exists, isfile
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import astuple

from tourney.base.errors import (
    EXIT_ENDED_EARLY,
    EXIT_USAGE,
    ConfigError,
    PluginError,
    RunError,
    SandboxError,
    ServiceError,
    TourneyError,
)
from tourney.base.validation import keys_of, plain
from tourney.config.names import setting_name
from tourney.config.tournament import FaultLimits, Tournament, validate_tournament
from tourney.contracts.match import HexDigits
from tourney.hosts import base
from tourney.hosts.base import PROCESS_HOST, BotHost, BotSpec, Entrant, Sweep, host_type
from tourney.hosts.faults import Tracebacks
from tourney.plugins import entry_points, registry
from tourney.plugins.bot_classes import PickledBot, loaded
from tourney.plugins.bot_imports import unit_of
from tourney.plugins.fingerprints import Fingerprint, fingerprint, forget
from tourney.plugins.handed_in import files_of, is_system, may_be_file, named

RESULTS = "results"


def examine_bots(tournament: Tournament, path: Path) -> Tournament:
    """Loads each game and each bot once; raises a `ConfigError` if a bot does not play the games.

    Returns the tournament with the defaults of its sweeps, and with the fingerprints of its bots. These are taken
    first, as the code of one bot may change the files of another.
    """
    try:
        taken = all_fingerprints(tournament.entrants, Path(tournament.folder))
        tournament = msgspec.structs.replace(tournament, fingerprints=taken)
        for entrant in tournament.entrants:
            _imports(entrant, Path(tournament.folder))
            if reads := _reads(entrant, Path(tournament.folder)):
                around = _around(_units(entrant, Path(tournament.folder)), reads, Path(tournament.folder))
                for read in [each for each in reads if each not in around]:
                    files_of(read)  # refuses links that lead out
        for game in tournament.games:
            registry.load_policy(game)  # a faulty one is reported before a bot asks for it in a match
        specs = _specs(tournament.entrants, Path(tournament.folder), tournament.games)
        for spec, entrant in zip(specs, tournament.entrants, strict=True):
            games = base.examine(spec)
            if tournament.parallel is not None and entrant.in_worker and entrant.limits.bounds_time:
                _refuse_to_time(spec, entrant)
            for game in tournament.games:
                if games is not None and game not in games:
                    raise ConfigError(
                        f"bots: {spec.name} does not play {game} (it plays {', '.join(games)}); leave out one of them"
                    )
        return _with_defaults(tournament)
    except (TourneyError, OSError) as error:
        refused = (SandboxError if isinstance(error, SandboxError) else ConfigError)(f"{path}: {error}")
        refused.exit_code = error.exit_code if isinstance(error, ServiceError) else EXIT_USAGE
        raise refused from None


def _with_defaults(tournament: Tournament) -> Tournament:
    """The tournament with the defaults of its sweeps, if their bots run in the worker, and so are loaded."""
    known: dict[Sweep | None, Sweep] = {}
    for sweep, settings in tournament.sweeps.items():
        first = settings[0]
        if first.in_worker and (options := loaded(first.use, Path(tournament.folder), first.pickled).options):
            own = msgspec.to_builtins(msgspec.structs.asdict(options()))
            values = {key: next((it for it in given if it == own.get(key)), given[0]) for key, given in sweep.values}
            known[sweep] = msgspec.structs.replace(sweep, default=setting_name(sweep.bot, values))
    entrants = [msgspec.structs.replace(each, sweep=known.get(each.sweep, each.sweep)) for each in tournament.entrants]
    return msgspec.structs.replace(tournament, entrants=tuple(entrants))


def _refuse_to_time(spec: BotSpec, entrant: Entrant) -> None:
    """Refuses time limits for a bot whose process many matches share, unless it waits for a service there."""
    if base.create_host(spec, None).in_worker:
        raise ConfigError(
            f"parallel: bot {entrant.name} has limits of time, and would be charged for other matches in its process; "
            f'use host = "{PROCESS_HOST}" for it, or leave out its limits'
        )


def with_classes(tournament: Tournament, classes: Mapping[str, PickledBot]) -> Tournament:
    """The tournament with the classes of the bots sent to the workers."""
    entrants = [
        msgspec.structs.replace(each, pickled=classes.get(each.sweep.bot if each.sweep else each.name))
        for each in tournament.entrants
    ]
    for entrant in entrants:
        if entrant.pickled is not None and not entrant.in_worker:
            raise ConfigError(
                f'bot {entrant.name}: a class passed as an object cannot run in host = "{entrant.host}"; give it host '
                '= "inline", or write the class into a file, and enter it as FILE.py:NAME'
            )
    return msgspec.structs.replace(tournament, entrants=tuple(entrants))


def absent_bots(tournament: Tournament) -> list[str]:
    """Why the tournament's bots outside the worker cannot run on this machine, a line for each."""
    absent = []
    for entrant in tournament.entrants:
        try:
            if not entrant.in_worker:
                (spec,) = _specs([entrant], Path(tournament.folder), tournament.games)
                base.examine(spec)
        except TourneyError as error:
            absent.append(str(error))
    return absent


def games_played(entrant: Entrant, folder: Path) -> tuple[str, ...] | None:
    """The names of the games that a bot plays; None for every game."""
    _imports(entrant, folder)
    (spec,) = _specs([entrant], folder, ())
    return base.examine(spec)


def repeats_itself(entrant: Entrant, folder: Path) -> bool:
    """Whether a bot always answers the same question alike; loads its class if it runs in the worker."""
    if entrant.repeats is not None:
        return entrant.repeats
    if not entrant.in_worker:
        return host_type(entrant.host).repeats
    (spec,) = _specs([entrant], folder, ())
    return base.create_host(spec, None).repeats


def not_repeating(tournament: Tournament) -> list[str]:
    """The names of the entrants whose bots do not repeat themselves."""
    folder = Path(tournament.folder)
    return [entrant.name for entrant in tournament.entrants if not repeats_itself(entrant, folder)]


def create_hosts(
    tournament: Tournament,
    logs: Path | None = None,
    tracebacks: Tracebacks | None = None,
    only: Collection[str] | None = None,
) -> dict[str, BotHost]:
    """A host for each entrant, or for `only` some, by the entrant's name."""
    run = None if logs is None else logs.parent
    specs = _specs(tournament.entrants, Path(tournament.folder), tournament.games, run)
    hosts = {}
    for spec, entrant in zip(specs, tournament.entrants, strict=True):
        if only is not None and spec.name not in only:
            continue
        log = None if logs is None else log_file(logs, spec.name)
        host = hosts[spec.name] = base.create_host(spec, log)
        host.tracebacks = tracebacks
        if entrant.repeats is not None:
            host.repeats = entrant.repeats
    return hosts


def log_file(logs: Path, name: str) -> Path:
    """The file for the stderr of an entrant's bots."""
    return logs / f"{name}.txt"


def _specs(entrants: Sequence[Entrant], folder: Path, games: tuple[str, ...], run: Path | None = None) -> list[BotSpec]:
    units, reads = [_units(entrant, folder) for entrant in entrants], [_reads(entrant, folder) for entrant in entrants]
    all_sources = tuple(dict.fromkeys([path for its in (*units, *reads) for path in its]))
    secret = [folder / RESULTS, *_tournament_files(folder)] if any([each.is_locked_in for each in entrants]) else []
    roots = [next((unit for unit in its if not is_system(unit, folder)), None) for its in units]
    owner = {root: entrant.name for root, entrant in zip(roots, entrants, strict=True) if root is not None}
    specs = []
    for entrant, own, read, root in zip(entrants, units, reads, roots, strict=True):
        for path in [each for each in (*own, *read) if each != root] if entrant.is_locked_in else ():
            around, is_linked = (path, *path.parents) if path in read else (), _has_more_names(path)
            theirs = [its for its in owner if its in around or (is_linked and its.samefile(path))]
            if whose := [owner[its] for its in theirs if its != root]:
                raise ConfigError(f"bot {entrant.name}: {path} belongs to bot {whose[0]}; give it a copy")
        others = [path for path in own if path in owner and path != root and entrant.use]  # that it imports
        specs.append(
            BotSpec(
                *astuple(entrant), folder=folder, games=games, sources=(*own, *read), all_sources=all_sources, run=run,
                secret=(*others, *secret),
            )
        )  # fmt: skip
    return specs


def _units(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    if entrant.use:
        unit = None if entrant.pickled else registry.bot_unit(entrant.use, folder)
        return () if unit is None else (unit.root, *unit.beside)
    words = [word for word in entrant.command if word and may_be_file(word, folder)]
    return tuple(dict.fromkeys([unit_of(_named(word, entrant, folder)).root for word in words]))


def _reads(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    for name in entrant.reads:
        if not exists(folder / name):
            where = f"bot {entrant.name}: reads: there is no {folder / name}"
            raise ConfigError(f"{where}; paths are relative to this file")
    return tuple([_named(name, entrant, folder) for name in entrant.reads])


def option_files(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    """The files that a Python bot's options name, such as its prompt."""
    return tuple(
        [folder / text for text in entrant.options.values() if isinstance(text, str) and isfile(folder / text)]
    )


def _around(units: Sequence[Path], reads: Sequence[Path], folder: Path) -> set[Path]:
    """The sources of a bot that need not be whole: the system's, and folders around the bot, such as a repository."""
    around = {read for read in reads for unit in units if unit != read and unit.is_relative_to(read)}
    return around | {each for each in (*units, *reads) if is_system(each, folder)}


def _named(word: str, entrant: Entrant, folder: Path) -> Path:
    """The path of a word or of `reads`, which is neither a link nor a secret of the tournament."""
    try:
        path = named(word, folder)
    except PluginError as error:
        raise ConfigError(f"bot {entrant.name}: {error}") from None
    may_be_one = path.suffix == ".toml" or _has_more_names(path)
    if may_be_one and any([path.samefile(file) for file in _tournament_files(folder)]):
        raise ConfigError(f"bot {entrant.name}: {path} is a tournament file, whose seed is secret; give another file")
    for run in [each for each in (path, *path.parents) if isfile(each / "journal.jsonl")]:
        first, *rest = (*path.relative_to(run).parts, "")
        is_bots = first in ("bots", "commits")
        if run == folder.resolve():  # a league's file may have bots next to it
            is_bots = first not in ("", "logs") and (rest != [""] or path.suffix not in (".json", ".jsonl"))
        if not is_bots:
            raise ConfigError(f"bot {entrant.name}: {path} belongs to the run {run}, which bots must not see")
    return path


def _has_more_names(path: Path) -> bool:
    return path.is_file() and path.stat().st_nlink > 1


def _tournament_files(folder: Path) -> list[Path]:
    import tomllib  # noqa: PLC0415 - few commands run a bot from a file

    files = []
    for file in sorted(folder.glob("*.toml")):
        with suppress(OSError, ValueError, RecursionError):
            if {"seed", "game"} <= tomllib.loads(file.read_text(encoding="utf-8-sig")).keys():
                files.append(file)
    return files


def all_fingerprints(entrants: Sequence[Entrant], folder: Path) -> dict[str, Fingerprint]:
    """The fingerprint of each entrant's bot by name: of its files, and those in its options, or of its url."""
    by_bot: dict[object, Fingerprint] = {}  # several entrants may share a bot
    fingerprints = {}
    for entrant in entrants:
        data = option_files(entrant, folder)
        key = entrant.use, entrant.command, entrant.reads, entrant.pickled, entrant.url, data
        if key not in by_bot:
            if entrant.url:
                by_bot[key] = Fingerprint("", hashlib.sha256(entrant.url.encode()).hexdigest())
            elif entrant.use:
                sent = entrant.pickled
                code = Fingerprint("", sent.sha256) if sent else registry.bot_fingerprint(entrant.use, folder)
                by_bot[key] = code
                if data:
                    both = code.sha256 + fingerprint(data).sha256
                    by_bot[key] = code._replace(sha256=hashlib.sha256(both.encode()).hexdigest())
            else:
                units, reads = _units(entrant, folder), _reads(entrant, folder)
                by_bot[key] = fingerprint((*units, *reads), systems=_around(units, reads, folder))
        fingerprints[entrant.name] = by_bot[key]
    return fingerprints


def _imports(entrant: Entrant, folder: Path) -> dict[str, Fingerprint]:
    return registry.bot_imports_of(entrant.use, folder) if entrant.use and not entrant.pickled else {}


def refuse_changed(tournament: Tournament, taken: Mapping[str, Fingerprint]) -> None:
    """Raises a `RunError` if a bot has changed since its fingerprint was taken."""
    forget()
    for entrant in tournament.entrants:
        if (before := taken.get(entrant.name)) is None:
            continue
        try:
            changed = all_fingerprints([entrant], Path(tournament.folder))[entrant.name].sha256 != before.sha256
        except TourneyError:  # it is gone
            changed = True
        if changed:
            error = RunError(f"bot {entrant.name}: its files have changed while it played, so nothing of this counts")
            error.exit_code = EXIT_ENDED_EARLY
            raise error


def manifest(
    tournament: Tournament, bots: Mapping[str, Fingerprint] | None = None, kind: str = "run"
) -> dict[str, Any]:
    """The settings that must stay the same to resume a run: the tournament, and fingerprints of games and bots.

    Fingerprints of bots default to the tournament's, or else to new ones. `max_fault_rate`, `max_cost` and `parallel`
    change no record and may differ on resuming, so they are left out.
    """
    if bots is None:
        others = [entrant for entrant in tournament.entrants if entrant.name not in tournament.fingerprints]
        taken = tournament.fingerprints | all_fingerprints(others, Path(tournament.folder))
        bots = {name: taken[name] for name in tournament.names}
    data = {
        "tourney": entry_points.own_version(),
        "kind": kind,
        "python": platform.python_version(),
        "tournament": _resolved(tournament),
        "games": {name: registry.game_fingerprint(name)._asdict() for name in tournament.games},
        "bots": {name: code._asdict() for name, code in bots.items()},
    }
    imports: dict[str, Fingerprint] = {}
    for entrant in tournament.entrants:
        with suppress(PluginError):  # reported where the bot is examined
            imports |= _imports(entrant, Path(tournament.folder))
    return data | ({"imports": {name: code._asdict() for name, code in sorted(imports.items())}} if imports else {})


def _resolved(tournament: Tournament) -> dict[str, Any]:
    data = msgspec.to_builtins(tournament) | {"seed": f"{tournament.seed:032x}"}
    limits = data.pop("fault_limits")
    for key in ("folder", "fingerprints", "format_options", "parallel"):
        del data[key]
    del limits["max_fault_rate"], limits["max_cost"]
    data["page"] = {key: value for key, value in data["page"].items() if value}
    for key in ("salts", "entered", "events", "page", "again"):  # left out where unset, as in older manifests
        if not data[key]:
            del data[key]
    for bot in data["bots"]:
        del bot["pickled"]
        for key in ("note_bytes", "match_note_bytes", "call_s", "patience_s"):  # they change no record
            del bot["limits"][key]
        for key in ("host_options", "keep", "display"):
            if not bot[key]:
                del bot[key]
        for key in ("repeats", "sweep"):
            if bot[key] is None:
                del bot[key]
    return plain(data | limits | msgspec.structs.asdict(tournament.format_options))


def of_manifest(manifest: Mapping[str, Any]) -> Tournament:
    """The tournament of a run's manifest; its bots may be missing, and its folder is unknown."""
    try:
        seed = msgspec.convert(manifest["tournament"]["seed"], HexDigits)
        data = manifest["tournament"] | {"seed": int(seed, 16), "folder": "."}
        own, limits = keys_of(Tournament, data), keys_of(FaultLimits, data)
        tournament = msgspec.convert(own | {"fault_limits": limits}, Tournament)
        kind = registry.load_format(tournament.format).Options
        others = {key: value for key, value in data.items() if key not in own | limits}
        # older manifests have the keys of all formats, with null for other formats' keys
        options = {key: value for key, value in others.items() if value is not None or keys_of(kind, {key: value})}
        tournament = msgspec.structs.replace(
            tournament, format_options=msgspec.convert(getattr(kind, "older", {}) | options, kind)
        )
        validate_tournament(tournament)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the tournament again") from None
    return tournament
