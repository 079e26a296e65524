"""Fingerprints of games and bots: hashes over their files, which are read but never parsed or imported."""

import hashlib
import os
from collections.abc import Collection, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tourney.base.errors import PluginError
from tourney.plugins.handed_in import files_of, refuse_unreadable

_CHUNK = 1 << 20


class Fingerprint(NamedTuple):
    """Identifies the code of a game or a bot; it must be the same for a run to be resumed."""

    version: str
    """The distribution and its version; empty for a bot that is a file, a folder or a program."""
    sha256: str


def package_of(module: str) -> Path:
    """The folder of the outermost package that an installed module is in, or the file of a module in none."""
    first, *rest = module.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        spec = None
    if spec is not None and spec.origin is not None and spec.has_location:
        return Path(spec.origin).parent if spec.submodule_search_locations is not None else Path(spec.origin)
    for folder in (spec and spec.submodule_search_locations) or ():  # a namespace that distributions share
        path = Path(folder)
        for name in rest:
            path /= name
            if (path / "__init__.py").is_file():
                return path
            if path.with_name(f"{name}.py").is_file():
                return path.with_name(f"{name}.py")
    raise PluginError(f'the source of the module "{module}" cannot be found; reinstall its distribution')


def fingerprint(units: Iterable[Path], beside: Iterable[Path] = (), systems: Collection[Path] = ()) -> Fingerprint:
    """The fingerprint of files and folders, by their contents and the names in them alone.

    Files `beside` the first have names as if they were in it; `systems` need not be whole.
    """
    files = [(unit, file) for unit in units for file in files_of(unit, is_systems=unit in systems)]
    return Fingerprint("", _hash([*files, *[(files[0][0], file) for file in beside]]))


def installed_fingerprint(version: str, modules: Iterable[str]) -> Fingerprint:
    """The fingerprint of the installed packages that modules are in, by their version and their Python files."""
    hashes = [_package_hash(package) for package in dict.fromkeys([package_of(module) for module in modules])]
    return Fingerprint(version, hashlib.sha256("".join(hashes).encode()).hexdigest())


def forget() -> None:
    """Forgets the hashes of installed packages, so that their files are read again."""
    _package_hash.cache_clear()


@cache
def _package_hash(package: Path) -> str:
    files = sorted(package.rglob("*.py")) if package.is_dir() else [package]
    return _hash([(package, file) for file in files])


def _hash(files: Iterable[tuple[Path, Path]]) -> str:
    digest = hashlib.sha256()
    for unit, file in files:
        digest.update(file.relative_to(unit.parent).as_posix().encode(errors="surrogateescape") + b"\0")
        try:
            with file.open("rb") as opened:
                digest.update(os.fstat(opened.fileno()).st_size.to_bytes(8, "big"))
                while data := opened.read(_CHUNK):
                    digest.update(data)
        except OSError as error:
            refuse_unreadable(error)
    return digest.hexdigest()
