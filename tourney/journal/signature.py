"""The signature of a run: shows that this user played it, with the very commands and bot files it names.

Asking bots again runs the manifest's commands, and the manifest may be another user's. The signature, made with a
secret of the user, is invalid for another manifest, and for files with the same names elsewhere.
"""

import os
import shlex
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Any

from tourney.base.errors import TourneyError
from tourney.config import Tournament
from tourney.journal import folder
from tourney.plugins import registry

SIGNATURE = "signature.txt"


def bot_code(tournament: Tournament) -> list[str]:
    """The commands and files that a tournament's bots run, with their full paths, and the servers they ask.

    A server also receives the environment variables named with it.
    """
    base = Path(tournament.folder).resolve()
    hashes = []
    for entrant in tournament.entrants:
        file, _ = registry.file_and_name(entrant.use)
        if entrant.command:
            hashes.append(f"{shlex.join(entrant.command)} (in {base})")
        if entrant.url:
            headers = entrant.host_options.get("headers") or {}
            hashes.append(" ".join([entrant.url, *[f"({key}: {value})" for key, value in headers.items()]]))
        if file:
            hashes.append(str((base / file).resolve()))
    return list(dict.fromkeys(hashes))


def sign(run: Path, tournament: Tournament) -> None:
    """Signs the manifest in a run's folder, unless all bots are installed or this user cannot have a secret."""
    code = bot_code(tournament)
    with suppress(OSError, RuntimeError, TourneyError):  # an unsigned run only needs confirmation
        if code:
            folder.write_atomically(run / SIGNATURE, _signature(folder.read_manifest(run), code))


def is_signed(run: Path, manifest: dict[str, Any], tournament: Tournament) -> bool:
    """Whether this user has signed the run; the bots' paths are relative to the folder of `tournament`."""
    with suppress(OSError, RuntimeError):
        return compare_digest((run / SIGNATURE).read_bytes(), _signature(manifest, bot_code(tournament)))
    return False


def _signature(manifest: dict[str, Any], code: list[str]) -> bytes:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    place = Path(state) / "tourney" / "secret"
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    import secrets  # noqa: PLC0415 - only needed for a run with its own code
    import tempfile  # noqa: PLC0415

    with suppress(FileExistsError), tempfile.NamedTemporaryFile(dir=place.parent) as file:  # only this user may read it
        file.write(secrets.token_bytes(32))
        file.flush()
        os.link(file.name, place)  # fails if there is a secret
    secret = place.read_bytes()
    if not 32 <= len(secret) <= 64:  # earlier versions made longer ones
        raise OSError(f"{place}: invalid secret")
    return blake2b(folder.json_text([manifest, code]), key=secret).hexdigest().encode() + b"\n"
