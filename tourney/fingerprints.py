"""Fingerprints of games and bots: hashes over the source files that each is made of.

The files are found by reading import statements. Nothing is imported or run, so that code which must not run in this
process can have a fingerprint, too. Imports that a program computes are not seen; a bot names such modules in
`made_of`.
"""

import ast
import hashlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tourney import entry_points
from tourney.errors import PluginError

CONTRACT = ("tourney.game", "tourney.state", "tourney.cards", "tourney.rng")
"""The modules that the records of every game depend on: states and their log, cards as numbers, and chance.

The other modules that games import (errors, validation, wording) decide what is refused and how it is put, and change
no record.
"""

Finder: TypeAlias = Callable[[str], Path | None]
"""Returns the file of a module, or None where the module is not to be followed or does not exist."""


class Fingerprint(NamedTuple):
    """Identifies the code of a game or a bot; it must be the same for a run to be resumed."""

    version: str
    """The distribution and its version; empty for a bot that is a file or a program."""
    sha256: str
    """The hash over the source files."""


def game_files(module: str) -> list[Path]:
    """Returns the source files of the game in a module: what decides its records.

    They are the module (all modules of its folder, if it is a package), the modules of the same package and of
    `tourney.games` that these import, and the contract of games.

    Raises:
        PluginError: The module cannot be found.
    """
    package = module.partition(".")[0]

    def find(name: str) -> Path | None:
        is_own = package != "tourney" and name.partition(".")[0] == package
        return _module_file(name) if is_own or name.startswith("tourney.games.") else None

    contract = [file for name in CONTRACT for file in _all_files(source(name))]
    return [*_with_imports(_all_files(source(module)), find), *contract]


def bot_files(module: str, name: str) -> list[Path]:
    """Returns the source files of the bot of that name in a module.

    If its class has an attribute `made_of`, a tuple of names, they are the bot's module, the modules that it names (all
    modules of a package), and the modules of their packages that these import. Otherwise they are all modules of the
    package that the bot's module is in. `group:name` names the module of that entry point of a group, and `group:*`
    those of all of them; one that cannot be found is left out, and is reported where it is loaded.

    Raises:
        PluginError: A module cannot be found, or `made_of` is not a tuple of texts.
    """
    named = _modules_of(module, name)
    if named is None:
        return _all_files(folder_of(module))
    packages = {each.partition(".")[0] for each in named}
    starts = [_module_path(module), *[each for other in named[1:] for each in _all_files(source(other))]]
    return _with_imports(starts, lambda other: _module_file(other) if other.partition(".")[0] in packages else None)


def packages_of(module: str, name: str) -> list[str]:
    """Returns the outermost packages of the modules that the bot of that name in a module is made of.

    A module that is in no package stands for itself.

    Raises:
        PluginError: A module cannot be found, or `made_of` is not a tuple of texts.
    """
    return list(dict.fromkeys([_outermost(each) for each in _modules_of(module, name) or [module]]))


def _outermost(module: str) -> str:
    """Returns the outermost package that a module is in; the module itself if that is in none."""
    parts = module.split(".")
    names = [".".join(parts[:count]) for count in range(1, len(parts))]
    return next((each for each in names if _module_file(each) is not None), module)


def _modules_of(module: str, name: str) -> list[str] | None:
    """Returns the bot's module and those that `made_of` names; None if it names nothing."""
    named = _named(_module_path(module), name, _module_file)
    return None if named is None else [module, *named]


def _named(file: Path, name: str, find: Finder) -> list[str] | None:
    """Returns the modules that `made_of` of the class of that name in a file stands for; None if it names nothing."""
    made_of = _made_of(file, name)
    if made_of is None:
        return None
    found = []
    for each in made_of:
        group, colon, wanted = each.partition(":")
        if colon:
            modules = {entry.module for entry in entry_points.of_group(group) if wanted in ("*", entry.name)}
            found += [module for module in sorted(modules) if find(module) is not None]
        elif find(each) is None:
            raise PluginError(f'{file}: made_of of {name}: there is no module "{each}"; correct or install it')
        else:
            found.append(each)
    return found


def file_and_imports(file: Path) -> list[Path]:
    """Returns a Python file and the modules beside it that it imports, with those that they import in turn."""
    root = import_root(file)
    return _with_imports([file], lambda name: _in_folder(root, name.split(".")))


def files_of_bot_file(file: Path, name: str) -> list[Path]:
    """Returns the source files of the bot of that name in a file.

    They are the file and the modules beside it that it imports, and what the class names in its attribute `made_of`:
    modules beside the file or installed ones, as in `bot_files`.

    Raises:
        PluginError: A module cannot be found, or `made_of` is not a tuple of texts.
    """
    root = import_root(file)

    def find(module: str) -> Path | None:
        return _in_folder(root, module.split(".")) or _module_file(module)

    named = [_all_files(source(each, find(each))) for each in _named(file, name, find) or ()]
    return list(dict.fromkeys([*file_and_imports(file), *[path for files in named for path in files]]))


def import_root(file: Path) -> Path:
    """Returns the folder from which the modules beside a file are imported: the first above it that is no package."""
    folder = file.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def source(module: str, file: Path | None = None) -> Path:
    """Returns the folder of a package, or the file of any other module.

    Args:
        module: The name of the module.
        file: Its file, `__init__.py` for a package, if that is known.

    Raises:
        PluginError: The module cannot be found.
    """
    file = file or _module_path(module)
    return file.parent if file.name == "__init__.py" else file


def folder_of(module: str) -> Path:
    """Returns the folder of the package that a module is or is in; the file of a module that is in no package.

    Raises:
        PluginError: The module cannot be found.
    """
    found = source(module)
    return found if found.is_dir() or "." not in module else found.parent


def fingerprint(version: str, files: Iterable[Path]) -> Fingerprint:
    """Returns the fingerprint of source files. It depends on their contents and the names of their modules only."""
    named = {path.relative_to(import_root(path)).as_posix(): path for path in files}
    return Fingerprint(version, _hash(sorted(named.items())))


def paths_fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """Returns the fingerprint of files and of all files in folders, of whatever kind they are."""
    found = [
        sorted([file for file in path.rglob("*") if file.is_file()]) if path.is_dir() else [path] for path in paths
    ]
    return Fingerprint("", _hash([(file.name, file) for files in found for file in files]))


def _hash(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, file in files:
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _module_path(module: str) -> Path:
    """Returns the file of a module, and raises a `PluginError` if there is none."""
    file = _module_file(module)
    if file is None:
        raise PluginError(f'the source of the module "{module}" cannot be found; install it anew')
    return file


def _made_of(file: Path, name: str) -> tuple[str, ...] | None:
    """Returns `made_of` of the class of that name in a file; None if there is no such class, or it names nothing."""
    classes = [node for node in _parsed(file).body if isinstance(node, ast.ClassDef) and node.name == name]
    for node in [node for each in classes for node in each.body]:
        match node:
            case ast.Assign([ast.Name("made_of")], value) | ast.AnnAssign(ast.Name("made_of"), _, value):
                try:
                    found = ast.literal_eval(value) if value is not None else ()
                except ValueError:
                    found = None
                if not isinstance(found, tuple) or not all([isinstance(text, str) for text in found]):
                    raise PluginError(
                        f'{file}: made_of of {name} is no tuple of names; write it as in made_of = ("mybots.moves",)'
                    )
                return found
    return None


def _with_imports(starts: Iterable[Path], find: Finder) -> list[Path]:
    """Returns files and the files that they import, directly or not, as far as `find` finds them."""
    find = cache(find)  # most files import the same
    found = dict.fromkeys(starts)
    left = list(found)
    while left:
        file = left.pop()
        if not _adds_nothing(file, find, found):
            new = [path for path in dict.fromkeys(_imported(file, find)) if path not in found]
            found |= dict.fromkeys(new)
            left += new
    return list(found)


_NAME = r"[^\W\d][\w.]*"
_PLAIN_IMPORT = re.compile(
    rf"^[ \t]*(?:import[ \t]+({_NAME})(?:[ \t]+as[ \t]+\w+)?"
    rf"|from[ \t]+(\.*)({_NAME})?[ \t]+import[ \t]+([\w \t,]+|\([^()#]*\)))[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""An import as most are written: a statement on lines of its own, without further modules, stars or continuations."""


def _adds_nothing(file: Path, find: Finder, known: Container[Path]) -> bool:
    """Returns True if all imports of a file are plain and of known files, which is far quicker to see than to parse.

    What only looks like an import, in a string, can make this False but never True.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    plain = list(_PLAIN_IMPORT.finditer(text))
    if len(plain) != len(re.findall(r"\bimport\b", text)):
        return False
    for module, dots, origin, imported in [match.groups("") for match in plain]:
        parts = [part for part in (module or origin).split(".") if part]
        names = [parts, *[[*parts, name] for name in re.findall(r"\w+", imported)]]
        if any([path is not None and path not in known for path in _resolved(file, len(dots), names, find)]):
            return False
    return True


def _resolved(file: Path, level: int, names: Sequence[Sequence[str]], find: Finder) -> list[Path | None]:
    """Returns the files of the modules that a file imports; `level` counts the leading dots of a relative import."""
    if level:
        return [_in_folder(file.parents[level - 1], name) for name in names]
    return [find(".".join(name)) for name in names]


def _imported(file: Path, find: Finder) -> Iterator[Path]:
    """Yields the files that a file imports; `from a import b` may import the modules a and a.b."""
    for node in _statements(_parsed(file)):
        found: list[Path | None] = []
        if isinstance(node, ast.Import):
            found = [find(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = [part for part in (node.module or "").split(".") if part]
            names = [parts, *[[*parts, alias.name] for alias in node.names]]
            found = _resolved(file, node.level, names, find)
        yield from [path for path in found if path is not None]


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """Yields all statements of a module, in no order; other than `ast.walk`, without their expressions, to be quick."""
    left: list[ast.AST] = [module]
    while left:
        node = left.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += getattr(node, field, ())
        yield node


def _parsed(file: Path) -> ast.Module:
    """Returns the syntax tree of a file; an empty one if it is no Python, which is reported where it is imported."""
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _all_files(path: Path) -> list[Path]:
    """Returns all Python files of a folder, or the file itself."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _module_file(module: str) -> Path | None:
    """Returns the file of an installed module, `__init__.py` for a package; None if there is none."""
    first, *rest = module.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations is None:
        return Path(spec.origin) if spec.origin is not None and not rest and spec.has_location else None
    found = [_in_folder(Path(folder).parent, [Path(folder).name, *rest]) for folder in spec.submodule_search_locations]
    return next((file for file in found if file is not None), None)


def _in_folder(folder: Path, names: Sequence[str]) -> Path | None:
    """Returns the file of a module by its names from a folder on; None if there is none."""
    path = folder.joinpath(*names)
    for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if names and file.is_file():
            return file
    return folder / "__init__.py" if not names and (folder / "__init__.py").is_file() else None
