"""Bots in files and folders, FILE.py:NAME and FOLDER:NAME: finds them, imports them, and finds the name in them.

A file stands alone: it imports what is installed. A folder is a package, with an `__init__.py`, whose modules import
each other by their names, or by relative imports. Each gets a module name of its own, so that two versions of one bot
do not mix.
"""

import builtins
import hashlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from tourney.base.errors import PluginError, did_you_mean
from tourney.plugins.failures import in_one_line, place


def find(base: Path, file: str, use: str) -> Path:
    """The path of the file or folder of the bot that `use` names, relative to the folder `base`, or a `PluginError`."""
    path = (base / file).resolve()
    try:
        if path.is_file() or (path / "__init__.py").is_file():
            return path
        if path.is_dir():
            raise PluginError(f'no bot "{use}": {path} has no __init__.py; a folder that is a bot is a package')
    except OSError as error:
        raise PluginError(f'no bot "{use}": {error.strerror}; give another path') from None
    raise PluginError(
        f'no bot "{use}": there is no file or folder {path}; paths are relative to the file that names them'
    )


def load(path: Path, attribute: str, use: str) -> Any:
    """What a name stands for in the file or folder of a bot, which is imported, or a `PluginError`."""
    module = _module_of(path)
    if not hasattr(module, attribute):
        names = [name for name, value in vars(module).items() if hasattr(value, "act")]
        file = f"{path.name}/__init__.py" if path.is_dir() else path.name
        raise PluginError(f'no bot "{use}": {file} has no "{attribute}"; {did_you_mean(attribute, names)}')
    return getattr(module, attribute)


class _FolderModules(SourceFileLoader):
    """Finds and loads the modules of folders of bots, which import each other by their names."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        if not isinstance(getattr(sys.modules.get(name.partition(".")[0]), "__loader__", None), cls):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = cls(name, spec.loader.path)
        return spec

    def exec_module(self, module: ModuleType) -> None:
        own = partial(_import, module.__name__.partition(".")[0])
        vars(module)["__builtins__"] = vars(builtins) | {"__import__": own}
        super().exec_module(module)


def _import(
    folder: str, name: str, globals: Mapping[str, Any] | None = None, locals: Mapping[str, Any] | None = None,  # noqa: A002 - those of `__import__`
    fromlist: Sequence[str] = (), level: int = 0,
) -> ModuleType:  # fmt: skip
    """`__import__` in the modules of a bot's folder: a module of the folder comes before one that is installed."""
    first = name.partition(".")[0]
    if level == 0 and first not in sys.stdlib_module_names:
        spec = importlib.util.find_spec(f"{folder}.{first}")
        if spec is not None and spec.origin is not None:
            module = __import__(f"{folder}.{name}", globals, locals, fromlist)
            return module if fromlist else sys.modules[f"{folder}.{first}"]
    return __import__(name, globals, locals, fromlist, level)


@cache
def _module_of(path: Path) -> ModuleType:
    """Imports a file or a folder under a name of its own."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    is_folder = path.is_dir()
    file = path / "__init__.py" if is_folder else path
    if is_folder and _FolderModules not in sys.meta_path:
        sys.meta_path.insert(0, _FolderModules)
    loader = _FolderModules(name, str(file)) if is_folder else None
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a Python file; a bot in a file is written FILE.py:NAME")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except BaseException as error:  # a file may raise anything while it is imported
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        remedy = "install what it imports" if isinstance(error, ImportError) else "fix it"
        if isinstance(error, ImportError) and not is_folder:
            remedy += ", or enter the folder of its modules as FOLDER:NAME"
        raise PluginError(f"{path} cannot be loaded: {in_one_line(error)}; {remedy}{place(error)}") from None
    return module
