"""A kit: everything that a participant needs to check a bot as its organiser will.

It has the games, options, limits and host of a run or a league, and bots to measure against. It tells no seed, no
path and no other participant's bot.
"""

import shlex
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError
from tourney.config import Tournament, writing
from tourney.contracts.wording import pairs_text
from tourney.journal import folder, signature
from tourney.journal.events import BOTS
from tourney.journal.run import RunFolder
from tourney.plugins import registry
from tourney.plugins.entry_points import own_version
from tourney.plugins.handed_in import INSTEAD, Bounds
from tourney.review.bot_check import Finding
from tourney.review.submissions import check_newcomer, copied, source_of

CHECK = "check.toml"  # the tournament file by which a bot is checked
BASELINE = ("random", "first", "steady")
"""The bots to measure against, the weakest first, if they play the games; copies of the first fill the seats."""
KEYS = ("name", "seed", "format", "max_files", "max_mb", "game", "limits", "defaults", "bot")
BOT_KEYS = ("name", "use")


def make(run: RunFolder) -> tuple[str, dict[str, str]]:
    """The text of `check.toml`, and the words for the README."""
    path, tournament = run.path / folder.TOURNAMENT, run.tournament
    data = config.tables(config.read_text(path), path)
    keys: dict[str, Any] = {"name": tournament.name, "seed": "kit"}
    if tournament.format == "league":
        keys |= {key: getattr(tournament.format_options, key) for key in ("max_files", "max_mb")}
        keys["format"] = tournament.format
    defaults = {key: value for key, value in data.get("defaults", {}).items() if key != "reads"}
    keys |= {"defaults": defaults} if defaults else {}
    claimed = [(name, registry.load_bot(name, Path()).games) for name in BASELINE]
    bots = [name for name, games in claimed if games is None or {*tournament.games} <= {*games}]
    seats = max([setup.seats for setup in tournament.setups])
    tables = [{"name": name, "use": name} for name in bots]
    tables += [{"name": f"{bots[0]}-{i}", "use": bots[0]} for i in range(2, seats + 2 - len(bots))]
    limits = data.get("limits", {})
    own = limits | {key: value for key, value in defaults.items() if key not in ("host", "keep")}
    games = []
    for setup in tournament.setups:
        options = pairs_text(setup.options)
        games.append(f"- {setup.game}, {setup.seats} seats{', ' if options else ''}{options}")
    known = [each["version"].replace(" ", "==") for each in run.manifest.get("games", {}).values()]
    words = {
        "name": tournament.name,
        "needs": shlex.join(dict.fromkeys([f"tourney-cards=={own_version()}", *known])),
        "game": tournament.games[0],
        "strongest": bots[-1],
        "bots": ", ".join(bots[:-1]),
        "games": "\n".join(games),
        "host": defaults.get("host", "inline, or process for a program"),
        "limits": pairs_text(own) or "none",
    }
    return writing.tournament_text(tables, data["game"], limits, **keys), words


def check(
    kit: Path, bot: str, is_command: bool, host: str | None, options: Mapping[str, Any],
    run: Callable[[Tournament], Path],
) -> Iterator[Finding]:  # fmt: skip
    """Checks a bot as the league of a kit does, given the zip file or the folder that it was unpacked into.

    What it plays is a run, with the copy of the bot that it checked, in the folder that `run` gives.

    Raises:
        ConfigError: It is not a kit, or would run other code than the bot and installed ones.
        PluginError: The bot cannot be taken, such as with links that lead out.
    """
    data = _tables(kit)
    bounds = Bounds(*[data[key] for key in ("max_files", "max_mb") if isinstance(data.get(key), int)])
    source = source_of(bot, is_command, (), bounds)
    with TemporaryDirectory() as temporary:
        place = Path(temporary).resolve()
        name = f"{source.default_name(bot)}@1"
        own = {key: value for key, value in (("host", host), ("options", dict(options))) if value}
        with copied(place / BOTS / name, source.files):
            tables = [{"name": name} | source.table_at(f"{BOTS}/{name}") | own, *data["bot"]]
            tournament = replace(config.of_tables({**data, "bot": tables}, kit / CHECK), folder=str(place))
            entrant, *others = tournament.entrants
            recorded, kept = config.all_fingerprints(others, place), run(tournament)
            for finding in check_newcomer(tournament, entrant, kit, recorded, kept):
                text, trace = [each.replace(f"{place}/", "") for each in (finding.text, finding.traceback)]
                yield finding._replace(text=text, traceback=trace)
            if (kept / folder.MANIFEST).is_file():
                folder.clear(kept, [BOTS])
                shutil.move(place / BOTS, kept / BOTS)
                signature.sign(kept, replace(config.of_manifest(folder.read_manifest(kept)), folder=str(kept)))


def _tables(kit: Path) -> dict[str, Any]:
    """The tables of a kit's file, which may come from a stranger: its bots are installed ones."""
    file = kit / CHECK
    taken = file if kit.is_dir() else kit
    if file.is_symlink() or (taken.exists() and not taken.is_file()):
        raise ConfigError(f"{taken}: not a regular file; give a kit's file or folder")
    text = config.read_text(file) if taken is file else _text(kit)
    data = {"bot": []} | config.tables(text, file)
    for key in [key for key in data if key not in KEYS]:
        raise ConfigError(f"{file}: {key}: not a key of a kit; remove it")
    for bot in data["bot"] if isinstance(data["bot"], list) else [data["bot"]]:
        if not isinstance(bot, dict) or not {*bot} <= {*BOT_KEYS} or registry.file_and_name(f"{bot.get('use')}")[0]:
            raise ConfigError(f"{file}: a kit has only installed bots, with name and use; remove {bot}")
    if "reads" in data.get("defaults", {}):
        raise ConfigError(f"{file}: defaults.reads: a kit reads no files; remove it")
    return data


def _text(kit: Path) -> str:
    try:
        with ZipFile(kit) as archive:
            info = archive.getinfo(CHECK)
            if stat.S_ISLNK(info.external_attr >> 16):
                raise ConfigError(f"{kit}: {CHECK} is a link; {INSTEAD}")
            if info.file_size > config.MAX_BYTES:
                raise ConfigError(f"{kit}: {CHECK} is larger than {config.MAX_BYTES} bytes; expected a tournament file")
            return archive.read(info).decode()
    except KeyError:
        raise ConfigError(f"{kit}: has no {CHECK}; expected a file written by `tourney bundle`") from None
    except OSError as error:
        raise ConfigError(f"{kit}: {error.strerror}; give a kit's file or folder") from None
    except (BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise ConfigError(f"{kit}: not a readable zip file ({error}); give a kit's file or folder") from None
