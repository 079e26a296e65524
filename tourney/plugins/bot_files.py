"""Bots in files and folders, FILE.py:NAME and FOLDER:NAME: finds them, imports them, and finds the name in them.

A file stands alone: it imports what is installed. A folder is a package, with an `__init__.py`, whose modules import
each other by relative imports. Each gets a module name of its own, so that two versions of one bot do not mix.
"""

import hashlib
import importlib.util
import sys
from contextlib import redirect_stdout
from functools import cache
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


@cache
def _module_of(path: Path) -> ModuleType:
    """Imports a file or a folder under a name of its own."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    is_folder = path.is_dir()
    file, folders = (path / "__init__.py", [str(path)]) if is_folder else (path, None)
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
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
        remedy = "fix it"
        if isinstance(error, ImportError) and is_folder:
            remedy = 'write "from . import NAME" for a module of the folder, and install any other'
        elif isinstance(error, ImportError):
            remedy = "a file stands alone: install what it imports, or enter the folder of its modules as FOLDER:NAME"
        raise PluginError(f"{path} cannot be loaded: {in_one_line(error)}; {remedy}{place(error)}") from None
    return module
