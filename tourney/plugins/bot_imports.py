"""A bot's files: its unit, and the modules that it may import from elsewhere (docs/write-a-bot.md).

Other modules could be another version of it, in another folder, unnoticed by any fingerprint.
"""

import ast
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tourney.base.errors import PluginError
from tourney.plugins import entry_points, fingerprints
from tourney.plugins.fingerprints import Fingerprint
from tourney.plugins.handed_in import files_of

OURS = ("tourney", "tourney_bots")
SITES = ("site-packages", "dist-packages")
REMEDY = "install what it is from (not with -e), or move it into the bot's folder, and enter that as FOLDER:NAME"

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OSError)
_LONGEST_NAME = 256


class Unit(NamedTuple):
    """A bot's files."""

    root: Path
    """The folder of the outermost package, or a file that is in none."""
    module: str
    """The name of the bot's module, such as `thief.cards`, with the unit's name in front."""
    beside: tuple[Path, ...] = ()
    """The files that a bot's file in no package imports from its own folder, or from below."""

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


def bot_unit(path: Path) -> Unit:
    """The unit of a Python bot's file or folder, with a file's imports from its own folder.

    A folder that is not a package is the bot in its one file with a class that has a method `act`.

    Raises:
        PluginError: It cannot be taken along, or several files in the folder have bots.
    """
    unit = unit_of(path)
    if path.is_dir() and not os.path.isfile(path / "__init__.py"):
        files = [file for file in sorted(path.glob("*.py")) if os.path.isfile(file) and bot_classes(file)]
        if len(files) != 1:
            several = f"{', '.join([file.name for file in files])} have bots" if files else "no file has a bot"
            raise PluginError(f"{path}: {several}, and there is no __init__.py; name one as {path.name}/FILE.py:NAME")
        return Unit(path, f"{unit.name}.{files[0].stem}")
    return unit if unit.root.is_dir() else unit._replace(beside=tuple(sorted(_imported(unit)[1])))


def mentioned(modules: Iterable[Path], folder: Path) -> list[Path]:
    """The files in a folder whose names are texts in Python modules, sorted; nothing is run."""
    texts: dict[str, None] = {}
    for module in modules:
        with suppress(*_UNREADABLE):
            nodes = ast.walk(ast.parse(module.read_bytes()))
            texts |= {node.value: None for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str}
    paths = [folder / text for text in texts if 0 < len(text) < _LONGEST_NAME and not os.path.isabs(text)]
    return sorted([path for path in paths if os.path.isfile(path) and ".." not in path.parts])


def bot_classes(file: Path) -> list[str]:
    """The classes in a file with a method `act`, without base classes of others; the file is not run."""
    try:
        classes = [node for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.ClassDef)]
    except _UNREADABLE:
        return []
    found: dict[str, set[str]] = {}
    for node in classes:
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
        if bases & found.keys() or any([getattr(each, "name", "") == "act" for each in node.body]):
            found[node.name] = bases
    return [name for name in found if not any([name in bases for bases in found.values()])]


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


@cache
def _has_distributions(folder: Path) -> bool:
    return folder.name in SITES or any(folder.glob("*.dist-info"))


def is_in(path: Path, unit: Path) -> bool:
    """Whether a file or folder belongs to a unit, and not to a virtual environment inside it."""
    return path.is_relative_to(unit) and not {*path.relative_to(unit).parts}.intersection(SITES)


def refusal(name: str, path: Path) -> str:
    """Why a bot that imports this module from there is refused."""
    return f"imports {name} from {path}, which is not part of the bot; {REMEDY}"


@cache
def packages_of(*groups: str) -> tuple[Path, ...]:
    """The packages of the installed plugins of some groups."""
    packages: dict[Path, None] = {}
    for entry in [entry for group in groups for entry in entry_points.of_group(group)]:
        with suppress(PluginError):  # reported when the plugin is loaded
            packages[fingerprints.package_of(entry.module)] = None
    return tuple(packages)


@cache
def _games() -> tuple[Path, ...]:
    """The packages of games, whose fingerprints a run has."""
    return tuple([path.resolve() for path in packages_of("tourney.games", "tourney.policies", "tourney.providers")])


def installed_imports(unit: Unit, is_installed: bool) -> dict[str, Fingerprint]:
    """The distributions that a bot imports from, each with its fingerprint.

    Only the import statements of its module, and of its unit's modules that it imports, are read; nothing is run. A
    unit that `is_installed` may import the rest of its distribution.

    Raises:
        PluginError: It imports a module that it must not.
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(_imported(unit)[0]):
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
    for info in sorted(folder.glob("*.dist-info")):
        record = info / "RECORD"
        text = f"\n{record.read_text(encoding='utf-8')}" if record.is_file() else ""
        if f"\n{first}/" in text or f"\n{first}.py," in text:
            return " ".join(info.name.removesuffix(".dist-info").rsplit("-", 1))
    from importlib.metadata import packages_distributions, version  # noqa: PLC0415 - few bots need it

    for name in packages_distributions().get(first, ()):
        return f"{name} {version(name)}"
    return first


def _imported(unit: Unit) -> tuple[list[str], list[Path]]:
    """The other modules that a bot imports, also through modules of its unit, and the files next to its own file."""
    modules = dict.fromkeys([unit.file, *([unit.root / "__init__.py"] if unit.root.is_dir() else [])])
    foreign, beside, queue = list[str](), dict[Path, None](), [*modules]
    for module in queue:  # which grows
        for level, name, items in imports_in(module):
            files = _own_files(unit, module, level, name, items)
            if files is None:
                foreign.append(name)
            elif unit.root.is_file() and files != [unit.root]:
                files = [each for file in files for each in _whole(file, unit.root.parent) if each != unit.root]
                beside |= dict.fromkeys(files)
            new = [file for file in files or () if file not in modules and file.suffix == ".py"]
            modules |= dict.fromkeys(new)
            queue += new
    return foreign, [*beside]


def _whole(file: Path, folder: Path) -> list[Path]:
    top = folder / file.relative_to(folder).parts[0]
    return files_of(top if os.path.isfile(top / "__init__.py") else file, folder)


def _own_files(unit: Unit, module: Path, level: int, name: str, items: tuple[str, ...]) -> list[Path] | None:
    """The files of the unit that an import statement of one of its modules loads; None if it means another module."""
    first, *rest = name.split(".") if name else [""]
    folder = unit.root if unit.root.is_dir() else unit.root.parent
    if level > len(module.parents):
        return []
    if level:
        base, parts = module.parents[level - 1], [each for each in (first, *rest) if each]
    elif first == unit.name and (rest or not _there(module.parent, first)) and unit.root.is_dir():
        base, parts = unit.root, rest
    else:
        places = [] if first in (*sys.stdlib_module_names, *OURS) else [unit.file.parent, folder]
        base = next((place for place in places if _there(place, first)), Path())
        parts = [first, *rest]
        games = _games() if unit.root.is_file() and base != Path() else ()
        if base == Path() or {base / first, base / f"{first}.py"}.intersection(games):
            return None
    files = []
    for i in range(len(parts) + 1):
        files += _there(base.joinpath(*parts[:i]).parent, base.joinpath(*parts[:i]).name)
    for item in items:
        files += _there(base.joinpath(*parts), item)
    return [file for file in files if file.is_relative_to(folder)]


def _there(folder: Path, name: str) -> list[Path]:
    files = [folder / name / "__init__.py", folder / f"{name}.py"]
    return [file for file in files if os.path.isfile(file)][:1]


def imports_in(module: Path) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """The import statements of a file: their level, as of `from ..cards import rank`, the module, and what is named."""
    try:
        status = module.stat()
        if not module.is_file():  # reading a pipe would not end
            return ()
        return _imports_in(module, status.st_mtime_ns, status.st_size)
    except _UNREADABLE:  # found again where it is loaded
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
