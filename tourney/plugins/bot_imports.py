"""A bot's files: its unit, and the modules that it may import from elsewhere.

The unit is the outermost package that the bot's file or folder is in, or the file alone. It may import itself, the
standard library, tourney, the games and installed distributions; anything else could be another version of it, in
another folder, unnoticed by any fingerprint.
"""

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tourney.base.errors import PluginError
from tourney.plugins import entry_points, fingerprints
from tourney.plugins.fingerprints import Fingerprint

OURS = ("tourney", "tourney_bots")
SITES = ("site-packages", "dist-packages")
"""The names of folders in which distributions are installed."""
REMEDY = "install what it is from (not with -e), or move it into the bot's folder, and enter that as FOLDER:NAME"


class Unit(NamedTuple):
    """A bot's files."""

    root: Path
    """The folder of the outermost package, or a file that is in none."""
    module: str
    """The name of the bot's module, such as `thief.cards`, with the unit's name in front."""

    @property
    def name(self) -> str:
        """The unit's name in its own imports."""
        return self.root.stem

    @property
    def file(self) -> Path:
        """The file of the bot's module."""
        if self.root.is_file():
            return self.root
        path = self.root.joinpath(*self.module.split(".")[1:])
        return next(iter(_there(path.parent, path.name)), path)


def unit_of(path: Path) -> Unit:
    """The unit of a bot's file or folder."""
    if path.name == "__init__.py":
        path = path.parent
    root, names = path, [path.stem]
    hidden = "." in path.stem or os.path.isfile(path.with_suffix("") / "__init__.py")  # from the package's imports
    while (path.is_dir() or (path.suffix == ".py" and not hidden)) and os.path.isfile(root.parent / "__init__.py"):
        root = root.parent
        names.insert(0, root.stem)
    return Unit(root, ".".join(names))


def search_path(sources: Iterable[Path]) -> list[str]:
    """The folders in which a Python program finds its own packages."""
    found: dict[str, None] = {}
    for path in sources:
        root = unit_of(path).root
        if root != path or os.path.isfile(path / "__init__.py"):
            found[str(root.parent.absolute())] = None
        elif path.is_dir():
            places = [place.absolute() for place in (path, path / "src")]
            found |= dict.fromkeys(
                [str(place) for place in places if [*place.glob("*.py"), *place.glob("*/__init__.py")]]
            )
    return list(found)


def outside(name: str, unit: Path) -> Path | None:
    """The file or package of a module that a unit must not import; None if it may, or if there is no such module."""
    if name.partition(".")[0] in (*sys.stdlib_module_names, *OURS):
        return None
    try:
        package = fingerprints.package_of(name).resolve()
    except PluginError:
        return None  # it is built in, or a namespace, or not there
    is_known = is_in(package, unit) or _has_distributions(package.parent) or package in _games()
    return None if is_known else package


def is_in(path: Path, unit: Path) -> bool:
    """Whether a file or folder belongs to a unit, and not to a virtual environment inside it."""
    return path.is_relative_to(unit) and not {*path.relative_to(unit).parts}.intersection(SITES)


def refusal(name: str, path: Path) -> str:
    """Why a bot that imports this module from there is refused."""
    return f"imports {name} from {path}, which is not part of the bot; {REMEDY}"


@cache
def _has_distributions(folder: Path) -> bool:
    return folder.name in SITES or any(folder.glob("*.dist-info"))


@cache
def _games() -> tuple[Path, ...]:
    """The packages of games, whose fingerprints a run has."""
    groups = ("tourney.games", "tourney.policies", "tourney.providers")
    modules = [entry.module for group in groups for entry in entry_points.of_group(group)]
    packages = []
    for module in dict.fromkeys(modules):
        try:
            packages.append(fingerprints.package_of(module).resolve())
        except PluginError:
            continue
    return tuple(packages)


def installed_imports(unit: Unit, is_installed: bool) -> dict[str, Fingerprint]:
    """The distributions that a bot imports from, each with its fingerprint.

    Only the import statements of its module, and of its unit's modules that it imports, are read; nothing is run. A
    unit that `is_installed` may import the rest of its distribution.

    Raises:
        PluginError: It imports a module that it must not.
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(_foreign(unit)):
        path = outside(name, unit.root.resolve())
        if path is not None and not (is_installed and path.parent == unit.root.parent.resolve()):
            raise PluginError(refusal(name, path))
        first = name.partition(".")[0]
        if first in (*sys.stdlib_module_names, *OURS):
            continue
        try:
            package = fingerprints.package_of(name)
        except PluginError:
            continue
        if not is_in(package.resolve(), unit.root.resolve()):
            found.setdefault(_distribution_of(first, package.parent), []).append(name)
    return {
        who.partition(" ")[0]: fingerprints.installed_fingerprint(who, names) for who, names in sorted(found.items())
    }


@cache
def _distribution_of(first: str, folder: Path) -> str:
    """The name and version of the distribution that has installed a module there; the module's name if none has."""
    for info in sorted(folder.glob("*.dist-info")):
        record = info / "RECORD"
        text = f"\n{record.read_text(encoding='utf-8')}" if record.is_file() else ""
        if f"\n{first}/" in text or f"\n{first}.py," in text:
            return " ".join(info.name.removesuffix(".dist-info").rsplit("-", 1))
    from importlib.metadata import packages_distributions, version  # noqa: PLC0415 - few bots need it

    for name in packages_distributions().get(first, ()):
        return f"{name} {version(name)}"
    return first


def _foreign(unit: Unit) -> Iterator[str]:
    """The names of modules outside its unit that a bot imports, directly or through modules of the unit."""
    modules = dict.fromkeys([unit.file, *([unit.root / "__init__.py"] if unit.root.is_dir() else [])])
    queue = [*modules]
    for module in queue:  # which grows
        for level, name, items in imports_in(module):
            own = _own_files(unit, module, level, name, items)
            if own is None:
                yield name
            new = [file for file in own or () if file not in modules]
            modules |= dict.fromkeys(new)
            queue += new


def _own_files(unit: Unit, module: Path, level: int, name: str, items: tuple[str, ...]) -> list[Path] | None:
    """The files of the unit that an import statement of one of its modules loads; None if it means another module."""
    first, *rest = name.split(".") if name else [""]
    if level > len(module.parents):
        return []
    if level:
        base, parts = module.parents[level - 1], [each for each in (first, *rest) if each]
    elif first == unit.name and (rest or not _there(module.parent, first)):
        base, parts = unit.root, rest
    else:
        places = [] if first in sys.stdlib_module_names else [unit.file.parent, unit.root]
        base = next((place for place in places if unit.root.is_dir() and _there(place, first)), Path())
        parts = [first, *rest]
        if base == Path():
            return None
    files = []
    for i in range(len(parts) + 1):
        files += _there(base.joinpath(*parts[:i]).parent, base.joinpath(*parts[:i]).name)
    for item in items:
        files += _there(base.joinpath(*parts), item)
    return [file for file in files if file.is_relative_to(unit.root)]


def _there(folder: Path, name: str) -> list[Path]:
    files = [folder / name / "__init__.py", folder / f"{name}.py"]
    return [file for file in files if os.path.isfile(file)][:1]


def imports_in(module: Path) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """The import statements of a file: their level, as of `from ..cards import rank`, the module, and what is named."""
    try:
        status = module.stat()
        return _imports_in(module, status.st_mtime_ns, status.st_size)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):  # found again where it is loaded
        return ()


@cache
def _imports_in(module: Path, _time: int, _size: int) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    found: list[tuple[int, str, tuple[str, ...]]] = []
    nodes: list[ast.AST] = [ast.parse(module.read_bytes())]
    for node in nodes:  # which grows
        if isinstance(node, ast.Import):
            found += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or "", tuple([alias.name for alias in node.names])))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            nodes += node.orelse
        else:
            nodes += ast.iter_child_nodes(node)
    return tuple(found)
