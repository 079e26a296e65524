"""The signature of a run: shows that this user played it, with the very commands and bot files that it names.

Asking bots again runs what a manifest names, and the manifest may be somebody else's. So a user who plays a run signs
its manifest, together with where the commands and files are, with a secret of the user's own. A copy of the folder
stays signed. With other content in the manifest, or with files of the same name elsewhere, the signature does not hold;
nor for other users, who have other secrets.

The signature stands in a file of its own, since manifests are the same whoever plays the tournament. Runs of installed
bots only have none, as nothing is run that is not installed.
"""

import json
import os
import secrets
import shlex
import tempfile
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Any

from tourney import plugins, regular_files
from tourney.config import Tournament
from tourney.errors import TourneyError
from tourney.journal import folder

SIGNATURE = "signature.txt"
MAX_SIGNATURE = 1000
"""How many bytes of the file are read."""
_SECRET_BYTES = 32


def bot_code(tournament: Tournament) -> list[str]:
    """Returns the commands and files that the bots of a tournament run, with their full paths, as text."""
    base = Path(tournament.folder).resolve()
    found = []
    for entrant in tournament.entrants:
        file, _ = plugins.file_and_name(entrant.use)
        if entrant.command:
            found.append(f"{shlex.join(entrant.command)} (in {base})")
        if file:
            found.append(str((base / file).resolve()))
    return list(dict.fromkeys(found))


def sign(run: Path, tournament: Tournament) -> None:
    """Signs the manifest in a run's folder, if there is anything to sign and this user can have a secret.

    Args:
        run: The folder.
        tournament: The tournament as this user gave it, with its folder.
    """
    code = bot_code(tournament)
    if not code or (secret := _secret() or _make_secret()) is None:
        return
    with suppress(TourneyError):  # an unsigned run is only asked about
        signature = _signature(secret, folder.read_manifest(run), code)
        folder.write_atomically(run / SIGNATURE, f"{signature}\n".encode())


def is_signed(run: Path, manifest: dict[str, Any], tournament: Tournament) -> bool:
    """Tells whether this user has signed the run in a folder.

    Args:
        run: The folder.
        manifest: The run's manifest.
        tournament: The tournament of the manifest, with the folder in which its bots are looked for.
    """
    secret = _secret()
    try:
        found = regular_files.read(run / SIGNATURE, MAX_SIGNATURE)
    except OSError:
        return False
    return secret is not None and compare_digest(
        found.strip(), _signature(secret, manifest, bot_code(tournament)).encode()
    )


def _signature(secret: bytes, manifest: dict[str, Any], code: list[str]) -> str:
    text = folder.json_text(manifest) + b"\0" + json.dumps(code).encode()
    return blake2b(text, key=secret, digest_size=_SECRET_BYTES).hexdigest()


def _place() -> Path:
    """Returns where the user's secret is: in the folder for what programs note about a user."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state") / "tourney" / "secret"


def _secret() -> bytes | None:
    """Returns the user's secret; None if there is none, or others could have read or written it."""
    with suppress(OSError, RuntimeError, ValueError):
        file = os.open(_place(), os.O_RDONLY | regular_files.FLAGS)
        try:
            if regular_files.is_private(file):
                secret = bytes.fromhex(os.read(file, 4 * _SECRET_BYTES).decode())
                return secret if len(secret) == _SECRET_BYTES else None
        finally:
            os.close(file)
    return None


def _make_secret() -> bytes | None:
    """Makes a secret unless there is one; returns it, or None if it cannot be kept."""
    with suppress(OSError, RuntimeError):
        place = _place()
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, new = tempfile.mkstemp(dir=place.parent)  # which only this user may read
        try:
            os.write(file, secrets.token_hex(_SECRET_BYTES).encode())
            os.fsync(file)
            os.link(new, place)  # which fails if another process has made one meanwhile
        finally:
            os.unlink(new)
            os.close(file)
    return _secret()
